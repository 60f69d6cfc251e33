package io.hmfs.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which files there are, and which objects the builtin store has; for superusers (ACCESS_DENIED). The walk goes over
 * directories by their ids, so that no rename hides what is below one; whatever is renamed meanwhile the server tells
 * too. For one thread.
 */
public final class Census {
    private static final int ASKED_MAX = 1_024;
    private static final int REMOVED_MAX = 4_096;

    private final HmfsClient client;
    private final Calls calls;
    private CensusCalls.@Nullable Directories last;

    /** Hears of the namespace. */
    public interface Visitor {
        /** Size of a file that was renamed meanwhile. */
        long UNKNOWN = -1;

        /** A file or symbolic link; perhaps not for the first time. */
        void file(long inode, long size);

        /** So many directories are known, of which so many are listed. */
        void progress(long listed, long known);
    }

    /** An object of the builtin store: its bytes, and when it was changed last, in milliseconds since 1970. */
    public record Item(long inode, long block, long bytes, long modifiedMillis) {}

    /**
     * A part of what the builtin store has, and where it goes on.
     *
     * @param directory of the store, in which the list goes on behind object (afterInode, afterBlock)
     * @param unknown names that are no object's
     */
    public record Objects(int directory, long afterInode, long afterBlock, List<Item> found, List<String> unknown) {
        /** Where a list begins. */
        public static final Objects START = new Objects(0, 0, 0, List.of(), List.of());

        private static final int END = 1 << 16;

        /** Whether there is nothing behind this part. */
        public boolean isLast() {
            return directory >= END;
        }
    }

    /** Each is a round trip in which something was renamed. */
    private static final int RESTLESS_MAX = 10_000;

    public Census(HmfsClient client) {
        this.client = client;
        calls = client.calls();
    }

    /**
     * Walks over all files. Each that is there from before the call until it ends is told at least once; those that
     * come, go or are removed meanwhile are told or not.
     *
     * @return directories that were listed
     * @throws HmfsException STALE: the server was restarted meanwhile, or did not remember all renames; nothing
     *     of what was told is good for anything
     */
    public long run(Visitor visitor) throws IOException {
        CensusCalls.Directories page = page(CensusCalls.Directories.START, CallArguments.NO_BYTES);
        Ids known = new Ids();
        List<Long> open = new ArrayList<>(); // a stack
        long listed = 0;
        int restless = 0; // pages since nothing was open
        boolean quiet = false; // nothing is open, and nothing was renamed since
        while (!quiet) {
            page.files().rewind();
            quiet = open.isEmpty()
                    && !page.files().hasRemaining()
                    && !page.directories().hasRemaining();
            while (page.files().hasRemaining()) {
                visitor.file(page.files().getLong(), page.files().getLong());
            }
            List<Long> found = new ArrayList<>();
            while (page.directories().hasRemaining()) {
                long id = page.directories().getLong();
                if (known.add(id)) {
                    found.add(id);
                }
            }
            boolean begun = page.cursor().birth() != 0;
            open.addAll(begun ? open.size() - 1 : open.size(), found); // the one that has been begun stays on top
            visitor.progress(listed, known.size());
            restless = open.isEmpty() ? restless + 1 : 0;
            if (restless > RESTLESS_MAX) {
                throw new HmfsException(
                        ResultCode.STALE,
                        "files are renamed without a pause, so that the census does not end; try again later");
            }
            if (!quiet) {
                int count = Math.min(ASKED_MAX, open.size());
                ByteBuffer asked = ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                for (int i = 1; i <= count; i++) {
                    asked.putLong(open.get(open.size() - i));
                }
                page = page(page, asked.array());
                open.subList(open.size() - page.listed(), open.size()).clear();
                listed += page.listed();
            }
        }
        last = page;
        return listed;
    }

    private CensusCalls.Directories page(CensusCalls.Directories from, byte[] directories) throws IOException {
        return calls.call(calls.table.census.census, "", new CensusCalls.Walk(from, directories));
    }

    /** Objects of the builtin store behind a part. BAD_REQUEST: the data store is another one. */
    public Objects objects(Objects from) throws IOException {
        return objects(from, 0, CallArguments.NO_BYTES);
    }

    /**
     * Removes objects of the builtin store, pairs of inode and block, which no file has as {@link #run} has shown.
     * Returns those that were there. STALE: the server was restarted since; SAFE_MODE.
     */
    public List<Item> remove(long[] objects) throws IOException {
        CensusCalls.Directories end = last;
        if (end == null) {
            throw new IllegalStateException("no census was taken");
        }
        List<Item> removed = new ArrayList<>();
        for (int at = 0; at < objects.length; at += 2 * REMOVED_MAX) {
            int count = Math.min(2 * REMOVED_MAX, objects.length - at);
            ByteBuffer some = ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            some.asLongBuffer().put(objects, at, count);
            removed.addAll(objects(Objects.START, end.incarnation(), some.array()).found);
        }
        return removed;
    }

    private Objects objects(Objects from, long incarnation, byte[] removed) throws IOException {
        CensusCalls.ObjectBytes told = calls.call(
                calls.table.census.objects,
                "",
                new CensusCalls.ObjectsFrom(
                        from.directory(), from.afterInode(), from.afterBlock(), incarnation, removed));
        ByteBuffer fields = told.objects();
        List<Item> found = new ArrayList<>();
        while (fields.hasRemaining()) {
            found.add(new Item(fields.getLong(), fields.getLong(), fields.getLong(), fields.getLong()));
        }
        return new Objects(told.directory(), told.afterInode(), told.afterBlock(), found, told.unknown());
    }

    /** The record of files whose objects clients have still to remove. */
    public Removals removals() {
        return new Removals(client);
    }

    /** What the handshake told of the server. */
    public ServerInfo server() {
        return client.server();
    }

    /** A set of ids, none of them 0. */
    private static final class Ids {
        private long[] slots = new long[1 << 10];
        private int size;

        boolean add(long id) {
            if (2 * size >= slots.length) {
                long[] old = slots;
                slots = new long[2 * old.length];
                for (long each : old) {
                    if (each != 0) {
                        slots[slot(each)] = each;
                    }
                }
            }
            int slot = slot(id);
            if (slots[slot] == id) {
                return false;
            }
            slots[slot] = id;
            size++;
            return true;
        }

        private int slot(long id) {
            long hash = id * 0x9E3779B97F4A7C15L;
            int slot = (int) (hash >>> 32) & slots.length - 1;
            while (slots[slot] != 0 && slots[slot] != id) {
                slot = slot + 1 & slots.length - 1;
            }
            return slot;
        }

        int size() {
            return size;
        }
    }
}
