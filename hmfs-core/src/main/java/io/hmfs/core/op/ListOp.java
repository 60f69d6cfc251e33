package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
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
    /** Renames of one place, all since the listing began, that are followed: more than fit into a sweep's grace. */
    private static final int HOPS_MAX = 1 << 22;

    private static final long ROOT_ID = 1;

    /** Children that were made one after the other stand so near, or nearer, to those ahead of them. */
    private static final long NEAR = ChildList.AHEAD * EntryRecord.SIZE;

    /** Says that an object changed while it was looked at, or is about to. */
    private static final long AGAIN = -1;

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
            long content = recovery.openContent(directory);
            if (content == Pmem.NULL) {
                return Status.NO_SUCH_DIRECTORY;
            }
            Walk walk = walk(directory, content, cursor, new Attributes(), new Name());
            walk.show(visitor);
            return walk.isDamaged() ? Status.DAMAGED : Status.OK;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** A walk over this directory, from this cursor on; its entries are shown in these. */
    Walk walk(long directory, long content, ListCursor cursor, Attributes attributes, Name name) {
        return new Walk(directory, content, cursor, attributes, name);
    }

    /** One page of a listing, with an epoch pinned. */
    final class Walk {
        private final long directory;
        private final long ofParent;
        private final long content;
        private final ListCursor cursor;
        private final Attributes attributes;
        private final Name name;
        private long dead;

        /** Whether it has ended at an entry whose check does not fit: what it would show is not known. */
        private boolean damaged;

        private Walk(long directory, long content, ListCursor cursor, Attributes attributes, Name name) {
            this.directory = directory;
            this.ofParent = engine.keys.ofParent(directory);
            this.content = content;
            this.cursor = cursor;
            this.attributes = attributes;
            this.name = name;
        }

        /** Shows what comes until the visitor says stop. */
        void show(ListVisitor visitor) {
            run(first(visitor), visitor, false);
        }

        /** Shows the next entry alone, from this node on; the node behind it, NULL at the end. */
        long showOne(long from, ListVisitor visitor) {
            return run(from, visitor, true);
        }

        /** The node where it goes on: NULL or CLOSED at the end. */
        long first(ListVisitor visitor) {
            return cursor.birth == 0 ? begin() : resume(visitor);
        }

        boolean isDamaged() {
            return damaged;
        }

        private long run(long from, ListVisitor visitor, boolean onlyOne) {
            dead = 0;
            long next = pass(from, visitor, onlyOne);
            if (dead > 0) {
                engine.dead.add(pmem, directory, content, dead);
            }
            return next;
        }

        /** Counts the dead that it passes. */
        private long pass(long from, ListVisitor visitor, boolean onlyOne) {
            long at = from;
            int passed = 0;
            int hiddenNodes = 0;
            while (at != Pmem.NULL && at != DirContentRecord.CLOSED) {
                long status = EntryRecord.status(pmem, at);
                if (engine.isStale(at, status)) {
                    recovery.recover(at);
                    continue;
                }
                prefetch(at, passed++);
                long birth = EntryRecord.birth(pmem, at);
                long shown = EntryRecord.state(status) == SlotState.NORMAL ? at : shownFor(at);
                if (shown == AGAIN) {
                    engine.locks.awaitOthers();
                    continue;
                }
                if (shown == Pmem.NULL) {
                    if (++hiddenNodes % ListVisitor.NODES == 0) {
                        visitor.passing();
                    }
                    dead += EntryRecord.state(status) == SlotState.DELETED ? 1 : 0;
                } else {
                    long shownStatus = shown == at ? status : EntryRecord.status(pmem, shown);
                    if (EntryRecord.state(shownStatus) == SlotState.DELETED
                            || EntryRecord.state(shownStatus) == SlotState.FREE) {
                        continue; // gone since it was chosen, and swept perhaps: what stands there has no name
                    }
                    // A name whose file is not there is damage too.
                    boolean believed = hasOwnKey(shown, shownStatus) && reader.read(shown, shownStatus, attributes);
                    if (EntryRecord.status(pmem, shown) != shownStatus) {
                        continue; // it changed under our eyes: look again
                    }
                    if (!believed) {
                        damaged = true;
                        return at;
                    }
                    boolean hidden = directory == ROOT_ID && name.isOrphans();
                    if (!hidden && !visitor.visit(name, attributes)) {
                        return at;
                    }
                    cursor.birth = birth;
                    cursor.at = at;
                    if (onlyOne && !hidden) {
                        return EntryRecord.sibling(pmem, at);
                    }
                }
                at = EntryRecord.sibling(pmem, at);
            }
            cursor.birth = -1;
            return Pmem.NULL;
        }

        /**
         * Asks for the memory of a node that comes later: of the one to which this one leads ahead, and where none led to it, of the next. A
         * neighbour comes without: the processor sees the stride of children that were made one after the other. Hints: any offset will do.
         */
        private void prefetch(long at, int passed) {
            long ahead = pmem.get(at + EntryRecord.NEXT_OFFSET);
            if (Math.abs(ahead - at) > NEAR) {
                pmem.prefetch(ahead, EntryRecord.SIZE);
            }
            if (passed < ChildList.AHEAD || ahead == Pmem.NULL) {
                long next = EntryRecord.sibling(pmem, at);
                if (Math.abs(next - at) != EntryRecord.SIZE) {
                    pmem.prefetch(next, EntryRecord.SIZE);
                }
            }
        }

        /** The head, and the mtime of the same moment: whatever is linked later is born after it, whatever is walked is not. */
        private long begin() {
            long head;
            do {
                cursor.start = DirContentRecord.mtime(pmem, content);
                head = DirContentRecord.childHead(pmem, content);
            } while (DirContentRecord.mtime(pmem, content) != cursor.start);
            return head;
        }

        /** Where to go on. The hint in the cursor may come from any client: it is followed only to a live child of this directory. */
        private long resume(ListVisitor visitor) {
            if (engine.regions.isEntrySlot(cursor.at) && isLiveChild()) {
                long next = EntryRecord.sibling(pmem, cursor.at);
                if (isLiveChild()) {
                    return next;
                }
            }
            long at = DirContentRecord.childHead(pmem, content);
            int passed = 0;
            while (at != Pmem.NULL && at != DirContentRecord.CLOSED && EntryRecord.birth(pmem, at) >= cursor.birth) {
                if (++passed % ListVisitor.NODES == 0) {
                    visitor.passing();
                }
                at = EntryRecord.sibling(pmem, at);
            }
            return at;
        }

        private boolean isLiveChild() {
            long status = EntryRecord.status(pmem, cursor.at);
            return EntryRecord.state(status) == SlotState.NORMAL
                    && EntryRecord.isEntry(status)
                    && EntryRecord.birth(pmem, cursor.at) == cursor.birth
                    && EntryRecord.parent(pmem, cursor.at) == directory;
        }

        /**
         * The object whose entry stands in the place of a node of the list: itself, a successor, or none; or AGAIN.
         *
         * <p>† What a rename moved ahead of the walk must not fall through, nor show twice. A successor that was linked after the walk began is not met by the
         * walk. It takes over the place of what it replaces, and its origin's is gone then; else that of its origin. Whose successor was linked before the walk
         * began is no part of it. This asks nothing of when the renames were, nor in which start: a successor is known by its birth.
         */
        private long shownFor(long at) {
            long node = at;
            for (int hops = 0; hops < HOPS_MAX; hops++) {
                long status = EntryRecord.status(pmem, node);
                if (engine.isStale(node, status)) {
                    recovery.recover(node);
                    continue;
                }
                long link = EntryRecord.link(pmem, node);
                long successor;
                switch (EntryRecord.state(status)) {
                    case SlotState.NORMAL, SlotState.DELETING -> {
                        return shownHere(node);
                    }
                    case SlotState.CREATING -> {
                        if (EntryRecord.status(pmem, node) != status) {
                            continue; // done or undone meanwhile: what was read was no link, or is none any more
                        }
                        // A create is not there yet. A rename's successor on the list is committed, and its name or its
                        // object
                        // may have been there all the while: its thread has a few instructions to go.
                        return link == Pmem.NULL ? Pmem.NULL : AGAIN;
                    }
                    case SlotState.MOVING, SlotState.REPLACED -> {
                        boolean committed = EntryRecord.state(pmem, link) != SlotState.CREATING;
                        if (!engine.isSameRename(node, status, link)) {
                            continue;
                        }
                        if (!committed) {
                            return shownHere(node);
                        }
                        successor = link;
                    }
                    case SlotState.DELETED -> successor = engine.successorOf(node);
                    default -> successor = Pmem.NULL;
                }
                boolean taken = successor != Pmem.NULL
                        && (node != at || EntryRecord.birth(pmem, successor) > cursor.start)
                        && (hasSameKey(node, successor) || !EntryRecord.tookPlace(EntryRecord.status(pmem, successor)));
                if (!taken) {
                    return Pmem.NULL;
                }
                node = successor;
            }
            return Pmem.NULL;
        }

        private long shownHere(long node) {
            return EntryRecord.parent(pmem, node) == directory ? node : Pmem.NULL;
        }

        /** Reads the name; whether it, the directory and the id are those with which the entry was made. */
        private boolean hasOwnKey(long at, long status) {
            if (EntryRecord.parent(pmem, at) != directory || !EntryRecord.hasName(pmem, at, status)) {
                return false;
            }
            EntryRecord.name(pmem, at, status, name);
            return EntryRecord.fits(pmem, at, status, engine.keys.ofName(ofParent, at, status));
        }

        private boolean hasSameKey(long at, long other) {
            EntryRecord.name(pmem, at, EntryRecord.status(pmem, at), name);
            return EntryRecord.hasKey(pmem, other, EntryRecord.status(pmem, other), EntryRecord.parent(pmem, at), name);
        }
    }
}
