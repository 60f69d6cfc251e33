package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.Arrays;

/**
 * The path of an object from its id: up from the content through the access object to the parent, and so on. Renames go on
 * meanwhile; two climbs in a row that meet the same access objects say that all of them stood there in the instant between.
 */
final class PathOp {
    /** Most directories above one whose ids are told. */
    private static final int DEPTH_MAX = 1 << 20;

    /** Most directories of a path that is told: no client can send a longer path to a server. */
    private static final int PATH_DEPTH_MAX = 4096;

    /** Slots that are looked at under one pin. */
    private static final int SLOTS_PER_PIN = 1 << 10;

    private static final long ROOT_ID = 1;
    private static final long[] NOTHING = {};

    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;

    PathOp(Engine engine, Recovery recovery) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
    }

    /** The path of a directory. */
    Status ofDirectory(long id, StringBuilder out) {
        int pin = engine.epochs.pin();
        try {
            return climb(id, Pmem.NULL, out);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** The ids of a directory and of those above it, up to the root; none if there is no such directory, or the way up is damaged. */
    long[] above(long directory) {
        int pin = engine.epochs.pin();
        try {
            Trace before = new Trace(directory, DEPTH_MAX);
            for (; ; ) {
                Trace after = new Trace(directory, DEPTH_MAX);
                if (after.isSame(before)) {
                    return after.status == Status.OK ? after.ids() : NOTHING;
                }
                before = after;
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** The path of a file that stands in this directory, by a walk over its list. */
    Status ofChild(long directory, long id, StringBuilder out) {
        int pin = engine.epochs.pin();
        try {
            long content = recovery.openContent(directory);
            if (content == Pmem.NULL) {
                return Status.NO_SUCH_DIRECTORY;
            }
            long at = DirContentRecord.childHead(pmem, content);
            while (at != Pmem.NULL && at != DirContentRecord.CLOSED) {
                if (isFile(at, id) && climb(directory, at, out) == Status.OK) {
                    return Status.OK;
                }
                at = EntryRecord.sibling(pmem, at);
            }
            return Status.NOT_FOUND;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** The path of anything, by a walk over all slots. */
    Status find(long id, StringBuilder out) {
        Status asDirectory = ofDirectory(id, out);
        if (asDirectory != Status.NO_SUCH_DIRECTORY) {
            return asDirectory;
        }
        for (int i = 0; i < engine.regions.count(); i++) {
            RegionKind kind = engine.regions.kind(i);
            if (kind == RegionKind.ENTRY_SLOTS || kind == RegionKind.LONG_ENTRY_SLOTS) {
                long start = engine.regions.at(i);
                long end = start + engine.regions.size() / kind.slotSize() * kind.slotSize();
                long step = SLOTS_PER_PIN * kind.slotSize();
                for (long at = start; at < end; at += step) {
                    if (findIn(at, Math.min(at + step, end), kind.slotSize(), id, out)) {
                        return Status.OK;
                    }
                }
            }
        }
        return Status.NOT_FOUND;
    }

    private boolean findIn(long start, long end, long size, long id, StringBuilder out) {
        int pin = engine.epochs.pin();
        try {
            for (long at = start; at < end; at += size) {
                if (isFile(at, id) && climb(EntryRecord.parent(pmem, at), at, out) == Status.OK) {
                    return true;
                }
            }
            return false;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    private boolean isFile(long at, long id) {
        long status = EntryRecord.status(pmem, at);
        if (EntryRecord.state(status) == SlotState.FREE
                || !EntryRecord.isEntry(status)
                || EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY
                || EntryRecord.id(pmem, at) != id
                || engine.isDamaged(at, status)) {
            return false;
        }
        if (engine.isStale(at, status)) {
            recovery.recover(at);
        }
        return engine.isThere(at);
    }

    /** Appends the path of a directory, and of the child in it unless that is NULL; nothing if it is not OK. */
    private Status climb(long directory, long child, StringBuilder out) {
        Trace before = new Trace(directory, PATH_DEPTH_MAX);
        for (; ; ) {
            boolean there = child == Pmem.NULL || engine.isThere(child);
            Trace after = new Trace(directory, PATH_DEPTH_MAX);
            if (!there) {
                return Status.NOT_FOUND;
            }
            if (after.isSame(before)) {
                if (after.status == Status.OK) {
                    after.append(out, child);
                }
                return after.status;
            }
            before = after;
        }
    }

    /** The access objects from a directory up to the root, as one climb met them. */
    private final class Trace {
        private long[] met = new long[16];
        private int depth;
        final Status status;

        Trace(long directory, int depthMax) {
            this.status = climb(directory, depthMax);
        }

        private Status climb(long directory, int depthMax) {
            for (long id = directory; id != ROOT_ID; ) {
                long access = accessOf(id);
                if (access == Pmem.NULL || access == Engine.DAMAGED) {
                    return access == Pmem.NULL ? Status.NO_SUCH_DIRECTORY : Status.DAMAGED;
                }
                if (depth == depthMax) {
                    return Status.NAME_TOO_LONG;
                }
                met = depth == met.length ? Arrays.copyOf(met, 2 * depth) : met;
                met[depth++] = access;
                id = EntryRecord.parent(pmem, access);
            }
            return Status.OK;
        }

        boolean isSame(Trace other) {
            return status == other.status && Arrays.equals(met, 0, depth, other.met, 0, other.depth);
        }

        long[] ids() {
            long[] ids = new long[depth + 1];
            for (int i = 0; i < depth; i++) {
                ids[i] = EntryRecord.id(pmem, met[i]);
            }
            ids[depth] = ROOT_ID;
            return ids;
        }

        void append(StringBuilder out, long child) {
            Name name = new Name();
            for (int i = depth - 1; i >= 0; i--) {
                append(out, met[i], name);
            }
            if (child != Pmem.NULL) {
                append(out, child, name);
            } else if (depth == 0) {
                out.append('/');
            }
        }

        private void append(StringBuilder out, long at, Name name) {
            EntryRecord.name(pmem, at, EntryRecord.status(pmem, at), name);
            out.append('/').append(name);
        }
    }

    /** Where a directory stands now; NULL: there is none with this id; {@link Engine#DAMAGED}: what says so is not believed. */
    private long accessOf(long id) {
        for (; ; ) {
            long content = engine.findContent(id);
            if (content == Pmem.NULL) {
                return Pmem.NULL;
            }
            long told = DirContentRecord.access(pmem, content);
            long access = told;
            long status = EntryRecord.status(pmem, access);
            // What has moved leads to where it went; the content is told in a moment, or was not told before a crash.
            while (hasLeft(access, status)) {
                access = EntryRecord.link(pmem, access);
                status = EntryRecord.status(pmem, access);
            }
            if (engine.isStale(access, status)) {
                recovery.recover(access);
                continue;
            }
            boolean ours = EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY && EntryRecord.id(pmem, access) == id;
            if (ours && engine.isThere(access)) {
                return engine.isDamaged(access, status) ? Engine.DAMAGED : access;
            }
            boolean same = engine.findContent(id) == content && DirContentRecord.access(pmem, content) == told;
            if (same && !(ours && hasLeft(access, EntryRecord.status(pmem, access)))) {
                return engine.isDamaged(access, status) ? Engine.DAMAGED : Pmem.NULL;
            }
            engine.locks.awaitOthers();
        }
    }

    private boolean hasLeft(long access, long status) {
        long successor = EntryRecord.link(pmem, access);
        return switch (EntryRecord.state(status)) {
            case SlotState.DELETED -> successor != Pmem.NULL;
            case SlotState.MOVING ->
                !engine.isStale(access, status)
                        && EntryRecord.state(pmem, successor) != SlotState.CREATING
                        && EntryRecord.status(pmem, access) == status;
            default -> false;
        };
    }
}
