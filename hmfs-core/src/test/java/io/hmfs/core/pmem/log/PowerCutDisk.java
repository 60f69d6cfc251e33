package io.hmfs.core.pmem.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * A directory on a disk whose power can be cut: real files, behind a filesystem of its own that writes down what is done to them. From
 * that it makes the directory that a power loss leaves at any moment: of what was not synced any part may be there, by sectors; of
 * names that came or went, any until the directory was synced. What goes through a mapping is not seen: {@link #settle} takes that
 * for durable.
 */
final class PowerCutDisk {
    static final int SECTOR = 512;
    private static final int PAGE = 4096;

    /** What can be done to the disk. */
    enum Kind {
        CREATE,
        WRITE,
        TRUNCATE,
        FORCE,
        /** What was written since the last one is not there afterwards, though the system still shows it: and no other tries again. */
        FORCE_FAILED,
        DELETE,
        SYNC_DIRECTORY
    }

    /** Something that was done, with what the test had to say at that moment, before it was. */
    record Event(Kind kind, String name, long at, ByteBuffer bytes, long said) {}

    /** Says of each thing that was not synced whether it is there after all. */
    interface Chooser {
        boolean keeps(Kind kind);
    }

    /** May refuse what is about to be done, or stop its thread there. */
    interface Watcher {
        void before(Kind kind, String name) throws IOException;
    }

    private final Path real;
    private final LongSupplier said;
    private final List<Event> events = new ArrayList<>();
    private final Map<String, Content> base = new TreeMap<>();
    private volatile Watcher watcher = (_, _) -> {};

    /** A disk with one directory; {@code said} is asked at each event. */
    PowerCutDisk(Path real, LongSupplier said) {
        this.real = real;
        this.said = said;
    }

    /** What to throw where the log would do something that this disk does not write down. */
    static UnsupportedOperationException unwatched(String method) {
        return new UnsupportedOperationException(
                method + " is not watched: a power cut would not know of it. Let it tell the disk, or do without");
    }

    /** The directory, as its later users see it. */
    Path root() {
        return new WatchedFiles(this, real).root();
    }

    void watch(Watcher next) {
        watcher = next;
    }

    /** From here on all that is there is durable, and events count from here. */
    synchronized void settle() throws IOException {
        events.clear();
        base.clear();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(real)) {
            for (Path file : files) {
                base.put(file.getFileName().toString(), Content.of(file));
            }
        }
    }

    synchronized int events() {
        return events.size();
    }

    synchronized Event event(int index) {
        return events.get(index);
    }

    /** Something that is done for real, and written down, in one step. */
    interface Deed {
        void run() throws IOException;
    }

    void does(Kind kind, String name, long at, byte[] bytes, Deed deed) throws IOException {
        try {
            watcher.before(kind, name);
        } catch (IOException e) {
            if (kind == Kind.FORCE) {
                write(Kind.FORCE_FAILED, name, at, bytes);
            }
            throw e;
        }
        synchronized (this) {
            write(kind, name, at, bytes);
            deed.run();
        }
    }

    private synchronized void write(Kind kind, String name, long at, byte[] bytes) {
        events.add(new Event(kind, name, at, ByteBuffer.wrap(bytes), said.getAsLong()));
    }

    /** A disk with what a power loss before event {@code end} leaves. */
    synchronized PowerCutDisk cut(Path into, int end, Chooser chooser, LongSupplier saidThere) throws IOException {
        return replay(end).lay(into, chooser, saidThere);
    }

    /** A disk with all that has been done so far, as the system shows it to the next process, and no more of it durable than here. */
    synchronized PowerCutDisk copy(Path into, LongSupplier saidThere) throws IOException {
        Replay replay = replay(events.size());
        PowerCutDisk copy = replay.lay(into, _ -> true, saidThere);
        copy.base.clear();
        base.forEach((name, content) -> copy.base.put(name, content.copy()));
        copy.events.addAll(events);
        return copy;
    }

    private Replay replay(int end) {
        Replay replay = new Replay(base);
        for (Event event : events.subList(0, end)) {
            replay.take(event);
        }
        return replay;
    }

    /** Bytes of a file, zero where no page is. */
    private static final class Content {
        private final Map<Long, byte[]> pages = new HashMap<>();
        private long size;

        static Content of(Path file) throws IOException {
            Content content = new Content();
            byte[] zeros = new byte[PAGE];
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                content.size = channel.size();
                ByteBuffer page = ByteBuffer.allocate(PAGE);
                for (long at = 0; at < content.size; at += PAGE) {
                    channel.read(page.clear(), at);
                    if (!Arrays.equals(page.array(), 0, page.position(), zeros, 0, page.position())) {
                        content.write(at, page.array(), 0, page.position());
                    }
                }
            }
            return content;
        }

        Content copy() {
            Content copy = new Content();
            pages.forEach((number, page) -> copy.pages.put(number, page.clone()));
            copy.size = size;
            return copy;
        }

        void write(long at, byte[] bytes, int offset, int count) {
            for (int i = 0; i < count; ) {
                long page = (at + i) / PAGE;
                int within = (int) ((at + i) % PAGE);
                int part = Math.min(count - i, PAGE - within);
                System.arraycopy(bytes, offset + i, pages.computeIfAbsent(page, _ -> new byte[PAGE]), within, part);
                i += part;
            }
            size = Math.max(size, at + count);
        }

        void truncate(long to) {
            if (to < size) {
                pages.keySet().removeIf(page -> page * PAGE >= to);
                byte[] last = pages.get(to / PAGE);
                if (last != null) {
                    Arrays.fill(last, (int) (to % PAGE), PAGE, (byte) 0);
                }
                size = to;
            }
        }

        void writeTo(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                for (Map.Entry<Long, byte[]> page : pages.entrySet()) {
                    long at = page.getKey() * PAGE;
                    channel.write(ByteBuffer.wrap(page.getValue(), 0, (int) Math.min(PAGE, size - at)), at);
                }
                if (channel.size() < size) {
                    channel.write(ByteBuffer.allocate(1), size - 1);
                }
            }
        }
    }

    /** A file: what of it is durable, and what was done since. */
    private static final class Inode {
        private final Content durable;
        private final List<Event> pending = new ArrayList<>();

        Inode(Content durable) {
            this.durable = durable;
        }

        void force() {
            pending.forEach(event -> apply(durable, event, _ -> true));
            pending.clear();
        }

        Content after(Chooser chooser) {
            Content content = durable.copy();
            pending.forEach(event -> apply(content, event, chooser));
            return content;
        }

        private static void apply(Content content, Event event, Chooser chooser) {
            if (event.kind() == Kind.TRUNCATE) {
                if (chooser.keeps(Kind.TRUNCATE)) {
                    content.truncate(event.at());
                }
                return;
            }
            byte[] bytes = event.bytes().array();
            for (int i = 0; i < bytes.length; ) {
                int part = (int) Math.min(bytes.length - i, SECTOR - (event.at() + i) % SECTOR);
                if (chooser.keeps(Kind.WRITE)) {
                    content.write(event.at() + i, bytes, i, part);
                }
                i += part;
            }
        }
    }

    /** The disk as events change it. */
    private static final class Replay {
        private final TreeMap<String, Inode> names = new TreeMap<>();
        private TreeMap<String, Inode> durableNames;

        Replay(Map<String, Content> base) {
            base.forEach((name, content) -> names.put(name, new Inode(content.copy())));
            durableNames = new TreeMap<>(names);
        }

        void take(Event event) {
            switch (event.kind()) {
                case CREATE -> names.put(event.name(), new Inode(new Content()));
                case WRITE, TRUNCATE -> inode(event).pending.add(event);
                case FORCE -> inode(event).force();
                case FORCE_FAILED -> inode(event).pending.clear();
                case DELETE -> names.remove(event.name());
                case SYNC_DIRECTORY -> durableNames = new TreeMap<>(names);
            }
        }

        private Inode inode(Event event) {
            Inode inode = names.get(event.name());
            if (inode == null) {
                throw new IllegalStateException("never made: " + event.name());
            }
            return inode;
        }

        PowerCutDisk lay(Path into, Chooser chooser, LongSupplier said) throws IOException {
            Files.createDirectories(into);
            PowerCutDisk disk = new PowerCutDisk(into, said);
            Set<String> all = new TreeSet<>(names.keySet());
            all.addAll(durableNames.keySet());
            for (String name : all) {
                Inode before = durableNames.get(name);
                Inode now = names.get(name);
                Inode kept = before == now || chooser.keeps(now == null ? Kind.DELETE : Kind.CREATE) ? now : before;
                if (kept != null) {
                    Content content = kept.after(chooser);
                    content.writeTo(into.resolve(name));
                    disk.base.put(name, content);
                }
            }
            return disk;
        }
    }
}
