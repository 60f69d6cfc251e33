package io.hmfs.core;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.engine.RecordTable;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.TableRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/** {@link Records} of an open pool. */
final class PoolRecords implements Records {
    private static final int CANDIDATES = 64;

    private final Namespace namespace;
    private final OperationGuard guard;
    private final Engine engine;
    private final RecordTable table;

    /** How many regions the pool had when there was neither a line nor a region to be had; 0 if that is not known. */
    private volatile int fullAt;

    PoolRecords(Namespace namespace, OperationGuard guard, Engine engine, RecordTable table) {
        this.namespace = namespace;
        this.guard = guard;
        this.engine = engine;
        this.table = table;
    }

    private static int code(Kind kind) {
        return switch (kind) {
            case LEASE -> TableRecord.LEASE;
            case QUOTA -> TableRecord.QUOTA;
            case CUT -> TableRecord.CUT;
            case GRANT_EPOCH -> TableRecord.GRANT_EPOCH;
        };
    }

    @Override
    public long put(Kind kind, long key, long first, long second, long third) {
        long at = putOnce(kind, key, first, second, third);
        int regions = engine.regions.max();
        if (at == NONE && fullAt != regions) {
            // No sweep frees a region: a pool that may grow is made larger, and else this is remembered until it may
            // be otherwise.
            guard.grow();
            regions = engine.regions.max();
            at = putOnce(kind, key, first, second, third);
            fullAt = at == NONE ? regions : 0;
        }
        return at;
    }

    private long putOnce(Kind kind, long key, long first, long second, long third) {
        guard.check();
        int pin = engine.epochs.pin();
        try {
            return table.put(code(kind), key, first, second, third);
        } catch (RuntimeException | Error e) {
            guard.failStop(e);
            throw e;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public void clear(long at) {
        if (at == NONE) {
            return;
        }
        guard.check();
        int pin = engine.epochs.pin();
        try {
            table.clear(at);
            fullAt = 0;
        } catch (RuntimeException | Error e) {
            guard.failStop(e);
            throw e;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public void fence() {
        guard.check();
        try {
            fencePinned();
            guard.awaitDurable();
        } catch (RuntimeException | Error e) {
            guard.failStop(e);
            throw e;
        }
    }

    /** Not longer than it takes: what waits for the log holds no slot back. */
    private void fencePinned() {
        int pin = engine.epochs.pin();
        try {
            engine.pmem.fence();
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public void each(Kind kind, Visitor visitor) {
        guard.check();
        int pin = engine.epochs.pin();
        try {
            table.each(code(kind), visitor::record);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public long hash(long directory, Name name) {
        return engine.keys.ofEntry(directory, name);
    }

    @Override
    public boolean find(long directory, long hash, long inode, Name name, Attributes out) {
        guard.check();
        long[] seen = new long[CANDIDATES];
        int count = candidates(hash, seen);
        for (int i = 0; i < count; i++) {
            if (isNameIn(directory, seen[i], name)
                    && namespace.stat(directory, name, out) == Status.OK
                    && out.id == inode) {
                return true;
            }
        }
        return false;
    }

    private int candidates(long hash, long[] seen) {
        int pin = engine.epochs.pin();
        try {
            return engine.index.candidates(hash, seen);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Whether an entry of the directory stands there; if so, copies its name. */
    private boolean isNameIn(long directory, long at, Name name) {
        Pmem pmem = engine.pmem;
        int pin = engine.epochs.pin();
        try {
            long status = EntryRecord.status(pmem, at);
            if (!EntryRecord.isEntry(status) || EntryRecord.parent(pmem, at) != directory) {
                return false;
            }
            EntryRecord.name(pmem, at, status, name);
            return true;
        } finally {
            engine.epochs.unpin(pin);
        }
    }
}
