package io.hmfs.core.op;

import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/** list: walks the links of one directory, newest first, and resumes from a birth without any state here (I4). */
final class ListOp {
    /** Successors shown in place of their origins that are remembered: origin and victim of one rename lead to the same. */
    private static final int STOOD_IN = 16;

    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final AttributeReader reader;

    ListOp(Engine engine, Recovery recovery, AttributeReader reader) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
        this.reader = reader;
    }

    Status run(long directory, ListCursor cursor, ListVisitor visitor) {
        int pin = engine.epochs.pin();
        try {
            long content = engine.findContent(directory);
            if (content == Pmem.NULL) {
                return Status.NO_SUCH_DIRECTORY;
            }
            if (cursor.birth == 0) {
                cursor.start = DirContentRecord.mtime(pmem, content);
            }
            long dead = walk(directory, content, cursor, visitor);
            if (dead > 0) {
                engine.dead.add(pmem, directory, content, dead);
            }
            return Status.OK;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Counts the dead that it passes. */
    private long walk(long directory, long content, ListCursor cursor, ListVisitor visitor) {
        Attributes attributes = new Attributes();
        Name name = new Name();
        long[] stoodIn = new long[STOOD_IN];
        long dead = 0;
        long at = resume(directory, content, cursor);
        while (at != Pmem.NULL && at != DirContentRecord.CLOSED) {
            long status = EntryRecord.status(pmem, at);
            if (engine.isStale(at, status)) {
                recovery.recover(at);
                continue;
            }
            long birth = EntryRecord.birth(pmem, at);
            long shown = shownFor(directory, at, status, cursor);
            if (shown != at && isRepeated(shown, stoodIn)) {
                shown = Pmem.NULL;
            }
            if (shown == Pmem.NULL) {
                dead += EntryRecord.state(status) == SlotState.DELETED ? 1 : 0;
            } else {
                long shownStatus = EntryRecord.status(pmem, shown);
                EntryRecord.name(pmem, shown, shownStatus, name);
                reader.read(shown, shownStatus, attributes);
                if (EntryRecord.status(pmem, shown) != shownStatus) {
                    continue; // it changed under our eyes: look again
                }
                if (!visitor.visit(name, attributes)) {
                    return dead;
                }
                cursor.birth = birth;
                cursor.at = at;
            }
            at = EntryRecord.sibling(pmem, at);
        }
        cursor.birth = -1;
        return dead;
    }

    private static boolean isRepeated(long shown, long[] stoodIn) {
        int slot = (int) (shown >>> 6) & (STOOD_IN - 1);
        boolean repeated = shown != Pmem.NULL && stoodIn[slot] == shown;
        stoodIn[slot] = shown == Pmem.NULL ? stoodIn[slot] : shown;
        return repeated;
    }

    /** Where to go on. The hint in the cursor may come from anybody: it is followed only to a live child of this directory. */
    private long resume(long directory, long content, ListCursor cursor) {
        if (cursor.birth == 0) {
            return DirContentRecord.childHead(pmem, content);
        }
        if (engine.regions.isEntrySlot(cursor.at) && isLiveChild(directory, cursor)) {
            long next = EntryRecord.sibling(pmem, cursor.at);
            if (isLiveChild(directory, cursor)) {
                return next;
            }
        }
        long at = DirContentRecord.childHead(pmem, content);
        while (at != Pmem.NULL && at != DirContentRecord.CLOSED && EntryRecord.birth(pmem, at) >= cursor.birth) {
            at = EntryRecord.sibling(pmem, at);
        }
        return at;
    }

    private boolean isLiveChild(long directory, ListCursor cursor) {
        return EntryRecord.state(pmem, cursor.at) == SlotState.NORMAL
                && EntryRecord.birth(pmem, cursor.at) == cursor.birth
                && EntryRecord.parent(pmem, cursor.at) == directory;
    }

    /** The object whose entry stands for a node of the list: itself, its successor, or none. */
    private long shownFor(long directory, long at, long status, ListCursor cursor) {
        return switch (EntryRecord.state(status)) {
            case SlotState.NORMAL, SlotState.DELETING -> at;
            case SlotState.CREATING -> {
                // Not there yet; should it turn out to be a name moved from further down, it counts as born after our
                // start.
                cursor.start = Math.min(cursor.start, EntryRecord.birth(pmem, at) - 1);
                yield Pmem.NULL;
            }
            case SlotState.MOVING, SlotState.REPLACED -> {
                long successor = EntryRecord.link(pmem, at);
                boolean stillHere = EntryRecord.state(pmem, successor) == SlotState.CREATING;
                yield stillHere ? at : moved(directory, at, successor, cursor);
            }
            case SlotState.DELETED -> moved(directory, at, EntryRecord.link(pmem, at), cursor);
            default -> Pmem.NULL;
        };
    }

    /**
     * † A name that a rename moved ahead of the walk must not fall through: if the successor is in this directory, and was born
     * after the walk began, it is shown in its origin's place.
     */
    private long moved(long directory, long at, long successor, ListCursor cursor) {
        boolean missed = successor != Pmem.NULL
                && EntryRecord.death(pmem, at) >= engine.clock.start()
                && EntryRecord.state(pmem, successor) == SlotState.NORMAL
                && EntryRecord.parent(pmem, successor) == directory
                && (EntryRecord.id(pmem, successor) == EntryRecord.id(pmem, at) || hasSameName(at, successor))
                && EntryRecord.birth(pmem, successor) > cursor.start;
        return missed ? successor : Pmem.NULL;
    }

    private boolean hasSameName(long at, long other) {
        Name name = new Name();
        EntryRecord.name(pmem, at, EntryRecord.status(pmem, at), name);
        return EntryRecord.hasKey(pmem, other, EntryRecord.status(pmem, other), EntryRecord.parent(pmem, at), name);
    }
}
