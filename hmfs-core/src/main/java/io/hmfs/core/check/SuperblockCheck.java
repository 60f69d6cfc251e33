package io.hmfs.core.check;

import io.hmfs.core.engine.Keys;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.type.Name;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;

/**
 * The superblock's first line, and the size that the pool has grown to. Three words are known from elsewhere, in a pool that has not
 * grown also its size, and a checksum that fits with one bit turned names that bit; the seed is proven by the index, whose words for
 * the root no other process could have computed.
 */
final class SuperblockCheck {
    private static final String SUPERBLOCK = "superblock";

    private static final long[] GUARDED = {
        PoolHeader.UUID_HIGH_OFFSET,
        PoolHeader.UUID_LOW_OFFSET,
        PoolHeader.POOL_SIZE_OFFSET,
        PoolHeader.SEED_OFFSET,
        PoolHeader.CHECKSUM_OFFSET
    };

    private final PoolView view;
    private final Pmem pmem;
    private final long header;
    private final long[] right = new long[8];

    private SuperblockCheck(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
        this.header = view.header;
        for (int i = 0; i < right.length; i++) {
            right[i] = pmem.get(header + 8L * i);
        }
    }

    /**
     * Finds out what the words of the superblock should be.
     *
     * @return false if the seed is not known, so that nothing can be found by its key
     * @throws PoolException if this is no pool of this version
     */
    static boolean run(Path path, PoolView view, IndexView index) throws PoolException {
        SuperblockCheck check = new SuperblockCheck(view);
        boolean known = check.words(path, index);
        check.grown(path);
        view.keys = new Keys(view.pmem, check.at(PoolHeader.SEED_OFFSET));
        check.state();
        return known;
    }

    private long at(long offset) {
        return right[(int) (offset >>> 3)];
    }

    private void set(long offset, long value) {
        right[(int) (offset >>> 3)] = value;
    }

    private boolean fits() {
        LongUnaryOperator word = this::at;
        return PoolHeader.checksum(word) == at(PoolHeader.CHECKSUM_OFFSET);
    }

    private boolean words(Path path, IndexView index) throws PoolException {
        long fileSize = view.file.fileSize();
        boolean knownFit = at(PoolHeader.MAGIC_OFFSET) == PoolHeader.MAGIC
                && at(PoolHeader.VERSION_OFFSET) == PoolHeader.VERSION
                && at(PoolHeader.POOL_SIZE_OFFSET) <= fileSize
                && at(PoolHeader.REGION_SIZE_OFFSET) == view.regionSize;
        if (at(PoolHeader.MAGIC_OFFSET) == PoolHeader.MAGIC && fits() && !knownFit) {
            Superblock.check(path, view.file); // whole, but of another version or size: its message says so
        }
        if (knownFit && fits()) {
            return true;
        }
        long sizeFound = at(PoolHeader.POOL_SIZE_OFFSET);
        long versionFound = at(PoolHeader.VERSION_OFFSET);
        set(PoolHeader.MAGIC_OFFSET, PoolHeader.MAGIC);
        set(PoolHeader.REGION_SIZE_OFFSET, view.regionSize);
        for (long size : new long[] {sizeFound, fileSize}) {
            set(PoolHeader.POOL_SIZE_OFFSET, size);
            set(PoolHeader.VERSION_OFFSET, PoolHeader.VERSION);
            if (fits() || turnOneBit()) {
                put();
                return true;
            }
        }
        if (!knownFit) {
            Superblock.check(path, view.file); // throws: not a pool, or more than one thing is wrong
        }
        set(PoolHeader.POOL_SIZE_OFFSET, grownFound() == 0 ? fileSize : sizeFound);
        set(PoolHeader.VERSION_OFFSET, versionFound);
        if (provesSeed(index)) {
            set(PoolHeader.CHECKSUM_OFFSET, PoolHeader.checksum((LongUnaryOperator) this::at));
            put();
            return true;
        }
        view.findings.lost(
                header,
                SUPERBLOCK,
                "a checksum that fits, or a seed that the index proves",
                "neither",
                "restore the pool from a copy: without its seed nothing is found by name");
        return false;
    }

    private long grownFound() {
        return pmem.get(header + PoolHeader.GROWN_OFFSET);
    }

    /** The size that the pool has grown to: all its regions are within, and its file has as much. */
    private void grown(Path path) throws PoolException {
        long grown = grownFound();
        long made = at(PoolHeader.POOL_SIZE_OFFSET);
        long fileSize = view.file.fileSize();
        long value = fileSize == made ? 0 : fileSize;
        boolean isSize = (grown - made) % view.regionSize == 0 && grown <= Integer.MAX_VALUE * view.regionSize;
        if (grown > fileSize && isSize && Long.bitCount(grown ^ value) > 1) {
            Superblock.check(path, view.file); // cut off: its message says so
        }
        boolean right = grown == 0
                ? view.end() <= made || view.file.backing() == Backing.PMDK
                : grown > made && grown <= fileSize && grown >= view.end();
        if (!right) {
            view.findings.damage(
                    header + PoolHeader.GROWN_OFFSET,
                    SUPERBLOCK,
                    "the size of the pool since it has grown, " + value,
                    Long.toString(grown),
                    "store the size of the file",
                    () -> view.store(header + PoolHeader.GROWN_OFFSET, value));
        }
    }

    private boolean turnOneBit() {
        for (long offset : GUARDED) {
            long found = at(offset);
            for (int bit = 0; bit < Long.SIZE; bit++) {
                set(offset, found ^ 1L << bit);
                if (fits()) {
                    return true;
                }
            }
            set(offset, found);
        }
        return false;
    }

    private boolean provesSeed(IndexView index) {
        int region = view.firstOf(RegionKind.ENTRY_SLOTS);
        Keys keys = new Keys(pmem, at(PoolHeader.SEED_OFFSET));
        return region >= 0
                && index.isUsable()
                && index.names(keys.ofEntry(EntryCheck.ROOT_PARENT, new Name()), view.regionAt(region));
    }

    private void put() {
        for (int i = 0; i < right.length; i++) {
            long at = header + 8L * i;
            long value = right[i];
            if (pmem.get(at) != value) {
                view.findings.damage(
                        at,
                        SUPERBLOCK,
                        "0x" + Long.toHexString(value),
                        "0x" + Long.toHexString(pmem.get(at)),
                        "store what the checksum and the rest of the pool prove",
                        () -> view.store(at, value));
            }
        }
    }

    private void state() {
        long unchecked = view.header + PoolHeader.UNCHECKED_OFFSET;
        if (pmem.get(unchecked) >>> 1 != 0) {
            view.findings.damage(
                    unchecked,
                    SUPERBLOCK,
                    "1, if it has still to be checked, or 0",
                    Long.toString(pmem.get(unchecked)),
                    "store 1",
                    () -> view.store(unchecked, 1));
        }
        long at = header + PoolHeader.STATE_OFFSET;
        long state = pmem.get(at);
        boolean repairing = state == PoolHeader.REPAIRING;
        if (state != 0 && state != PoolHeader.CLEAN && !(repairing && view.findings.repairs())) {
            view.findings.damage(
                    at,
                    SUPERBLOCK,
                    "a state of 0 or 1",
                    repairing ? "a repair that was cut short" : Long.toString(state),
                    repairing ? "repair the rest" : "store 0: not closed cleanly",
                    () -> view.store(at, PoolHeader.REPAIRING));
        }
    }
}
