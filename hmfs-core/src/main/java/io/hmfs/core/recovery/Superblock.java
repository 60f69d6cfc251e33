package io.hmfs.core.recovery;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.engine.Keys;
import io.hmfs.core.engine.Principals;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolException.Reason;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.type.Name;
import java.nio.file.Path;
import java.util.UUID;

/** Makes a pool out of a fresh file, and checks that a file is a pool before anything in it is believed. */
public final class Superblock {
    private static final long ROOT_ID = 1;
    private static final int ROOT_MODE = 0755;
    private static final int INDEX_DEPTH = 2;

    private Superblock() {}

    /**
     * Writes an empty namespace; the magic comes last, so that a format cut short leaves no pool.
     *
     * @param firstId the id of the first object that is made in it, above the root's
     */
    public static void format(Path path, PoolFile file, UUID cluster, long seed, long firstId) throws PoolException {
        Pmem pmem = file.pmem();
        long header = file.header();
        PoolHeader.init(pmem, header, cluster, file.fileSize(), file.regionSize(), seed);
        long now = System.currentTimeMillis() * 1_000_000L;
        pmem.set(header + PoolHeader.CLOCK_LEASE_OFFSET, now + 1);
        pmem.set(header + PoolHeader.ID_LEASE_OFFSET, firstId);
        pmem.writeBack(header, PoolHeader.SIZE);
        Regions regions = new Regions(file);
        long directory = regions.acquire(RegionKind.INDEX_DIRECTORY);
        int depthMax = Long.numberOfTrailingZeros(Long.highestOneBit(regions.size() / HashIndex.directorySize(0)));
        boolean indexed = directory != Pmem.NULL
                && HashIndex.format(
                        pmem,
                        header + PoolHeader.INDEX_ROOT_OFFSET,
                        directory,
                        depthMax,
                        INDEX_DEPTH,
                        new IndexSegments(pmem, regions));
        if (!indexed || !makeRoot(pmem, header, regions, new Keys(pmem, seed), now)) {
            throw new PoolException(Reason.NO_SPACE, path + " is too small for a pool");
        }
        new Principals(pmem, regions);
        PoolHeader.seal(pmem, header);
    }

    private static boolean makeRoot(Pmem pmem, long header, Regions regions, Keys keys, long now) {
        long access = regions.acquire(RegionKind.ENTRY_SLOTS);
        long content = regions.acquire(RegionKind.CONTENT_SLOTS);
        if (access == Pmem.NULL || content == Pmem.NULL) {
            return false;
        }
        Name none = new Name();
        int check = EntryRecord.check(keys.ofEntry(0, none), ROOT_ID);
        EntryRecord.init(
                pmem, access, EntryRecord.KIND_DIRECTORY, ROOT_ID, check, 0, none, now, ROOT_MODE, Owner.of(0, 0));
        EntryRecord.setState(pmem, access, SlotState.NORMAL);
        DirContentRecord.init(pmem, content, ROOT_ID, access, now);
        pmem.writeBack(access, EntryRecord.SIZE);
        pmem.writeBack(content, DirContentRecord.SIZE);
        HashIndex index = HashIndex.open(
                pmem, header + PoolHeader.INDEX_ROOT_OFFSET, keys::ofObject, new IndexSegments(pmem, regions));
        return index.insert(keys.ofEntry(0, none), access) && index.insert(keys.ofContent(ROOT_ID), content);
    }

    /** Throws with one clear message unless the file is a whole pool of this version. */
    public static void check(Path path, PoolFile file) throws PoolException {
        Pmem pmem = file.pmem();
        long header = file.header();
        if (pmem.get(header + PoolHeader.MAGIC_OFFSET) != PoolHeader.MAGIC) {
            throw new PoolException(
                    Reason.NOT_A_POOL,
                    path + " is not an HMFS pool, or its format was cut short. Make one with: hmfs format " + path);
        }
        // Version before checksum: another version may compute another checksum.
        long version = pmem.get(header + PoolHeader.VERSION_OFFSET);
        if (version != PoolHeader.VERSION) {
            throw new PoolException(
                    Reason.WRONG_VERSION,
                    path + " has format version " + version + ", this HMFS reads version " + PoolHeader.VERSION
                            + ". Open it with the HMFS that made it");
        }
        if (PoolHeader.checksum(pmem, header) != pmem.get(header + PoolHeader.CHECKSUM_OFFSET)) {
            throw new PoolException(
                    Reason.BAD_CHECKSUM,
                    path + " has a damaged superblock (its checksum does not fit). Restore the pool from a copy");
        }
        long size = PoolHeader.size(pmem, header);
        if (!file.bound(size)) {
            throw new PoolException(
                    Reason.TRUNCATED,
                    path + " has " + file.fileSize() + " bytes, its superblock says " + size
                            + (file.isDevice()
                                    ? ": the device was made smaller, or another one has its name now. Give it its size"
                                            + " again, or name the right one; else restore the pool from a copy"
                                    : ": it was cut off or changed. Restore the pool from a copy"));
        }
        if (pmem.get(header + PoolHeader.REGION_SIZE_OFFSET) != file.regionSize()) {
            throw new PoolException(Reason.WRONG_VERSION, path + " has regions of another size than this HMFS reads");
        }
        if (pmem.get(header + PoolHeader.STATE_OFFSET) == PoolHeader.REPAIRING) {
            throw new PoolException(
                    Reason.REPAIR_CUT_SHORT,
                    path + " is half repaired: run hmfs fsck --repair " + path + " again, to its end");
        }
    }
}
