package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/**
 * chmod, chown, append, truncate (HMFS §3.3.1): each one CAS on a 16-byte unit of the attributes line, under the reader lock of
 * the key, so that a rename, which holds the writer lock, copies attributes that stand still. Times are three units and take the
 * writer lock; so do changes that are numbered, whose record says what the unit will be.
 */
final class AttributeOps {
    private static final int KEEP = -1;

    /** In place of where an append's bytes were written from: the size may also shrink. */
    private static final long CUTS = Long.MIN_VALUE;

    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final ThreadLocal<Length> lengths = ThreadLocal.withInitial(Length::new);

    AttributeOps(Engine engine, Recovery recovery) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
    }

    /** What to do with an object that is found and locked. */
    interface Action {
        /** Null: another change came first; again. */
        @Nullable
        Status apply(AttributeOps ops, Change change, long at, long a, long b);
    }

    private static final Action CHMOD =
            (ops, change, at, mode, _) -> ops.recordOwner(change, at, OutcomeRecord.OF_MODE, KEEP, KEEP, (int) mode);
    private static final Action CHOWN = (ops, change, at, uid, gid) ->
            ops.recordOwner(change, at, OutcomeRecord.OF_OWNER, (int) uid, (int) gid, KEEP);
    private static final Action SET_TIMES = AttributeOps::changeTimes;
    private static final Action APPEND =
            (ops, change, at, id, size) -> ops.grow(change, at, id, size, AppendBatch.UNKNOWN);
    private static final Action TRUNCATE = (ops, change, at, size, _) -> ops.resize(change, at, size, CUTS);

    Status chmod(long parent, Name name, int mode, Change change) {
        return mode < 0 || mode > Ctime.MODE_MAX
                ? Status.INVALID_ARGUMENT
                : change(parent, name, change, CHMOD, mode, 0);
    }

    Status chown(long parent, Name name, int uid, int gid, Change change) {
        return uid >= KEEP && gid >= KEEP ? change(parent, name, change, CHOWN, uid, gid) : Status.INVALID_ARGUMENT;
    }

    Status setTimes(long parent, Name name, long mtime, long atime, Change change) {
        return mtime < KEEP || atime < KEEP
                ? Status.INVALID_ARGUMENT
                : change(parent, name, change, SET_TIMES, true, mtime, atime);
    }

    Status append(long parent, Name name, long id, long size, Change change) {
        return isSize(size) ? change(parent, name, change, APPEND, id, size) : Status.INVALID_ARGUMENT;
    }

    /** An append of a batch to a file of several names. */
    Status append(AppendBatch batch, int number) {
        long from = batch.writtenFrom(number);
        Action action = (ops, change, at, id, size) -> ops.grow(change, at, id, size, from);
        return change(
                batch.directory(number),
                batch.name(number),
                batch.change(number),
                action,
                batch.id(number),
                batch.length(number));
    }

    Status truncate(long parent, Name name, long size, Change change) {
        return isSize(size) ? change(parent, name, change, TRUNCATE, size, 0) : Status.INVALID_ARGUMENT;
    }

    static boolean isSize(long size) {
        return size >= 0 && size <= Attributes.SIZE_MAX;
    }

    /** An action that is alone on the object, by where its attributes stand. */
    @FunctionalInterface
    interface Alone {
        Status apply(long at);
    }

    Status changeAlone(long parent, Name name, Alone action) {
        return change(parent, name, Change.NONE, (_, _, at, _, _) -> action.apply(at), true, 0, 0);
    }

    Status change(long parent, Name name, Change change, Action action, long a, long b) {
        return change(parent, name, change, action, change.isRecorded(), a, b);
    }

    private Status change(long parent, Name name, Change change, Action action, boolean asksAlone, long a, long b) {
        if (name.isOrphans()) {
            return Status.NOT_FOUND;
        }
        boolean alone = asksAlone;
        long hash = engine.keys.ofEntry(parent, name);
        int lock = engine.locks.of(hash);
        int inodeLock = -1;
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                lock(lock, inodeLock, alone);
                long at = engine.findLocked(hash, parent, name);
                int needed = at > 0 ? inodeLockOf(at) : -1;
                boolean held = needed < 0 || (alone && (needed == inodeLock || needed == lock));
                @Nullable
                Status status = at > 0 && held
                        ? action.apply(this, change, engine.inodes.attributesOf(at), a, b)
                        : Status.NOT_FOUND;
                unlock(lock, inodeLock, alone);
                if (at == Engine.DAMAGED) {
                    return Status.DAMAGED;
                }
                if (at < 0) {
                    recovery.recover(-at);
                } else if (held && status != null) {
                    return status;
                } else if (!held) {
                    inodeLock = needed;
                    alone = true;
                }
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Two names have two locks: as one of them may have to be alone on the object, each is, and takes that of the inode too. */
    private int inodeLockOf(long at) {
        boolean indirect = EntryRecord.isIndirect(EntryRecord.status(pmem, at));
        return indirect ? engine.inodes.lockOf(EntryRecord.id(pmem, at)) : -1;
    }

    private void lock(int lock, int inodeLock, boolean alone) {
        if (!alone) {
            engine.locks.lockRead(lock);
        } else if (inodeLock < 0) {
            engine.locks.lockWrite(lock);
        } else {
            engine.locks.lockWriteAll(new int[] {lock, inodeLock});
        }
    }

    private void unlock(int lock, int inodeLock, boolean alone) {
        if (!alone) {
            engine.locks.unlockRead(lock);
        } else if (inodeLock < 0) {
            engine.locks.unlockWrite(lock);
        } else {
            engine.locks.unlockWriteAll(new int[] {Math.min(lock, inodeLock), Math.max(lock, inodeLock)});
        }
    }

    /** The time of change alone, durable on return; for what changes an object elsewhere. The caller holds the key's lock. */
    void touch(long at) {
        touch(at, engine.clock.next());
    }

    void touch(long at, long time) {
        changeOwner(at, time, KEEP, KEEP, KEEP);
    }

    /** The ctime word that a change at this time will give the object, if the caller is alone on it; but for mode and mark. */
    long nextCtime(long at, long time) {
        long before = pmem.getAcquire(at + EntryRecord.CTIME_OFFSET);
        return Ctime.next(before, time, Ctime.mode(before));
    }

    /** The mode alone, durable on return. The caller has {@link #settleMode}d, and holds the key's lock. */
    void setMode(long at, long time, int mode) {
        changeOwner(at, time, KEEP, KEEP, mode);
    }

    /**
     * [acl.5] † A mode that a change of an ACL has left in the links word, when a crash cut it off, goes where it belongs before the unit
     * changes: else that mode would win over a later one. Others may do the same meanwhile, and go on.
     */
    void settleMode(long at) {
        long links = EntryRecord.links(pmem, at);
        while (EntryRecord.form(links) == EntryRecord.LINKS_WITH_MODE) {
            long before = pmem.getAcquire(at + EntryRecord.CTIME_OFFSET);
            long owner = pmem.getAcquire(at + EntryRecord.OWNER_OFFSET);
            long ctime = Ctime.next(before, engine.clock.next(), EntryRecord.mode(links));
            long marked = ctime | (engine.marksDirty ? Ctime.DIRTY : 0);
            // The same links after the look at the unit: a change that came after it has moved the unit on.
            if (EntryRecord.links(pmem, at) == links
                    && pmem.cas16(at + EntryRecord.CTIME_OFFSET, before, owner, marked, owner)) {
                // Mark and line are left to the change that follows at once.
                pmem.cas8(at + EntryRecord.LINKS_OFFSET, links, EntryRecord.settled(links));
            }
            links = EntryRecord.links(pmem, at);
        }
    }

    private Status recordOwner(Change change, long at, int kind, int uid, int gid, int mode) {
        settleMode(at);
        long time = engine.clock.next();
        if (change.isRecorded()) {
            engine.outcomes.changes(change, OutcomeRecord.shown(OutcomeRecord.OWNED, kind), at, nextCtime(at, time));
        }
        return changeOwner(at, time, uid, gid, mode);
    }

    private Status changeOwner(long at, long time, int uid, int gid, int mode) {
        long marked;
        long after;
        for (; ; ) {
            long before = pmem.getAcquire(at + EntryRecord.CTIME_OFFSET);
            long owner = pmem.getAcquire(at + EntryRecord.OWNER_OFFSET);
            after = Owner.of(uid == KEEP ? Owner.uid(owner) : uid, gid == KEEP ? Owner.gid(owner) : gid);
            long ctime = Ctime.next(before, time, mode == KEEP ? Ctime.mode(before) : mode);
            marked = engine.marksDirty ? ctime | Ctime.DIRTY : ctime;
            // [attr.1] The commit: owner, group, mode and ctime are one unit.
            if (pmem.cas16(at + EntryRecord.CTIME_OFFSET, before, owner, marked, after)) {
                break;
            }
        }
        // [attr.2]
        pmem.persist(at + EntryRecord.CTIME_OFFSET, 16);
        if (engine.marksDirty) {
            pmem.cas16(at + EntryRecord.CTIME_OFFSET, marked, after, marked & ~Ctime.DIRTY, after);
        }
        return Status.OK;
    }

    private Status changeTimes(Change change, long at, long mtime, long atime) {
        if (mtime == KEEP && atime == KEEP) {
            return Status.OK;
        }
        long time = engine.clock.next();
        long changed = Ctime.time(nextCtime(at, time)); // both times show at once, though they are two units
        engine.clock.advance(changed); // it may lie ahead; from here on it counts as issued
        engine.outcomes.times(change, at, changed, mtime, atime);
        long set = pmem.get(at + EntryRecord.OVERRIDE_OFFSET);
        long marked = pmem.get(at + EntryRecord.SET_AT_OFFSET);
        long setAt = marked & ~EntryRecord.SET_AT_DIRTY;
        long mark = engine.marksDirty ? EntryRecord.SET_AT_DIRTY : 0;
        if (atime != KEEP) {
            // [times.1] I2: the mark before the time that it is for.
            pmem.setRelease(at + EntryRecord.SET_AT_OFFSET, setAt | mark);
            pmem.setRelease(at + EntryRecord.ATIME_OFFSET, atime);
            marked = setAt | mark;
        }
        if (mtime != KEEP) {
            // [times.2] The override pair, never the protocol's own mtime. No other thread writes it: the lock is a
            // writer's.
            setAt = changed;
            pmem.cas16(at + EntryRecord.OVERRIDE_OFFSET, set, marked, mtime, setAt | mark);
        }
        // [times.3] The ctime tells that all is done: it is in the same line, stored last; durable on return.
        touch(at, time);
        pmem.setRelease(at + EntryRecord.SET_AT_OFFSET, setAt);
        return Status.OK;
    }

    private static boolean isSymlink(long status) {
        int kind = EntryRecord.kind(status);
        return (kind == EntryRecord.KIND_INODE ? EntryRecord.object(status) : kind) == EntryRecord.KIND_SYMLINK;
    }

    private Status grow(Change change, long at, long id, long size, long writtenFrom) {
        return EntryRecord.id(pmem, at) == id ? resize(change, at, size, writtenFrom) : Status.STALE;
    }

    private Status resize(Change change, long at, long size, long writtenFrom) {
        Status status = checkFile(at);
        if (status == Status.OK) {
            Length length = lengths.get();
            long time = engine.clock.next();
            int kind = writtenFrom == CUTS ? OutcomeRecord.TRUNCATED : OutcomeRecord.APPENDED;
            engine.outcomes.changes(change, OutcomeRecord.shown(OutcomeRecord.RESIZED, kind), at, time);
            store(at, size, writtenFrom, time, length);
            // [append.2]
            pmem.persist(at + EntryRecord.MTIME_OFFSET, 16);
            settle(length);
        }
        return status;
    }

    /** What an append has stored. */
    static final class Length {
        private long at;
        private long mtime;
        private long stored;
    }

    /** Whether an append would be executed, as things are. */
    Status mayGrow(long at, long id) {
        return EntryRecord.id(pmem, at) == id ? checkFile(at) : Status.STALE;
    }

    /** An append that {@link #mayGrow}, as far as its commit, written back and not fenced. The caller holds the key's lock. */
    void growBy(long at, long size, long writtenFrom, long time, Length out) {
        store(at, size, writtenFrom, time, out);
        // [append.2] The fence is the batch's.
        pmem.writeBack(at + EntryRecord.MTIME_OFFSET, 16);
    }

    private Status checkFile(long at) {
        if (EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_DIRECTORY) {
            return Status.IS_DIRECTORY;
        }
        return isSymlink(EntryRecord.status(pmem, at)) ? Status.INVALID_ARGUMENT : Status.OK;
    }

    private void store(long at, long size, long writtenFrom, long time, Length out) {
        long stored;
        long mtime;
        for (; ; ) {
            long before = pmem.getAcquire(at + EntryRecord.MTIME_OFFSET);
            long length = pmem.getAcquire(at + EntryRecord.LENGTH_OFFSET);
            long after = after(length, size, writtenFrom);
            stored = engine.marksDirty ? after | EntryRecord.LENGTH_DIRTY : after;
            mtime = Math.max(time, before);
            // [append.1] The commit: size and mtime are one unit.
            if (pmem.cas16(at + EntryRecord.MTIME_OFFSET, before, length, mtime, stored)) {
                break;
            }
        }
        out.at = at;
        out.mtime = mtime;
        out.stored = stored;
    }

    /** The length word to be, without the mark: what it says of the bytes below the size changes with the size, or stays. */
    private static long after(long length, long size, long writtenFrom) {
        long present = EntryRecord.size(length);
        if (size > present) {
            return EntryRecord.grown(length, size, writtenFrom);
        }
        return EntryRecord.cut(length, writtenFrom == CUTS ? size : present);
    }

    /** Takes off the mark of what is durable, unless another thread has stored something else since. */
    void settle(Length length) {
        if (engine.marksDirty) {
            long at = length.at;
            long mtime = length.mtime;
            long stored = length.stored;
            pmem.cas16(at + EntryRecord.MTIME_OFFSET, mtime, stored, mtime, stored & ~EntryRecord.LENGTH_DIRTY);
        }
    }
}
