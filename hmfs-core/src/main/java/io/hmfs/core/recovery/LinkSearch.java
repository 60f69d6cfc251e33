package io.hmfs.core.recovery;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.dir.Engine;
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
    /** Slots on each side that are looked at: a line each. */
    private static final int NEIGHBOURS = 8;

    /** How far a neighbour is followed: it may stand anywhere above the object. */
    private static final int STEPS_MAX = 64;

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
        if (DirContentRecord.childHead(pmem, content) != at && isBelowNeighbour(at, Engine.slotSize(status))) {
            return true;
        }
        persist(content);
        return lists.contains(content, at);
    }

    /** The content of an object's directory, as durable as it is seen; {@code Pmem.NULL} if there is none. */
    long durableContentOf(long at) {
        long content = engine.findContent(EntryRecord.parent(pmem, at));
        if (content != Pmem.NULL) {
            persist(content);
        }
        return content;
    }

    /** [recover.verdict] † The verdict rests on what is durable: who stored head and mtime may have died before writing them back. */
    private void persist(long content) {
        pmem.persist(content, DirContentRecord.SIZE);
    }

    private boolean isBelowNeighbour(long at, long size) {
        long start = engine.regions.startOf(at);
        long end = start + engine.regions.size() - size;
        long birth = EntryRecord.birth(pmem, at);
        long parent = EntryRecord.parent(pmem, at);
        long nearest = Pmem.NULL;
        long nearestBirth = Long.MAX_VALUE;
        for (long distance = size; distance <= NEIGHBOURS * size; distance += size) {
            for (long each = at - distance; each <= at + distance; each += 2 * distance) {
                if (each >= start && each <= end && isChildOf(parent, each)) {
                    if (EntryRecord.sibling(pmem, each) == at) {
                        return true;
                    }
                    long eachBirth = EntryRecord.birth(pmem, each);
                    if (eachBirth > birth && eachBirth < nearestBirth) {
                        nearest = each;
                        nearestBirth = eachBirth;
                    }
                }
            }
        }
        return leadsTo(nearest, at, birth);
    }

    private boolean isChildOf(long parent, long at) {
        long status = EntryRecord.status(pmem, at);
        return EntryRecord.state(status) == SlotState.NORMAL
                && EntryRecord.isEntry(status)
                && EntryRecord.parent(pmem, at) == parent;
    }

    private boolean leadsTo(long from, long at, long birth) {
        long cursor = from;
        for (int step = 0; step < STEPS_MAX && cursor != Pmem.NULL; step++) {
            if (cursor == at) {
                return true;
            }
            if (EntryRecord.birth(pmem, cursor) <= birth) {
                return false;
            }
            cursor = EntryRecord.sibling(pmem, cursor);
        }
        return false;
    }
}
