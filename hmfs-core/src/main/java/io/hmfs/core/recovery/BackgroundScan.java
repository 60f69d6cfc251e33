package io.hmfs.core.recovery;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.engine.Inodes;
import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the regions that a start finds, slot by slot, beside normal work: gathers free slots, finishes or undoes what is half
 * done, sweeps what is dead, drops directory contents whose directory is gone. Nothing waits for it but a full pool (I6).
 *
 * <p>After a clean close that has told the free slots it has one thing to do: to sweep, if much was left dead on lists.
 */
public final class BackgroundScan {
    private static final int SWEPT = 1 << 10;

    /** After a clean close the slots are all walked if one in so many is dead: otherwise what is listed or dies there brings a sweep. */
    private static final int DEAD_SHARE = 64;

    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final LinkSearch links;
    private final int regionsFound;
    private final boolean collects;
    private final long[] swept = new long[SWEPT];
    private final LeftOnLists left;
    private volatile boolean done;
    private volatile boolean stopped;

    /** A scan of the regions that exist now; made before the first operation runs. */
    public BackgroundScan(Engine engine, ChildList lists, Recovery recovery) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.links = new LinkSearch(engine, lists);
        this.left = new LeftOnLists(engine.regions);
        this.regionsFound = engine.regions.count();
        this.collects = !engine.summary.isValid();
        this.done = !collects && engine.summary.dead() < entrySlots() / DEAD_SHARE;
    }

    private long entrySlots() {
        Regions regions = engine.regions;
        return regions.count(RegionKind.ENTRY_SLOTS) * (regions.size() / EntryRecord.SIZE)
                + regions.count(RegionKind.LONG_ENTRY_SLOTS) * (regions.size() / EntryRecord.LONG_SIZE);
    }

    public boolean isDone() {
        return done;
    }

    /** Whether the allocators know all the free slots: this scan has gathered them, or need not. */
    public boolean knowsFree() {
        return done || !collects;
    }

    /** Asks a running scan to end soon. */
    public void stop() {
        stopped = true;
    }

    /** The whole scan, unless it is done. */
    public void run() {
        if (done) {
            return;
        }
        Regions regions = engine.regions;
        for (int i = 0; i < regionsFound && !stopped; i++) {
            SlotAllocator slots = slotsOf(regions.kind(i));
            if (slots != null) {
                scanRegion(regions.at(i), slots);
                left.passed(regions.at(i));
            }
        }
        left.clear();
        sweepIndex();
        if (!stopped) {
            engine.deadAreCounted();
        }
        done = !stopped;
    }

    /**
     * Clears index words that an earlier start left behind. Under the segment's lock: an object that is being made under the same
     * word is filled before its word goes in, and is not FREE then.
     */
    private void sweepIndex() {
        for (long position = 0; position < engine.index.sweepEnd() && !stopped; position++) {
            int pin = engine.epochs.pin();
            try {
                engine.index.sweep(position, (_, word, fits) -> {
                    int state = EntryRecord.state(pmem, BucketRecord.offset(word));
                    return fits && state != SlotState.FREE && state != SlotState.DELETED;
                });
            } finally {
                engine.epochs.unpin(pin);
            }
        }
    }

    /** One more pass that only sweeps the dead, for a pool that is full. */
    public void sweepAll() {
        for (int i = 0; i < engine.regions.count() && !stopped; i++) {
            SlotAllocator slots = slotsOf(engine.regions.kind(i));
            if (slots != null && slots != engine.contentSlots) {
                long size = slots.kind().slotSize();
                long start = engine.regions.at(i);
                for (long at = start; at + size <= start + engine.regions.size(); at += size) {
                    long status = EntryRecord.status(pmem, at);
                    if (EntryRecord.state(status) == SlotState.DELETED && !EntryRecord.unlisted(status)) {
                        sweepParentOf(at, ChildList.Sweep.ALL, _ -> {});
                    }
                }
            }
        }
    }

    private @Nullable SlotAllocator slotsOf(RegionKind kind) {
        return switch (kind) {
            case CONTENT_SLOTS -> engine.contentSlots;
            case ENTRY_SLOTS -> engine.entrySlots;
            case LONG_ENTRY_SLOTS -> engine.longEntrySlots;
            case INDEX_DIRECTORY, INDEX_SEGMENTS, PRINCIPALS, OUTCOMES, RECORDS -> null;
        };
    }

    private void scanRegion(long start, SlotAllocator slots) {
        long size = slots.kind().slotSize();
        long end = slots.scanEnd(start);
        for (long at = start; at + size <= end && !stopped; at += size) {
            int pin = engine.epochs.pin();
            try {
                checkSlot(at, slots);
            } finally {
                engine.epochs.unpin(pin);
            }
        }
    }

    /** The pin comes before the look at the status: what is seen here is no other object's while it is worked on. */
    private void checkSlot(long at, SlotAllocator slots) {
        long death = EntryRecord.death(pmem, at);
        long status = EntryRecord.status(pmem, at);
        if (EntryRecord.state(status) == SlotState.FREE) {
            // † A slot that this start has freed, or is filling, has a time of this start: it is retired, chained or
            // in hand. Asked before and after the state: what is alive may have another word there (a content its id),
            // and a slot that is in hand may come to be that at any moment.
            if (collects && death < engine.clock.start() && EntryRecord.death(pmem, at) < engine.clock.start()) {
                slots.release(at);
            }
        } else if (slots == engine.contentSlots) {
            checkContent(at);
        } else if (EntryRecord.kind(status) == EntryRecord.KIND_CHAIN) {
            checkChain(at);
        } else {
            checkEntry(at, status);
        }
    }

    /** Whether what is DELETED here is an earlier start's, which did not tell of it: this scan alone knows it. */
    private boolean isLeft(long at) {
        return collects && EntryRecord.death(pmem, at) < engine.clock.start();
    }

    private void checkEntry(long at, long status) {
        if (EntryRecord.kind(status) == EntryRecord.KIND_INODE) {
            if (EntryRecord.state(status) == SlotState.NORMAL) {
                checkInode(at);
            } else if (engine.removed.holds(status)) {
                if (isLeft(at)) {
                    // [removed.4] † The scan clears its word, which may be durable first: see [removed.1].
                    pmem.persist(at, Pmem.LINE);
                }
                handOut(at);
            } else {
                // Its data is gone, or it had none; of this start its consumer may be about to free it. † What a crash
                // loses of this is done again: the data is removed twice, or the inode has no word and is dropped.
                engine.removed.unlisted(at);
            }
            return;
        }
        int state = EntryRecord.state(status);
        if (state == SlotState.NORMAL ? EntryRecord.link(pmem, at) != Pmem.NULL : engine.isStale(at, status)) {
            recovery.recover(at);
        }
        if (EntryRecord.state(pmem, at) == SlotState.DELETED) {
            checkDeleted(at);
        }
    }

    private void checkDeleted(long at) {
        if (!isSettled(at)) {
            // † One that this start's sweep left on its list is let go by the sweeper that takes it off.
            if (!left.contains(at)) {
                settle(at);
            }
            if (isLeft(at) && !isSettled(at) && EntryRecord.state(pmem, at) == SlotState.DELETED) {
                countLeft(at);
            }
        }
        handOut(at);
    }

    /** Sweeps its directory, unless that was swept last, and lets it go if it is on no list. */
    private void settle(long at) {
        long parent = EntryRecord.parent(pmem, at);
        int stripe = (int) (parent & (SWEPT - 1));
        if (swept[stripe] != parent) {
            swept[stripe] = parent;
            sweepParentOf(at, ChildList.Sweep.OLD, left::add);
        }
        // † With another look: the sweep may have taken it off its list, and then the consumer may be about to
        // free it.
        if (!isSettled(at) && !left.contains(at) && EntryRecord.death(pmem, at) < engine.clock.start()) {
            letGoIfUnlinked(at);
        }
    }

    /** A listing may still need it, so the sweep has left it on its list: another sweep takes it some day. */
    private void countLeft(long at) {
        long parent = EntryRecord.parent(pmem, at);
        long content = engine.findContent(parent);
        if (content != Pmem.NULL) {
            engine.dead.died(pmem, parent, content);
        }
    }

    /** Whether nothing is left to do but to remove its data. Of a clean close all that is unlisted is known, and may be about to be freed. */
    private boolean isSettled(long at) {
        long status = EntryRecord.status(pmem, at);
        return EntryRecord.unlisted(status) && (!collects || engine.removed.holds(status));
    }

    /** A file that an earlier start has removed, and not its data: nothing else hands it out, for its slot is not free before. */
    private void handOut(long at) {
        if (isLeft(at)) {
            engine.removed.add(at);
        }
    }

    /**
     * A slot of a chain that no object has: the crash came before the chain was swung in, or after it was swung out. † An owner that is
     * itself half done is settled first: else those slots that come before it are its own, and those behind it, and the head, are not.
     */
    private void checkChain(long at) {
        long serial = ChainRecord.serial(pmem, at);
        long owner = ChainRecord.owner(pmem, at);
        if (!engine.regions.isEntrySlot(owner)) {
            throw new CorruptPoolException(at, "a part of a chain whose owner is an entry", owner);
        }
        recoverNameOf(owner);
        long status = EntryRecord.status(pmem, owner);
        if (EntryRecord.isEntry(status) && engine.isStale(owner, status)) {
            recovery.recover(owner);
        }
        if (ChainRecord.isOf(pmem, at, serial) && !isLiveChain(at)) {
            // [scan.1] † That the owner has left the chain may not be durable yet.
            pmem.persist(owner + Pmem.LINE, Pmem.LINE);
            engine.chains.freeSlot(at, serial);
        }
    }

    /** What an earlier start left in flight of an inode decides whether that has a name at all. */
    private void recoverNameOf(long inode) {
        while (EntryRecord.kind(EntryRecord.status(pmem, inode)) == EntryRecord.KIND_INODE) {
            long stale = engine.inodes.stale(inode);
            if (stale == Pmem.NULL) {
                return;
            }
            recovery.recover(stale);
        }
    }

    /** Counts what a crash left in flight, and frees an inode that has no name: it never had one, or its last one went. */
    private void checkInode(long at) {
        long id = EntryRecord.id(pmem, at);
        int lock = engine.inodes.lockOf(id);
        for (; ; ) {
            engine.locks.lockWrite(lock);
            boolean still = Inodes.isLive(EntryRecord.status(pmem, at)) && EntryRecord.id(pmem, at) == id;
            long stale = still ? engine.inodes.stale(at) : Pmem.NULL;
            if (still && stale == Pmem.NULL && !engine.inodes.wasReal(at)) {
                // Of a link that died before its word was durable nothing is known, though the file may have an inode
                // by
                // now. † What it has in flight is not landed: then it would look like one whose last name went.
                engine.inodes.drop(at);
            } else if (still && stale == Pmem.NULL) {
                stale = engine.inodes.takeUp(at);
                if (stale == Pmem.NULL && engine.inodes.count(at) == 0) {
                    engine.inodes.remove(at);
                }
            }
            engine.locks.unlockWrite(lock);
            if (stale == Pmem.NULL) {
                return;
            }
            recovery.recover(stale);
        }
    }

    private void sweepParentOf(long at, ChildList.Sweep which, LongConsumer kept) {
        int pin = engine.epochs.pin();
        try {
            long content = engine.findContent(EntryRecord.parent(pmem, at));
            if (content != Pmem.NULL) {
                lists.sweep(content, which, kept);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /**
     * DELETED by an earlier start and on no list any more: the crash came between the unlink and the free. A word that leads here
     * goes when the words are looked at.
     */
    private void letGoIfUnlinked(long at) {
        long status = EntryRecord.status(pmem, at);
        long content = engine.findContent(EntryRecord.parent(pmem, at));
        int sweeper = engine.sweepers.of(content << 14);
        int lock = engine.locks.of(engine.keys.ofObject(at));
        // † Under the sweeper's lock and the key lock, and with a second look. The key lock is only tried under the
        // sweeper's:
        // an rmdir takes them the other way round.
        engine.sweepers.lockWrite(sweeper);
        while (!engine.locks.tryLockWrite(lock)) {
            engine.sweepers.unlockWrite(sweeper);
            engine.locks.awaitOthers();
            engine.sweepers.lockWrite(sweeper);
        }
        boolean lost = EntryRecord.status(pmem, at) == status
                && EntryRecord.state(status) == SlotState.DELETED
                && (content == Pmem.NULL || lists.isUnlinked(content, at, links.childAbove(at, status)));
        if (lost) {
            // † The sweep that took it off its list has done so too; a crash may have lost that and kept the unlink.
            lists.repairBackReference(at);
            pmem.persist(at, Pmem.LINE);
            engine.removed.unlisted(at);
        }
        engine.locks.unlockWrite(lock);
        engine.sweepers.unlockWrite(sweeper);
    }

    /** A content whose access object is gone, or never came to be, belongs to no directory. */
    private void checkContent(long at) {
        long id = DirContentRecord.id(pmem, at);
        long access = DirContentRecord.access(pmem, at);
        if (!engine.regions.isEntrySlot(access)) {
            engine.dropContent(at, id);
            return;
        }
        if (engine.isStale(access, EntryRecord.status(pmem, access))) {
            recovery.recover(access);
        }
        int lock = engine.locks.of(engine.keys.ofObject(access));
        engine.locks.lockWrite(lock);
        long status = EntryRecord.status(pmem, access);
        int state = EntryRecord.state(status);
        boolean ours = EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY && EntryRecord.id(pmem, access) == id;
        if (DirContentRecord.access(pmem, at) == access) { // else a rename has just moved it: alive
            if (ours && state == SlotState.NORMAL) {
                recovery.reopenIfStale(at);
            } else if (!ours
                    || state == SlotState.FREE
                    || (state == SlotState.DELETED && !engine.isAccessOf(EntryRecord.link(pmem, access), id))) {
                engine.dropContent(at, id);
            }
        }
        engine.locks.unlockWrite(lock);
    }

    /**
     * Whether a slot of a chain belongs to an object, or is one that this start has made. Three lines are read: the slot, its
     * head, its owner. No is for ever: no object gets hold of a chain again.
     */
    private boolean isLiveChain(long at) {
        long serial = ChainRecord.serial(pmem, at);
        if (serial >= engine.clock.start()) {
            return true;
        }
        return engine.chains.isReached(at, serial) && !isDead(ChainRecord.owner(pmem, at));
    }

    /**
     * Whether the owner of a chain died before this start, for good: it may have been cut off while it freed the chain, and when it
     * is freed itself it finds only those slots that are before the first one which is free.
     */
    private boolean isDead(long owner) {
        long status = EntryRecord.status(pmem, owner);
        if (EntryRecord.kind(status) == EntryRecord.KIND_INODE) {
            return engine.inodes.count(owner) == 0;
        }
        return EntryRecord.state(status) == SlotState.DELETED && EntryRecord.death(pmem, owner) < engine.clock.start();
    }
}
