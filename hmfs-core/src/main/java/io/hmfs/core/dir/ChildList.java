package io.hmfs.core.dir;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import java.util.function.LongConsumer;

/**
 * The linked list of a directory's children (HMFS §3.2, §3.3): newest first, strictly descending in birth (I4), because the birth
 * of a child is the mtime that its link installed.
 */
public final class ChildList {
    /** How long a sweep leaves what a rename left behind: a page of a listing takes less. */
    private static final long GRACE_NANOS = 1_000_000_000L;

    /** How far ahead on its list a child leads, for the memory there to be asked for. */
    public static final int AHEAD = RecentChildren.DISTANCE;

    private final Engine engine;
    private final Pmem pmem;
    private final RecentChildren recent;

    public ChildList(Engine engine) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recent = new RecentChildren(engine.regions.capacity());
    }

    /**
     * Links a filled object at the head; the commit of rename and link. What else must be durable before the commit has
     * been written back by the caller, not fenced. False if the directory is closed, then nothing was linked.
     */
    public boolean link(long content, long at, long time) {
        for (; ; ) {
            // mtime before head: if either moves after this, cas16 fails.
            long mtime = DirContentRecord.mtime(pmem, content);
            long head = DirContentRecord.childHead(pmem, content);
            if (head == DirContentRecord.CLOSED) {
                return false;
            }
            long birth = Math.max(time, mtime + 1);
            if (birth != time) {
                engine.clock.advance(birth); // counts as issued before it is stored
            }
            place(at, head, birth);
            // [link.1] I2: the object, with its place in the order, is durable before it is reachable.
            pmem.fence();
            if (linkChain(content, head, mtime, at)) {
                // [link.3] Durable before it is answered.
                pmem.fence();
                return true;
            }
        }
    }

    /**
     * Makes a chain of filled objects, one or more, the oldest first, in front of a list with this head and mtime: what {@link #link}
     * does for one object up to its fence. Written back, not fenced.
     */
    public void chain(long[] objects, int from, int to, long head, long mtime) {
        long newest = mtime;
        for (int i = from; i < to; i++) {
            newest = Math.max(EntryRecord.birth(pmem, objects[i]), newest + 1);
        }
        engine.clock.advance(newest); // counts as issued before it is stored
        long sibling = head;
        long birth = mtime;
        for (int i = from; i < to; i++) {
            birth = Math.max(EntryRecord.birth(pmem, objects[i]), birth + 1);
            // [link.1] I4: births ascend strictly from above the mtime.
            place(objects[i], sibling, birth);
            sibling = objects[i];
        }
    }

    /** The place of an object in the order, in its first line. Written back, not fenced. */
    private void place(long at, long sibling, long birth) {
        pmem.set(at + EntryRecord.NEXT_OFFSET, recent.noted(EntryRecord.parent(pmem, at), at));
        pmem.set(at + EntryRecord.SIBLING_OFFSET, sibling);
        pmem.set(at + EntryRecord.BIRTH_OFFSET, birth);
        pmem.writeBack(at, Pmem.LINE);
    }

    /**
     * Links a chain that was made on this head and mtime and is durable: all of it, or, when the list has moved or closed meanwhile,
     * nothing. Written back, not fenced.
     */
    public boolean linkChain(long content, long head, long mtime, long newest) {
        long birth = EntryRecord.birth(pmem, newest);
        // [link.2] The commit of the whole chain.
        if (!pmem.cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, head, mtime, newest, birth)) {
            return false;
        }
        pmem.writeBack(content, DirContentRecord.SIZE);
        return true;
    }

    /** Raises a directory's mtime to at least {@code time}; the commit of delete. Written back, not fenced. */
    public void raise(long content, long time) {
        for (; ; ) {
            long mtime = DirContentRecord.mtime(pmem, content);
            long head = DirContentRecord.childHead(pmem, content);
            if (mtime >= time || pmem.cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, head, mtime, head, time)) {
                break;
            }
        }
        // † Also when it was high enough: the thread that raised it may not have written it back yet.
        pmem.writeBack(content, DirContentRecord.SIZE);
    }

    /** Replaces the head alone: closes, reopens. False if (head, mtime) has moved. Not written back. */
    public boolean swingHead(long content, long head, long mtime, long newHead, long newMtime) {
        return pmem.cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, head, mtime, newHead, newMtime);
    }

    /**
     * Whether an object is on its directory's list; ends at the first smaller birth. The caller has made (childHead, mtime) durable in
     * this start†: what is met on the way and was cut off by a crash was linked before, hence committed, and is finished in
     * passing. So is what stands behind the object, for as many steps again: the next one that is asked for is found finished, or
     * is twice as far away. So all that a crash has cut off in one directory costs a number of steps in proportion to its list.
     */
    public boolean contains(long content, long at) {
        long birth = EntryRecord.birth(pmem, at);
        if (birth > DirContentRecord.mtime(pmem, content)) {
            return false;
        }
        long cursor = DirContentRecord.childHead(pmem, content);
        long steps = 0;
        while (isChild(cursor) && cursor != at && EntryRecord.birth(pmem, cursor) >= birth) {
            finishCreate(cursor);
            cursor = EntryRecord.sibling(pmem, cursor);
            steps++;
        }
        if (cursor != at) {
            return false;
        }
        // [recover.create.ahead] From the object itself on.
        for (; steps >= 0 && isChild(cursor); steps--) {
            finishCreate(cursor);
            cursor = EntryRecord.sibling(pmem, cursor);
        }
        return true;
    }

    private static boolean isChild(long cursor) {
        return cursor != Pmem.NULL && cursor != DirContentRecord.CLOSED;
    }

    /**
     * [recover.create.finish] Finishes a create of an earlier start that is known to be linked durably; does nothing to any other
     * object, above all to a rename's new one. Takes no lock: no thread undoes what is linked, and another that finds it CREATING
     * does no more than the same swap†. The pin keeps the slot from being another's. Not written back, as in create: after
     * another crash it is linked still.
     */
    public void finishCreate(long at) {
        long status = EntryRecord.status(pmem, at);
        if (EntryRecord.state(status) == SlotState.CREATING
                && EntryRecord.link(pmem, at) == Pmem.NULL
                && engine.isStale(at, status)
                && pmem.cas8(at + EntryRecord.STATUS_OFFSET, status, EntryRecord.withState(status, SlotState.NORMAL))) {
            engine.recovered.incrementAndGet();
        }
    }

    /**
     * Whether an object that was linked is on its directory's list no more, durably when true: † the pointer that skips it may be
     * the store of a sweeper that died before it wrote it back, and the object's slot is to be reused. The caller holds the
     * sweeper's lock. The look begins at {@code above}, a child that was NORMAL under that lock and has a later birth, or, if it is
     * NULL, at the head.
     */
    public boolean isUnlinked(long content, long at, long above) {
        long birth = EntryRecord.birth(pmem, at);
        long previous = above == Pmem.NULL ? content : above;
        long cursor = above == Pmem.NULL ? DirContentRecord.childHead(pmem, content) : EntryRecord.sibling(pmem, above);
        while (isChild(cursor) && EntryRecord.birth(pmem, cursor) >= birth) {
            if (cursor == at) {
                return false;
            }
            previous = cursor;
            cursor = EntryRecord.sibling(pmem, cursor);
        }
        // [unlinked.1]
        pmem.writeBack(previous, Pmem.LINE);
        pmem.persist(content, DirContentRecord.SIZE);
        return true;
    }

    /** What a look at a whole list says about emptiness. */
    public enum Occupancy {
        EMPTY,
        /** Nothing a stat would show, but not empty yet: operations in flight, or dead children to sweep. */
        DEAD_ONLY,
        OCCUPIED
    }

    /** Whether a stat would show a child. {@code stale} tells, in [0], one child that needs recovery first, or NULL. */
    public Occupancy occupancy(long content, long[] stale) {
        stale[0] = Pmem.NULL;
        long cursor = DirContentRecord.childHead(pmem, content);
        if (cursor == Pmem.NULL || cursor == DirContentRecord.CLOSED) {
            return Occupancy.EMPTY;
        }
        for (; cursor != Pmem.NULL; cursor = EntryRecord.sibling(pmem, cursor)) {
            long status = EntryRecord.status(pmem, cursor);
            int state = EntryRecord.state(status);
            if (engine.isStale(cursor, status)) {
                stale[0] = cursor;
                return Occupancy.DEAD_ONLY;
            }
            if (state == SlotState.NORMAL || state == SlotState.DELETING || isStillThere(cursor, state)) {
                return Occupancy.OCCUPIED;
            }
        }
        return Occupancy.DEAD_ONLY;
    }

    /** MOVING and REPLACED objects exist until their successor is NORMAL. */
    private boolean isStillThere(long at, int state) {
        return (state == SlotState.MOVING || state == SlotState.REPLACED)
                && EntryRecord.state(pmem, EntryRecord.link(pmem, at)) == SlotState.CREATING;
    }

    /** Which of the dead a sweep takes. */
    public enum Sweep {
        /** Those that no listing under way still needs, if no other sweeper is there. */
        TRY,
        /** The same, after another sweeper. */
        OLD,
        /** All, after another sweeper: the directory is to go, or the pool is full. */
        ALL
    }

    /**
     * Takes the DELETED children off a list and frees those that hold no data; one sweeper a directory at a time. The caller has pinned an
     * epoch.
     * False if another sweeper was there and {@code which} does not wait.
     */
    public boolean sweep(long content, Sweep which) {
        return sweep(content, which, _ -> {});
    }

    /** The same; tells {@code kept}, under the sweeper's lock, of each of the dead that it leaves on the list. */
    public boolean sweep(long content, Sweep which, LongConsumer kept) {
        int lock = engine.sweepers.of(content << 14);
        if (which != Sweep.TRY) {
            engine.sweepers.lockWrite(lock);
        } else if (!engine.sweepers.tryLockWrite(lock)) {
            return false;
        }
        unlinkDead(content, which == Sweep.ALL ? Long.MAX_VALUE : engine.clock.now() - GRACE_NANOS, kept);
        engine.sweepers.unlockWrite(lock);
        return true;
    }

    /** Unlinks what is DELETED and lets it go, as many as the thread's buffer has room for at once. */
    private void unlinkDead(long content, long before, LongConsumer kept) {
        long[] dead = engine.scratch().dead;
        int count = 0;
        long previous = Pmem.NULL;
        long length = 0;
        long cursor = DirContentRecord.childHead(pmem, content);
        while (isChild(cursor)) {
            if (count == dead.length) {
                letGo(content, dead, count);
                count = 0;
            }
            long next = EntryRecord.sibling(pmem, cursor);
            boolean isDead = EntryRecord.state(pmem, cursor) == SlotState.DELETED;
            if (!isDead || isNeeded(cursor, before)) {
                if (isDead) {
                    kept.accept(cursor);
                }
                previous = cursor;
                length++;
                cursor = next;
                continue;
            }
            if (!unlink(content, previous, cursor, next)) {
                // A child was linked before the head meanwhile: find the new neighbour.
                previous = before(content, cursor);
                unlink(content, previous, cursor, next);
            }
            repairBackReference(cursor);
            pmem.writeBack(cursor, Pmem.LINE);
            dead[count++] = cursor;
            cursor = next;
        }
        pmem.set(content + DirContentRecord.LENGTH_OFFSET, length);
        letGo(content, dead, count);
    }

    private void letGo(long content, long[] dead, int count) {
        if (count > 0) {
            // † Also when the head was not unlinked: it may have been linked just now and not be durable yet, and what
            // is
            // durable as the head is about to be freed.
            pmem.writeBack(content, DirContentRecord.SIZE);
        }
        // [sweep.2] I5: the unlinks and the DELETED states are durable before any of the slots is free.
        pmem.fence();
        for (int i = 0; i < count; i++) {
            if (engine.isDeadCounted(dead[i])) {
                engine.dead.left(-1);
            }
            engine.removed.unlisted(dead[i]);
        }
    }

    /**
     * Whether a listing may still look here for where a rename has taken the name or the object†. What an earlier start left is kept as if it had died at the
     * beginning of this one, from when on listings go on.
     */
    private boolean isNeeded(long at, long before) {
        return EntryRecord.link(pmem, at) != Pmem.NULL
                && Math.max(EntryRecord.death(pmem, at), engine.clock.start()) >= before;
    }

    /**
     * [sweep.1] Interior nodes by an 8-byte store, the head by cas16 that keeps mtime. The directory's line is written back once,
     * after all of them.
     */
    private boolean unlink(long content, long previous, long at, long next) {
        if (previous != Pmem.NULL) {
            pmem.setRelease(previous + EntryRecord.SIBLING_OFFSET, next);
            pmem.writeBack(previous, Pmem.LINE);
            return true;
        }
        for (; ; ) {
            long mtime = DirContentRecord.mtime(pmem, content);
            if (DirContentRecord.childHead(pmem, content) != at) {
                return false;
            }
            if (pmem.cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, at, mtime, next, mtime)) {
                return true;
            }
        }
    }

    private long before(long content, long at) {
        long cursor = DirContentRecord.childHead(pmem, content);
        while (EntryRecord.sibling(pmem, cursor) != at) {
            cursor = EntryRecord.sibling(pmem, cursor);
        }
        return cursor;
    }

    /**
     * A directory that moved away from here: its content must not go on pointing at the slot that is about to be freed, nor only
     * seem to point elsewhere: the rename may not have come to its fence. One that was replaced takes its content with it. Written back; the caller
     * fences before it frees the slot.
     */
    public void repairBackReference(long at) {
        long successor = EntryRecord.link(pmem, at);
        long id = EntryRecord.id(pmem, at);
        boolean directory = EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_DIRECTORY;
        if (!directory || !engine.isAccessOf(successor, id)) {
            return;
        }
        long content = engine.findContent(id);
        if (content != Pmem.NULL) {
            if (DirContentRecord.access(pmem, content) == at) {
                pmem.setRelease(content + DirContentRecord.ACCESS_OFFSET, successor);
            }
            pmem.writeBack(content, DirContentRecord.SIZE);
        }
    }
}
