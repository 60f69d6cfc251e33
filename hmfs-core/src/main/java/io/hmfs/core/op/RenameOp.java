package io.hmfs.core.op;

import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.InodeRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * rename on one server without a log: the link of the successor N into the target directory is the commit, and a crash asks one
 * question, is N on the target's list? O is the object that moves, T one that is replaced. Four fences; one more for a moving or
 * replaced name of a file with several names, which moves as a name: its inode stays.
 */
final class RenameOp {
    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final AttributeReader reader;
    private final AttributeOps attributes;
    private final DirectoryCloser closer;
    private final Ancestry ancestry;

    /** One directory moves at a time, so that the loop check and the move are one step. */
    private final ReentrantLock directoryMoves = new ReentrantLock();

    RenameOp(
            Engine engine,
            ChildList lists,
            Recovery recovery,
            AttributeReader reader,
            AttributeOps attributes,
            DirectoryCloser closer) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.reader = reader;
        this.attributes = attributes;
        this.closer = closer;
        this.ancestry = new Ancestry(engine);
    }

    Status run(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced) {
        Status valid = sourceName.check() != Status.OK ? sourceName.check() : targetName.check();
        if (valid != Status.OK) {
            return valid;
        }
        Move move = new Move(source, sourceName, target, targetName, replace, change, replaced);
        replaced.id = 0;
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                Status status = attempt(move);
                if (status != null) {
                    return status;
                }
            }
        } finally {
            if (directoryMoves.isHeldByCurrentThread()) {
                LockOrder.released(LockRank.DIRECTORY_MOVE, 0);
                directoryMoves.unlock();
            }
            engine.epochs.unpin(pin);
        }
    }

    /** One rename's arguments and what was found for them. */
    private final class Move {
        final long source;
        final Name sourceName;
        final long target;
        final Name targetName;
        final boolean replace;
        final Change change;
        final Attributes replaced;
        final long sourceHash;
        final long targetHash;
        long sourceContent;
        long targetContent;
        long moving;
        long victim;

        /** The content of a directory that is replaced, closed; or NULL. */
        long victimContent;

        /** The inode of a victim that is one of several names, and its lock; NULL and -1 if it is not. */
        long victimInode;

        int inodeLock = -1;

        /** Whether one of the two names has a record that is not believed. */
        boolean damaged;

        /** An object that was met on the way and that must be recovered first, or NULL. */
        long stale;

        Move(
                long source,
                Name sourceName,
                long target,
                Name targetName,
                boolean replace,
                Change change,
                Attributes replaced) {
            this.source = source;
            this.sourceName = sourceName;
            this.target = target;
            this.targetName = targetName;
            this.replace = replace;
            this.change = change;
            this.replaced = replaced;
            this.sourceHash = engine.keys.ofEntry(source, sourceName);
            this.targetHash = engine.keys.ofEntry(target, targetName);
        }

        boolean isToItself() {
            return source == target
                    && sourceHash == targetHash
                    && sourceName.toString().equals(targetName.toString());
        }
    }

    /** Null: something had to be settled first; try again. */
    private @Nullable Status attempt(Move move) {
        move.sourceContent = recovery.openContent(move.source);
        move.targetContent = recovery.openContent(move.target);
        if (move.sourceContent == Pmem.NULL || move.targetContent == Pmem.NULL) {
            return Status.NO_SUCH_DIRECTORY;
        }
        int[] locks = {engine.locks.of(move.sourceHash), engine.locks.of(move.targetHash), move.inodeLock};
        engine.locks.lockWriteAll(locks);
        long stale = find(move);
        Status status = move.damaged ? Status.DAMAGED : null;
        boolean needsMoveLock = false;
        if (stale == Pmem.NULL && !move.damaged && holdsInodeLock(move)) {
            needsMoveLock = isDirectory(move.moving) && !directoryMoves.isHeldByCurrentThread();
            status = needsMoveLock ? null : renameLocked(move);
            stale = move.stale;
        }
        engine.locks.unlockWriteAll(locks);
        if (stale != Pmem.NULL) {
            recovery.recover(stale);
        } else if (needsMoveLock) {
            LockOrder.waiting(LockRank.DIRECTORY_MOVE, 0);
            directoryMoves.lock();
            LockOrder.taken(LockRank.DIRECTORY_MOVE, 0);
        } else if (status == Status.NO_SUCH_DIRECTORY && recovery.awaitClosed(move.target)) {
            return null;
        }
        return status;
    }

    /** False: now it is known which lock that is; try again. */
    private boolean holdsInodeLock(Move move) {
        if (!isIndirect(move.victim)) {
            return true;
        }
        int needed = engine.inodes.lockOf(EntryRecord.id(pmem, move.victim));
        boolean held = needed == move.inodeLock;
        move.inodeLock = needed;
        return held;
    }

    private boolean isIndirect(long at) {
        return at != Pmem.NULL && EntryRecord.isIndirect(EntryRecord.status(pmem, at));
    }

    private boolean isDirectory(long at) {
        return at != Pmem.NULL && EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_DIRECTORY;
    }

    /** Looks both names up; an object that needs recovery first, or NULL. */
    private long find(Move move) {
        move.moving = engine.findLocked(move.sourceHash, move.source, move.sourceName);
        move.damaged = move.moving == Engine.DAMAGED;
        if (move.moving < 0) {
            return move.damaged ? Pmem.NULL : -move.moving;
        }
        move.victim = engine.findLocked(move.targetHash, move.target, move.targetName);
        move.damaged = move.victim == Engine.DAMAGED;
        return move.victim < 0 && !move.damaged ? -move.victim : Pmem.NULL;
    }

    /** Null: {@code move.stale} must be recovered first. */
    private @Nullable Status renameLocked(Move move) {
        move.stale = Pmem.NULL;
        if (move.moving == Pmem.NULL) {
            return Status.NOT_FOUND;
        }
        if (move.isToItself()) {
            return Status.OK;
        }
        boolean directory = isDirectory(move.moving);
        if (directory) {
            long met = ancestry.climb(move.target, EntryRecord.id(pmem, move.moving));
            if (met == Ancestry.MET || met == Engine.DAMAGED) {
                return met == Ancestry.MET ? Status.LOOP : Status.DAMAGED;
            }
            move.stale = met;
            if (met != Pmem.NULL) {
                return null;
            }
        }
        if (move.victim != Pmem.NULL) {
            if (!move.replace) {
                return Status.EXISTS;
            }
            if (directory != isDirectory(move.victim)) {
                return directory ? Status.NOT_DIRECTORY : Status.IS_DIRECTORY;
            }
            if (isIndirect(move.victim) && EntryRecord.id(pmem, move.victim) == EntryRecord.id(pmem, move.moving)) {
                return Status.OK; // two names of one file: nothing to do (POSIX)
            }
        }
        if (!takeUpNames(move)) {
            return null;
        }
        Status closed = closeVictim(move, directory);
        if (closed != Status.OK) {
            return closed;
        }
        Status status = move(move, directory);
        if (status != Status.OK) {
            // [rename.11] After O and T are NORMAL durably, as in the undoing of an rmdir.
            recovery.reopen(move.victimContent);
        }
        return status;
    }

    /** [rename.0] As rmdir does: nothing gets linked below T any more, or the rename ends here. */
    private @Nullable Status closeVictim(Move move, boolean directory) {
        move.victimContent = Pmem.NULL;
        if (!directory || move.victim == Pmem.NULL) {
            return Status.OK;
        }
        long content = engine.findContent(EntryRecord.id(pmem, move.victim));
        long[] stale = new long[1];
        Status closed = content == Pmem.NULL ? Status.OK : closer.close(content, stale);
        move.victimContent = closed == Status.OK ? content : Pmem.NULL;
        move.stale = stale[0];
        return closed;
    }

    /** What an earlier start left in flight of these names counts before they go another way. False: see {@code move.stale}. */
    private boolean takeUpNames(Move move) {
        engine.inodes.release(move.moving);
        move.victimInode = isIndirect(move.victim) ? engine.inodes.of(move.victim) : Pmem.NULL;
        move.stale = move.victimInode == Pmem.NULL ? Pmem.NULL : engine.inodes.takeUp(move.victimInode);
        return move.stale == Pmem.NULL;
    }

    private Status move(Move move, boolean directory) {
        SlotAllocator slots = engine.slotsFor(EntryRecord.sizeFor(move.targetName.length()));
        long successor = slots.allocate();
        if (successor == Pmem.NULL) {
            return Status.NO_SPACE;
        }
        long time = engine.clock.next();
        if (move.victim != Pmem.NULL) {
            reader.read(move.victim, EntryRecord.status(pmem, move.victim), move.replaced);
        }
        if (!fill(move, successor, time)) {
            move.replaced.id = 0;
            engine.retire(successor, slots);
            return Status.NO_SPACE;
        }
        leave(move, successor, time);
        // [rename.4] The commit.
        if (!lists.link(move.targetContent, successor, time)) {
            undo(move, successor, slots);
            return Status.NO_SUCH_DIRECTORY;
        }
        move.replaced.nlink = 0;
        settle(move, directory, successor);
        if (move.victimContent != Pmem.NULL) {
            engine.dropContent(move.victimContent, EntryRecord.id(pmem, move.victim)); // after DELETED, as in rmdir
        }
        engine.dead.died(pmem, move.source, move.sourceContent);
        if (move.victim != Pmem.NULL) {
            engine.dead.died(pmem, move.target, move.targetContent);
        }
        return Status.OK;
    }

    private boolean fill(Move move, long successor, long time) {
        int kind = EntryRecord.kind(EntryRecord.status(pmem, move.moving));
        long id = EntryRecord.id(pmem, move.moving);
        int check = EntryRecord.check(move.targetHash, id);
        EntryRecord.init(pmem, successor, kind, id, check, move.target, move.targetName, time, 0, 0);
        if (move.victim != Pmem.NULL) {
            EntryRecord.markTookPlace(pmem, successor);
        }
        // The writer lock holds chmod, append and the like off: what is copied stands still.
        EntryRecord.copyAttributes(pmem, move.moving, successor);
        long before = pmem.get(successor + EntryRecord.CTIME_OFFSET);
        pmem.set(successor + EntryRecord.CTIME_OFFSET, Ctime.next(before, time, Ctime.mode(before)));
        // N gets a chain of its own: a chain has one owner all its life. That of a name among several is its inode's.
        if (isIndirect(move.moving)) {
            EntryRecord.clearChain(pmem, successor);
        } else if (!engine.chains.copy(move.moving, successor)) {
            return false;
        }
        pmem.setRelease(successor + EntryRecord.LINK_OFFSET, move.moving);
        pmem.writeBack(successor, EntryRecord.filledSize(move.targetName.length()));
        if (!engine.index.insert(move.targetHash, successor)) {
            return false;
        }
        if (move.victimInode != Pmem.NULL) {
            // [rename.9] Whether T counts as a name follows from its state from here on.
            engine.inodes.launch(move.victimInode, move.victim, InodeRecord.LEAVING);
        }
        boolean removes = move.victim != Pmem.NULL
                && move.replaced.nlink == 1
                && !move.replaced.isSymlink()
                && !move.replaced.isDirectory();
        engine.outcomes.moved(move.change, successor, removes ? move.replaced.id : 0, removes ? move.replaced.size : 0);
        // [rename.1] N and its link are durable before O points at it: a successor that does not point back is not
        // ours.
        pmem.fence();
        return true;
    }

    /** O and T say where they go. Written back with link's first fence. */
    private void leave(Move move, long successor, long time) {
        // [rename.2] † The link, then the state, in one line.
        pmem.setRelease(move.moving + EntryRecord.LINK_OFFSET, successor);
        engine.setFate(move.moving, SlotState.MOVING, time);
        pmem.writeBack(move.moving, Pmem.LINE);
        if (move.victim != Pmem.NULL) {
            // [rename.3]
            pmem.setRelease(move.victim + EntryRecord.LINK_OFFSET, successor);
            engine.setFate(move.victim, SlotState.REPLACED, time);
            pmem.writeBack(move.victim, Pmem.LINE);
        }
    }

    private void settle(Move move, boolean directory, long successor) {
        EntryRecord.setState(pmem, successor, SlotState.NORMAL);
        pmem.writeBack(successor, Pmem.LINE);
        if (directory) {
            long content = engine.findContent(EntryRecord.id(pmem, successor));
            pmem.setRelease(content + DirContentRecord.ACCESS_OFFSET, successor);
            pmem.writeBack(content, DirContentRecord.SIZE);
        }
        // [rename.12] † Its data is the successor's from here on: one store says so, and that it is DELETED.
        engine.buryFor(move.moving, successor);
        pmem.writeBack(move.moving, Pmem.LINE);
        if (move.victim != Pmem.NULL) {
            engine.buryFor(move.victim, successor);
            pmem.writeBack(move.victim, Pmem.LINE);
        }
        lists.raise(move.sourceContent, EntryRecord.birth(pmem, successor));
        // [rename.5] Durable before the index forgets the old names and N forgets its origin.
        pmem.fence();
        // [rename.6] †
        engine.index.remove(move.sourceHash, move.moving);
        if (move.victim != Pmem.NULL) {
            engine.index.remove(move.targetHash, move.victim);
            engine.removed.add(move.victim);
        }
        // [rename.7] No write-back: recovery takes a link to an origin that is not MOVING for what it is.
        pmem.setRelease(successor + EntryRecord.LINK_OFFSET, Pmem.NULL);
        settleNames(move, successor);
    }

    private void settleNames(Move move, long successor) {
        if (move.victimInode != Pmem.NULL) {
            // [rename.10] Counted before T's slot can be another's; touch has the fence.
            move.replaced.nlink = engine.inodes.land(move.victimInode, move.victim);
            attributes.touch(move.victimInode);
            if (move.replaced.nlink == 0) {
                engine.inodes.remove(move.victimInode);
            }
        }
        if (isIndirect(successor)) {
            attributes.touch(engine.inodes.of(successor));
        }
    }

    /** The target was closed. So there is no T: a directory with a child that is there is not empty. */
    private void undo(Move move, long successor, SlotAllocator slots) {
        assert move.victim == Pmem.NULL : "closed with a child at " + move.victim;
        engine.outcomes.forget(move.change);
        engine.setFate(move.moving, SlotState.NORMAL, 0);
        pmem.setRelease(move.moving + EntryRecord.LINK_OFFSET, Pmem.NULL);
        pmem.writeBack(move.moving, Pmem.LINE);
        // [rename.8] † O is NORMAL durably before N leaves the index or is free.
        pmem.fence();
        engine.index.remove(move.targetHash, successor);
        engine.retire(successor, slots);
    }
}
