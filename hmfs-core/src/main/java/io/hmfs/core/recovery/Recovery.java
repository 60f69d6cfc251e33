package io.hmfs.core.recovery;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;

/**
 * Recovery of one object that an earlier start left half done (HMFS §3.3.2, on demand): finished if its commit is durable, undone
 * if not. Runs under the key locks of all objects that took part, but for a create that was linked, see {@link
 * ChildList#finishCreate}; the caller has pinned an epoch and holds no key lock. Undone states, and finished ones but for
 * that, are durable before any thread relies on them, and recovery may itself be cut off anywhere.
 */
public final class Recovery {
    /** The time of death of a DELETING object whose undoing has begun. */
    private static final long UNDONE = 0;

    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final LinkSearch links;

    public Recovery(Engine engine, ChildList lists) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.links = new LinkSearch(engine, lists);
    }

    /** Finishes or undoes what was begun on the object at {@code at}, unless another thread has done so meanwhile. */
    public void recover(long at) {
        long status = EntryRecord.status(pmem, at);
        long link = EntryRecord.link(pmem, at);
        if (!needsRecovery(at, status, link)) {
            return;
        }
        if (EntryRecord.state(status) == SlotState.CREATING && link == Pmem.NULL) {
            recoverCreate(at, status);
            return;
        }
        long successor = successorOf(at, status, link);
        long origin = originOf(at, status, successor);
        int[] locks = {
            lockOf(at),
            successor == at || successor == Pmem.NULL ? -1 : lockOf(successor),
            origin == at || origin == Pmem.NULL ? -1 : lockOf(origin)
        };
        engine.locks.lockWriteAll(locks);
        try {
            boolean same = EntryRecord.status(pmem, at) == status
                    && EntryRecord.link(pmem, at) == link
                    && originOf(at, status, successor) == origin;
            if (same && needsRecovery(at, status, link)) {
                recoverLocked(at, status, successor, origin);
                engine.recovered.incrementAndGet();
            }
        } finally {
            engine.locks.unlockWriteAll(locks);
        }
    }

    private boolean needsRecovery(long at, long status, long link) {
        int state = EntryRecord.state(status);
        return state == SlotState.NORMAL ? link != Pmem.NULL : engine.isStale(at, status);
    }

    /** The N of the rename that the object took part in, NULL if in none. */
    private long successorOf(long at, long status, long link) {
        int state = EntryRecord.state(status);
        if (state == SlotState.MOVING || state == SlotState.REPLACED) {
            return link;
        }
        return link != Pmem.NULL ? at : Pmem.NULL;
    }

    /** The O of that rename. */
    private long originOf(long at, long status, long successor) {
        if (EntryRecord.state(status) == SlotState.MOVING) {
            return at;
        }
        return successor == Pmem.NULL ? Pmem.NULL : EntryRecord.link(pmem, successor);
    }

    private int lockOf(long at) {
        return engine.locks.of(engine.keys.ofObject(at));
    }

    private void recoverLocked(long at, long status, long successor, long origin) {
        if (successor != Pmem.NULL) {
            recoverRename(at, status, successor, origin);
        } else {
            recoverDelete(at);
        }
    }

    /** Without a lock, but to undo: no thread can link what an earlier start did not, so that verdict stands. */
    private void recoverCreate(long at, long status) {
        if (links.isLinked(at, status)) {
            // The content of a directory was durable before the commit.
            lists.finishCreate(at);
            return;
        }
        int lock = lockOf(at);
        engine.locks.lockWrite(lock);
        try {
            if (EntryRecord.status(pmem, at) == status) {
                forget(at, status);
                engine.recovered.incrementAndGet();
            }
        } finally {
            engine.locks.unlockWrite(lock);
        }
    }

    /**
     * [recover.create.undo] Takes an object that never came to be out of the index and frees it. A directory's content is dropped
     * by the scan, as that of any directory that is gone.
     */
    private void forget(long at, long status) {
        engine.index.remove(engine.keys.ofObject(at), at);
        engine.retire(at, engine.slotsFor(Engine.slotSize(status)));
    }

    /** A directory is settled by its access object alone; a thread that meets its closed content goes on from there, or the scan does. */
    private void recoverDelete(long at) {
        long death = EntryRecord.death(pmem, at);
        if (death != UNDONE && death <= links.durableMtime(at)) {
            // [recover.delete.finish] That it dies is durable before it is DELETED, for the reason told below.
            pmem.persist(at, Pmem.LINE);
            EntryRecord.bury(pmem, at);
            return;
        }
        // [recover.delete.undo] That it is undone is durable before it is NORMAL. Else a client could rely on a NORMAL
        // that is not, for the thread that stored it may have died; a next start would find DELETING, and the parent's
        // mtime above
        // it by then: the object would go, and with a directory the children that came in between.
        engine.setFate(at, SlotState.DELETING, UNDONE);
        pmem.persist(at, Pmem.LINE);
        EntryRecord.setState(pmem, at, SlotState.NORMAL);
    }

    /**
     * Opens a directory that was closed, if there is one; its access object is NORMAL durably, or undone durably, and its key
     * locked. Not written back: the first child's link does that, and an empty one that is closed again after a crash is opened
     * again.
     */
    public void reopen(long content) {
        if (content != Pmem.NULL && DirContentRecord.childHead(pmem, content) == DirContentRecord.CLOSED) {
            long mtime = DirContentRecord.mtime(pmem, content);
            lists.swingHead(content, DirContentRecord.CLOSED, mtime, Pmem.NULL, mtime);
        }
    }

    /** Opens a directory again that an rmdir of an earlier start had closed and not removed; its access object is NORMAL and locked. */
    public void reopenIfStale(long content) {
        if (isClosedByEarlierStart(content)) {
            reopen(content);
        }
    }

    /** Whether a directory was closed by an operation that died. */
    public boolean isClosedByEarlierStart(long content) {
        return DirContentRecord.childHead(pmem, content) == DirContentRecord.CLOSED
                && DirContentRecord.mtime(pmem, content) < engine.clock.start();
    }

    /**
     * The content of a directory that is there, or {@code Pmem.NULL}. One that an rmdir has closed is gone or open again: what
     * died is settled and what is under way is awaited first, so that no answer rests on a directory that may yet vanish. The
     * caller holds no lock.
     */
    public long openContent(long directory) {
        long content = engine.findContent(directory);
        while (content != Pmem.NULL && DirContentRecord.childHead(pmem, content) == DirContentRecord.CLOSED) {
            content = awaitClosed(directory) ? engine.findContent(directory) : Pmem.NULL;
        }
        return content;
    }

    /**
     * What a create or rename does that has met a closed directory: it holds no lock and has undone its own object†. Waits for an
     * rmdir in flight, settles one that died. True: the directory is open again, try again; false: no such directory.
     */
    public boolean awaitClosed(long directory) {
        for (; ; ) {
            long content = engine.findContent(directory);
            if (content == Pmem.NULL) {
                return false;
            }
            if (DirContentRecord.childHead(pmem, content) != DirContentRecord.CLOSED) {
                return true;
            }
            if (isClosedByEarlierStart(content)) {
                settleClosed(content, directory);
            } else {
                engine.locks.awaitOthers();
            }
        }
    }

    private void settleClosed(long content, long directory) {
        long access = DirContentRecord.access(pmem, content);
        if (engine.isStale(access, EntryRecord.status(pmem, access))) {
            recover(access);
            return;
        }
        int lock = lockOf(access);
        engine.locks.lockWrite(lock);
        long status = EntryRecord.status(pmem, access);
        boolean ours =
                EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY && EntryRecord.id(pmem, access) == directory;
        if (ours && EntryRecord.state(status) == SlotState.NORMAL) {
            reopenIfStale(content);
        } else if (!ours || EntryRecord.state(status) == SlotState.FREE) {
            engine.dropContent(content, directory);
        } else if (EntryRecord.state(status) == SlotState.DELETED) {
            long successor = EntryRecord.link(pmem, access);
            if (engine.isAccessOf(successor, directory)) {
                pmem.setRelease(content + DirContentRecord.ACCESS_OFFSET, successor);
            } else {
                engine.dropContent(content, directory); // removed, or replaced by another
            }
        }
        engine.locks.unlockWrite(lock);
    }

    /**
     * One question: is the successor on the target's list? O is touched only if it is MOVING and its link is N, a T only if it is
     * REPLACED and its link is N, and N only from CREATING†; else only N's link is cleared.
     */
    private void recoverRename(long at, long status, long successor, long origin) {
        int state = EntryRecord.state(status);
        long status2 = EntryRecord.status(pmem, successor);
        boolean pointsBack = state == SlotState.MOVING
                ? EntryRecord.link(pmem, successor) == at
                : state != SlotState.REPLACED || hasSameKey(at, successor);
        if (!pointsBack) {
            // A successor whose own link does not point back is not ours†: it was undone, and its slot is another's
            // now.
            // Not written back: the same is found again, until this object itself goes, which is written back.
            engine.setFate(at, SlotState.NORMAL, 0);
            return;
        }
        boolean originIsOurs = origin != Pmem.NULL
                && EntryRecord.state(pmem, origin) == SlotState.MOVING
                && EntryRecord.link(pmem, origin) == successor;
        long moved = originIsOurs ? origin : Pmem.NULL;
        long replaced = state == SlotState.REPLACED ? at : findReplaced(successor, status2);
        int successorState = EntryRecord.state(status2);
        if (successorState == SlotState.NORMAL || links.isLinked(successor, status2)) {
            settleSource(successor, origin);
            finishRename(successor, moved, replaced);
        } else {
            undoRename(successor, status2, moved, replaced);
        }
    }

    private boolean hasSameKey(long at, long other) {
        long status = EntryRecord.status(pmem, at);
        if (!EntryRecord.isEntry(EntryRecord.status(pmem, other))) {
            return false;
        }
        Name name = new Name();
        EntryRecord.name(pmem, at, status, name);
        return EntryRecord.hasKey(pmem, other, EntryRecord.status(pmem, other), EntryRecord.parent(pmem, at), name);
    }

    private long findReplaced(long successor, long status) {
        long[] seen = engine.scratch().seen;
        int count = engine.index.candidates(engine.keys.ofObject(successor), seen);
        for (int i = 0; i < count; i++) {
            if (seen[i] != successor
                    && EntryRecord.state(pmem, seen[i]) == SlotState.REPLACED
                    && EntryRecord.link(pmem, seen[i]) == successor
                    && EntryRecord.nameLength(EntryRecord.status(pmem, seen[i])) == EntryRecord.nameLength(status)) {
                return seen[i];
            }
        }
        return Pmem.NULL;
    }

    /** The words of O and T are cleared by the scan, as those that a crash leaves at the end of a rename. */
    private void finishRename(long successor, long moved, long replaced) {
        if (EntryRecord.state(pmem, successor) == SlotState.CREATING) {
            EntryRecord.setState(pmem, successor, SlotState.NORMAL);
        }
        if (EntryRecord.kind(EntryRecord.status(pmem, successor)) == EntryRecord.KIND_DIRECTORY) {
            pointContentAt(successor);
        }
        if (replaced != Pmem.NULL) {
            engine.buryFor(replaced, successor);
        }
        if (moved != Pmem.NULL) {
            engine.buryFor(moved, successor);
            pmem.writeBack(moved, Pmem.LINE);
        }
        writeBackReplaced(successor);
        pmem.persist(successor, Pmem.LINE);
        pmem.setRelease(successor + EntryRecord.LINK_OFFSET, Pmem.NULL);
    }

    /**
     * † T is DELETED durably before the successor forgets it, as the origin in {@link #settleSource}: also one that was DELETED
     * already, by a process that died. Its word is in the index as long as it is not so durably: [rename.6] comes after the fence.
     */
    private void writeBackReplaced(long successor) {
        long[] seen = engine.scratch().seen;
        int count = engine.index.candidates(engine.keys.ofObject(successor), seen);
        for (int i = 0; i < count; i++) {
            if (EntryRecord.state(pmem, seen[i]) == SlotState.DELETED && EntryRecord.link(pmem, seen[i]) == successor) {
                pmem.writeBack(seen[i], Pmem.LINE);
            }
        }
    }

    /**
     * I4: the source's mtime reaches the death of the origin, the successor's birth, also when that was already DELETED; and that is durable before the
     * successor forgets it, for the thread that stored it may have died before writing it back†. Not fenced.
     */
    private void settleSource(long successor, long origin) {
        if (origin == Pmem.NULL || EntryRecord.link(pmem, origin) != successor) {
            return; // the slot is another's by now
        }
        int state = EntryRecord.state(pmem, origin);
        pmem.writeBack(origin, Pmem.LINE);
        long content = engine.findContent(EntryRecord.parent(pmem, origin));
        if (content != Pmem.NULL && (state == SlotState.MOVING || state == SlotState.DELETED)) {
            lists.raise(content, EntryRecord.birth(pmem, successor));
        }
    }

    private void pointContentAt(long access) {
        long content = engine.findContent(EntryRecord.id(pmem, access));
        if (content != Pmem.NULL) {
            pmem.setRelease(content + DirContentRecord.ACCESS_OFFSET, access);
            pmem.writeBack(content, DirContentRecord.SIZE);
        }
    }

    private void undoRename(long successor, long status, long moved, long replaced) {
        // [recover.rename.undo] O and T are NORMAL durably before N leaves the index or is free†.
        if (moved != Pmem.NULL) {
            engine.setFate(moved, SlotState.NORMAL, 0);
            pmem.setRelease(moved + EntryRecord.LINK_OFFSET, Pmem.NULL);
            pmem.writeBack(moved, Pmem.LINE);
        }
        if (replaced != Pmem.NULL) {
            engine.setFate(replaced, SlotState.NORMAL, 0);
            pmem.setRelease(replaced + EntryRecord.LINK_OFFSET, Pmem.NULL);
            pmem.writeBack(replaced, Pmem.LINE);
        }
        pmem.fence();
        if (EntryRecord.state(status) == SlotState.CREATING) {
            pmem.set(successor + EntryRecord.LINK_OFFSET, Pmem.NULL);
            forget(successor, status);
        }
    }
}
