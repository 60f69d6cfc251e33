package io.hmfs.core.recovery;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/**
 * Whether an object that a crash has cut off was linked: the one question that its recovery asks. Asks what is near before it walks
 * a list. The caller has pinned an epoch; no lock is taken.
 *
 * <p>The slots beside an object often have what was created next in the same directory. An entry that is NORMAL is on its
 * directory's list, durably so: it became NORMAL after its link was. Hence a child that is NORMAL, has a later birth and leads to
 * the object proves that it is linked. That needs no bookkeeping that a crash could spoil.
 */
final class LinkSearch {
    /** Slots on each side that are looked at, a line each; as many directories may have been filled in turns. */
    private static final int NEIGHBOURS = 32;

    /** How far all neighbours together are followed: one may stand anywhere above the object. */
    private static final int STEPS_MAX = 64;

    private static final int UNKNOWN = -1;
    private static final int NO = -2;
    private static final int YES = -3;

    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;

    LinkSearch(Engine engine, ChildList lists) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
    }

    /** Whether it is on its directory's list, durably when true. */
    boolean isLinked(long at, long status) {
        long content = engine.findContent(EntryRecord.parent(pmem, at));
        if (content == Pmem.NULL || EntryRecord.birth(pmem, at) > DirContentRecord.mtime(pmem, content)) {
            return false; // a birth above the mtime was never linked
        }
        int told =
                DirContentRecord.childHead(pmem, content) == at ? UNKNOWN : askNeighbours(at, Engine.slotSize(status));
        if (told != UNKNOWN) {
            return told == YES;
        }
        persist(content);
        return lists.contains(content, at);
    }

    /**
     * An mtime that an object's directory has durably; above all times if the directory is gone. † Read before it is made durable:
     * one that another thread stores meanwhile may be lost yet.
     */
    long durableMtime(long at) {
        long content = engine.findContent(EntryRecord.parent(pmem, at));
        if (content == Pmem.NULL) {
            return Long.MAX_VALUE;
        }
        long mtime = DirContentRecord.mtime(pmem, content);
        persist(content);
        return mtime;
    }

    /**
     * [recover.verdict] † The verdict rests on what is durable: the thread that stored head and mtime may have died before writing them
     * back.
     */
    private void persist(long content) {
        pmem.persist(content, DirContentRecord.SIZE);
    }

    /** The nearest first. YES, NO or UNKNOWN. */
    private int askNeighbours(long at, long size) {
        long start = engine.regions.startOf(at);
        long end = start + engine.regions.size() - size;
        long birth = EntryRecord.birth(pmem, at);
        long parent = EntryRecord.parent(pmem, at);
        int stepsLeft = STEPS_MAX;
        for (long distance = size; distance <= NEIGHBOURS * size; distance += size) {
            for (long each = at - distance; each <= at + distance; each += 2 * distance) {
                if (each >= start && each <= end && isChildOf(parent, each) && EntryRecord.birth(pmem, each) > birth) {
                    stepsLeft = follow(each, at, birth, stepsLeft);
                    if (stepsLeft < 0) {
                        return stepsLeft;
                    }
                }
            }
        }
        return UNKNOWN;
    }

    /** The nearest on the list of those children in the slots near by that are NORMAL and have a later birth; or NULL. */
    long childAbove(long at, long status) {
        long size = Engine.slotSize(status);
        long start = engine.regions.startOf(at);
        long end = start + engine.regions.size() - size;
        long birth = EntryRecord.birth(pmem, at);
        long parent = EntryRecord.parent(pmem, at);
        long nearest = Pmem.NULL;
        long nearestBirth = Long.MAX_VALUE;
        long first = Math.max(start, at - NEIGHBOURS * size);
        for (long each = first; each <= Math.min(end, at + NEIGHBOURS * size); each += size) {
            if (isChildOf(parent, each)) {
                long eachBirth = EntryRecord.birth(pmem, each);
                if (eachBirth > birth && eachBirth < nearestBirth) {
                    nearest = each;
                    nearestBirth = eachBirth;
                }
            }
        }
        return nearest;
    }

    private boolean isChildOf(long parent, long at) {
        long status = EntryRecord.status(pmem, at);
        return EntryRecord.state(status) == SlotState.NORMAL
                && EntryRecord.isEntry(status)
                && EntryRecord.parent(pmem, at) == parent;
    }

    /**
     * Follows the list down from a child with a later birth. YES or NO as soon as it is known; UNKNOWN when all steps are used up;
     * otherwise the steps that are left, for half of them at most go to one neighbour.
     */
    private int follow(long from, long at, long birth, int stepsLeft) {
        long cursor = from;
        int most = Math.max(1, stepsLeft / 2);
        for (int step = 0; step < most; step++) {
            cursor = EntryRecord.sibling(pmem, cursor);
            if (cursor == at) {
                return YES;
            }
            if (cursor == Pmem.NULL || EntryRecord.birth(pmem, cursor) < birth) {
                return NO;
            }
        }
        return stepsLeft == most ? UNKNOWN : stepsLeft - most;
    }
}
