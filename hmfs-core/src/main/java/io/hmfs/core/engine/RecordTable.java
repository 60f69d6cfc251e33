package io.hmfs.core.engine;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.TableRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The record table: lines of its own regions, a {@link TableRecord} each, for what must be as durable as the namespace and is found at
 * start without reading it (I6, I8): open leases, quotas, cuts under way. A region is taken on first use, or before, and another one when all
 * lines are in use. The caller knows each of its records by the offset, and clears it once. Thread-safe; {@link #put} and
 * {@link #clear} allocate nothing on the heap but for a longer list of free lines.
 */
public final class RecordTable {
    private static final int FREE_MIN = 64;

    /** What two records cannot both be about. */
    private record Subject(int kind, long key) {}

    /** Is shown records. */
    @FunctionalInterface
    public interface Visitor {
        /** {@code at}: the offset of the record, for {@link #clear}. */
        void record(long at, long key, long first, long second, long third);
    }

    private final Pmem pmem;
    private final Regions regions;
    private final Clock clock;

    // Guarded by this: lines that are free and have been in hand, and those of a new region, which have not.
    private long[] free = new long[FREE_MIN];
    private int freeCount;
    private long fresh = Pmem.NULL;
    private long freshEnd = Pmem.NULL;

    /** Reads the regions that a pool has; what they tell is durable on return. */
    public RecordTable(Pmem pmem, Regions regions, Clock clock) {
        this.pmem = pmem;
        this.regions = regions;
        this.clock = clock;
        Map<Subject, Long> found = new HashMap<>();
        List<Long> older = new ArrayList<>();
        boolean any = false;
        for (int i = regions.count() - 1; i >= 0; i--) {
            if (regions.kind(i) == RegionKind.RECORDS) {
                any |= read(regions.at(i), found, older);
            }
        }
        if (any) {
            // [record.3] † A process may have stored a record, or cleared one, and died before that was durable. It
            // holds from now: durable before an older one with its key goes.
            pmem.fence();
            older.forEach(this::clear);
            pmem.fence();
        }
    }

    /** Whether anything was written back. */
    private boolean read(long start, Map<Subject, Long> found, List<Long> older) {
        boolean any = false;
        for (long at = start + (perRegion() - 1) * TableRecord.SIZE; at >= start; at -= TableRecord.SIZE) {
            long state = TableRecord.state(pmem, at);
            if (state != 0 && !TableRecord.isWhole(pmem, at, state)) {
                throw new CorruptPoolException(at, "a record, or none", state);
            }
            if (state == 0) {
                push(at);
            } else if (TableRecord.isOnePerKey(TableRecord.kind(state))) {
                keep(found, at, state, older);
            }
            if (state != 0 || TableRecord.order(pmem, at) != 0) {
                pmem.writeBack(at, TableRecord.SIZE);
                any = true;
            }
        }
        return any;
    }

    private void keep(Map<Subject, Long> found, long at, long state, List<Long> older) {
        Subject subject = new Subject(TableRecord.kind(state), TableRecord.key(pmem, at));
        Long other = found.putIfAbsent(subject, at);
        if (other != null) {
            boolean newer = TableRecord.order(pmem, at) > TableRecord.order(pmem, other);
            found.put(subject, newer ? at : other);
            older.add(newer ? other : at);
        }
    }

    private long perRegion() {
        return regions.size() / TableRecord.SIZE;
    }

    private synchronized void push(long at) {
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * freeCount);
        }
        free[freeCount++] = at;
    }

    private synchronized long pop() {
        if (freeCount > 0) {
            return free[--freeCount];
        }
        if (fresh == freshEnd && !isRegionTaken()) {
            return Pmem.NULL;
        }
        long at = fresh;
        fresh += TableRecord.SIZE;
        return at;
    }

    /** Takes a region for records to come, if there is none yet and the pool has one left. */
    public synchronized void reserve() {
        if (regions.count(RegionKind.RECORDS) == 0) {
            isRegionTaken();
        }
    }

    private boolean isRegionTaken() {
        long region = regions.acquire(RegionKind.RECORDS);
        if (region != Pmem.NULL) {
            fresh = region;
            freshEnd = region + perRegion() * TableRecord.SIZE;
        }
        return region != Pmem.NULL;
    }

    /**
     * Adds a record and starts its write-back; durable after the thread's next fence. Returns its offset, or {@code Pmem.NULL} if all
     * lines are in use and the pool has no region left.
     */
    public long put(int kind, long key, long first, long second, long third) {
        long at = pop();
        if (at != Pmem.NULL) {
            TableRecord.fill(pmem, at, kind, key, first, second, third, clock.next());
            // [record.1]
            pmem.writeBack(at, TableRecord.SIZE);
        }
        return at;
    }

    /** Drops a record and starts the write-back; durable after the thread's next fence. */
    public void clear(long at) {
        TableRecord.clear(pmem, at);
        // [record.2]
        pmem.writeBack(at, TableRecord.SIZE);
        push(at);
    }

    /** Shows all records of a kind, in no order. Not while records are put or cleared. */
    public void each(int kind, Visitor visitor) {
        for (int i = 0; i < regions.count(); i++) {
            if (regions.kind(i) == RegionKind.RECORDS) {
                long end = regions.at(i) + perRegion() * TableRecord.SIZE;
                for (long at = regions.at(i); at < end; at += TableRecord.SIZE) {
                    long state = TableRecord.state(pmem, at);
                    if (state != 0 && TableRecord.kind(state) == kind) {
                        visitor.record(
                                at,
                                TableRecord.key(pmem, at),
                                TableRecord.first(pmem, at),
                                TableRecord.second(pmem, at),
                                TableRecord.third(pmem, at));
                    }
                }
            }
        }
    }
}
