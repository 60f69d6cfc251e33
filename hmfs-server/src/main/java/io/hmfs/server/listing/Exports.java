package io.hmfs.server.listing;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.NameHash;
import io.hmfs.server.lock.VersionStripes;
import io.hmfs.wire.StatRecord;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stats that clients read by RDMA, without this server's processor (docs/adr/0205): a table of {@link StatRecord}s for each of a few
 * directories, which every user may pass, with all directories above them. Thread-safe.
 *
 * <ul>
 *   <li>A valid record is true. A change takes back the record of its name when it shows in the version of the directory
 *       ({@link DirectoryVersions#begin}) and before it changes anything; a thread that makes a record claims its slot first, then sees
 *       that no change is under way, then looks. One of the two sees the other.
 *   <li>What leads to an export is as it was when it was opened. A change of a name on the way, or of what may be done with it, withdraws
 *       the export before it changes anything; an export that is opened can be found by such a change first, then it is seen that no
 *       change is under way, then the way is walked.
 *   <li>The memory holds nothing that was not every user's to know when it was stored: a thread that has looked stores only if its claim
 *       still stands.
 * </ul>
 */
public final class Exports {
    /** Records of one directory. */
    public static final int SLOTS = 1024;

    static final int TABLE_BYTES = SLOTS * StatRecord.BYTES;

    /** For so long an export keeps its table before another directory may have it. */
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int ALIGNMENT = 4096; // of registered memory
    private static final int SEARCH_ALL = 0111;
    private static final long HASH = 0x9E3779B97F4A7C15L;
    private static final Name ROOT_NAME = new Name();

    /** The exports that there are: all of them, and in a table by hash, at most half of which is used. */
    private static final class Index {
        private final Export[] all;
        private final @Nullable Export[] byDirectory;

        Index(Export[] all, @Nullable Export[] byDirectory) {
            this.all = all;
            this.byDirectory = byDirectory;
        }
    }

    private final DirectoryVersions versions;
    private final LongSupplier nanos;
    private final @Nullable Export[] tables; // guarded by this
    private final ByteBuffer memory;
    private final long[] hashes; // of the records' names, of the thread that has claimed the slot
    private final LongAdder published = new LongAdder();
    private long exported; // guarded by this
    private volatile Index index = new Index(new Export[0], new Export[1]);

    /**
     * Of so many directories at a time; 0: none.
     *
     * @param nanos the clock, as {@link System#nanoTime}
     */
    public Exports(int most, DirectoryVersions versions, LongSupplier nanos) {
        this.versions = versions;
        this.nanos = nanos;
        tables = new @Nullable Export[most];
        // Not of the JVM's direct memory, whose bound is that of the heap.
        memory = Arena.ofAuto().allocate((long) most * TABLE_BYTES, ALIGNMENT).asByteBuffer();
        hashes = new long[most * SLOTS];
    }

    public boolean isOn() {
        return tables.length > 0;
    }

    /** The memory that clients read; empty if this is off. */
    public ByteBuffer memory() {
        return memory;
    }

    /** Directories that are exported. */
    public int size() {
        return index.all.length;
    }

    /** Records that were made. */
    public long published() {
        return published.sum();
    }

    // ---- Exports

    /** Exports the directory with this path from the root, if every user may pass it and all above it; null: it is not, now or ever. */
    public synchronized @Nullable Export export(Namespace namespace, byte[] path) {
        List<Name> names = components(path);
        if (!isOn() || names == null) {
            return null;
        }
        long[] parents = new long[names.size()];
        long directory = walk(namespace, names, parents);
        Export known = find(directory);
        if (known != null) {
            return known; // what leads to it has not changed since this has the lock
        }
        int table = directory == 0 ? -1 : freeTable();
        if (table < 0) {
            return null;
        }
        Export made = new Export(directory, names, parents, ++exported, table, nanos.getAsLong());
        tables[table] = made;
        reindex();
        long[] again = new long[parents.length];
        if (isUnderWay(parents)
                || walk(namespace, names, again) != directory
                || !Arrays.equals(parents, again)
                || !made.open()) {
            withdraw(made);
            return null;
        }
        return made;
    }

    /** The root's name, which is empty, and those of a path; null if there is one that no directory has. */
    private static @Nullable List<Name> components(byte[] path) {
        List<Name> names = new ArrayList<>();
        names.add(ROOT_NAME);
        if (path.length == 0 || path[0] != '/') {
            return null;
        }
        for (int begin = 1, end; begin < path.length; begin = end + 1) {
            end = begin;
            while (end < path.length && path[end] != '/') {
                end++;
            }
            Name name = new Name();
            name.set(path, begin, end - begin);
            if (name.check() != Status.OK || end == path.length - 1) {
                return null;
            }
            names.add(name);
        }
        return names;
    }

    /** Fills in the ids of the directories that hold the names. Returns that of the last one's directory; 0 if some user may not pass it. */
    private static long walk(Namespace namespace, List<Name> names, long[] parents) {
        Attributes seen = new Attributes();
        long at = Namespace.ROOT_PARENT_ID;
        for (int i = 0; i < parents.length; i++) {
            parents[i] = at;
            boolean passed = namespace.stat(at, names.get(i), seen) == Status.OK
                    && seen.isDirectory()
                    && (seen.mode & SEARCH_ALL) == SEARCH_ALL
                    && !seen.hasAcl;
            if (!passed) {
                return 0;
            }
            at = seen.id;
        }
        return at;
    }

    private boolean isUnderWay(long[] directories) {
        boolean any = false;
        for (long each : directories) {
            any |= VersionStripes.isUnderWay(versions.version(each));
        }
        return any;
    }

    /** A table that no export has, or that one has had for long enough; -1: there is none. */
    private int freeTable() {
        Export oldest = null;
        for (int i = 0; i < tables.length; i++) {
            Export each = tables[i];
            if (each == null) {
                return i;
            }
            if (oldest == null || each.sinceNanos - oldest.sinceNanos < 0) {
                oldest = each;
            }
        }
        if (oldest == null || nanos.getAsLong() - oldest.sinceNanos < KEPT_NANOS) {
            return -1;
        }
        withdraw(oldest);
        return oldest.table;
    }

    /** When it returns the export has no record, and gets none; until then it can be found, so that other changes wait here too. */
    private synchronized void withdraw(Export export) {
        if (!export.equals(tables[export.table])) {
            return;
        }
        export.end();
        for (int slot = 0; slot < SLOTS; slot++) {
            StatRecord.takeBack(memory, export.start() + slot * StatRecord.BYTES);
        }
        tables[export.table] = null;
        reindex();
    }

    private void reindex() {
        List<Export> all = new ArrayList<>();
        @Nullable Export[] byDirectory = new @Nullable Export[4 * Integer.highestOneBit(tables.length)];
        for (Export each : tables) {
            if (each != null) {
                all.add(each);
                int place = place(each.directory, byDirectory.length);
                while (byDirectory[place] != null) {
                    place = (place + 1) & (byDirectory.length - 1);
                }
                byDirectory[place] = each;
            }
        }
        index = new Index(all.toArray(new Export[0]), byDirectory);
    }

    private static int place(long directory, int places) {
        return (int) ((directory * HASH) >>> 40) & (places - 1);
    }

    /** The export of a directory, which may be live, or null. */
    @Nullable
    Export find(long directory) {
        @Nullable Export[] byDirectory = index.byDirectory;
        int place = place(directory, byDirectory.length);
        Export found = byDirectory[place];
        while (found != null && found.directory != directory) {
            place = (place + 1) & (byDirectory.length - 1);
            found = byDirectory[place];
        }
        return found;
    }

    // ---- Changes

    /** What stands under the name is about to change, and the version of the directory tells that. */
    void takeBack(long directory, Name name) {
        if (!isOn()) {
            return;
        }
        Export export = find(directory);
        if (export != null) {
            StatRecord.takeBack(memory, at(export, hash(export, name)));
        }
    }

    void takeBack(NameBatch batch) {
        if (!isOn()) {
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            takeBack(batch.directory(i), batch.name(i));
        }
    }

    /** Whether a directory has the name, where it leads, or who may pass it, is about to change, and the version of the parent tells that. */
    void withdrawBelow(long parent, Name name) {
        if (!isOn()) {
            return;
        }
        long passage = NameHash.of(parent, name);
        for (Export each : index.all) {
            if (each.passes(passage)) {
                withdraw(each);
            }
        }
    }

    // ---- Records, by StatPublisher

    static long hash(Export export, Name name) {
        return StatRecord.hash(export.number(), name.buffer(), 0, name.length());
    }

    /** Where the record of a name with this hash is. */
    static int at(Export export, long hash) {
        return export.start() + StatRecord.slot(hash, SLOTS) * StatRecord.BYTES;
    }

    /**
     * Claims the record of a name that is about to be looked up. {@link StatRecord#NONE}: there is a valid one already, or there can be none
     * now.
     */
    long claim(Export export, long hash) {
        int at = at(export, hash);
        if (StatRecord.isValid(memory, at) && hashes[at / StatRecord.BYTES] == hash) {
            return StatRecord.NONE;
        }
        long claim = StatRecord.claim(memory, at);
        if (claim == StatRecord.NONE) {
            return claim;
        }
        if (!export.isLive() || VersionStripes.isUnderWay(versions.version(export.directory))) {
            StatRecord.giveUp(memory, at, claim);
            return StatRecord.NONE;
        }
        hashes[at / StatRecord.BYTES] = hash;
        return claim;
    }

    /** Makes a claimed record valid that was filled; ends the claim. */
    void publish(int at, long claim, int length) {
        if (StatRecord.publish(memory, at, claim, length)) {
            published.increment();
        }
    }
}
