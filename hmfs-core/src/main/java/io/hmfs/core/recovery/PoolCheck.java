package io.hmfs.core.recovery;

import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.InodeRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks I3, I4 and I5 of a pool that is at rest: nothing in flight, the background scan done. Reads everything; its memory grows
 * with the number of objects, so it is for tests and offline checks.
 */
public final class PoolCheck {
    private static final int PROBLEMS_MAX = 100;

    private final Engine engine;
    private final Pmem pmem;
    private final List<String> problems = new ArrayList<>();
    private final Set<Long> reached = new HashSet<>();

    /** Names found, by inode. */
    private final Map<Long, Integer> names = new HashMap<>();

    private PoolCheck(Engine engine) {
        this.engine = engine;
        this.pmem = engine.pmem;
    }

    /** What is wrong, in words; empty if nothing is. */
    public static List<String> run(Engine engine, long rootId) {
        PoolCheck check = new PoolCheck(engine);
        int pin = engine.epochs.pin();
        check.checkTree(rootId);
        check.checkInodes();
        check.checkIndex();
        check.checkSlots(engine.contentSlots);
        check.checkSlots(engine.entrySlots);
        check.checkSlots(engine.longEntrySlots);
        engine.epochs.unpin(pin);
        return check.problems;
    }

    private void problem(String text) {
        if (problems.size() < PROBLEMS_MAX) {
            problems.add(text);
        }
    }

    private void checkTree(long rootId) {
        ArrayDeque<Long> due = new ArrayDeque<>();
        due.add(rootId);
        for (Long id = due.poll(); id != null; id = due.poll()) {
            long content = engine.findContent(id);
            if (content == Pmem.NULL) {
                problem("directory " + id + " has no content");
                continue;
            }
            long access = DirContentRecord.access(pmem, content);
            if (EntryRecord.id(pmem, access) != id || EntryRecord.state(pmem, access) != SlotState.NORMAL) {
                problem("content of directory " + id + " points at another object");
            }
            reached.add(content);
            if (reached.add(access)) {
                checkChain(access);
            }
            checkList(id, content, due);
        }
    }

    /** What an object has in its chain is whole. */
    private void checkChain(long at) {
        try {
            engine.chains.blobOf(at);
        } catch (CorruptPoolException e) {
            problem("chain of object " + at + ": " + e.getMessage());
        }
    }

    private void checkList(long id, long content, ArrayDeque<Long> due) {
        long above = DirContentRecord.mtime(pmem, content) + 1;
        long at = DirContentRecord.childHead(pmem, content);
        if (at == DirContentRecord.CLOSED) {
            problem("directory " + id + " was left closed");
            return;
        }
        for (; at != Pmem.NULL; at = EntryRecord.sibling(pmem, at)) {
            long birth = EntryRecord.birth(pmem, at);
            if (birth >= above) {
                problem("I4: birth of object " + at + " is not below its predecessor's in directory " + id);
                return; // perhaps a cycle
            }
            above = birth;
            if (EntryRecord.parent(pmem, at) != id) {
                problem("I3: object " + at + " of directory " + EntryRecord.parent(pmem, at) + " is listed in " + id);
                return;
            }
            checkChild(id, at, due);
        }
    }

    private void checkChild(long id, long at, ArrayDeque<Long> due) {
        long status = EntryRecord.status(pmem, at);
        int state = EntryRecord.state(status);
        if (state == SlotState.FREE) {
            problem("I5: free slot " + at + " is listed in directory " + id);
        } else if (state == SlotState.DELETED) {
            reached.add(at); // waits for a sweep
            if (EntryRecord.death(pmem, at) > DirContentRecord.mtime(pmem, engine.findContent(id))) {
                problem("I4: object " + at + " died after the mtime of its directory " + id);
            }
        } else if (state != SlotState.NORMAL) {
            problem("I3: object " + at + " in directory " + id + " was left in state " + state);
        } else {
            if (reached.add(at)) {
                checkChain(at);
            }
            Name name = new Name();
            EntryRecord.name(pmem, at, status, name);
            if (engine.findLocked(engine.keys.ofEntry(id, name), id, name) != at) {
                problem("I3: " + name + " in directory " + id + " is listed and not found");
            }
            if (EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY) {
                due.add(EntryRecord.id(pmem, at));
            } else if (EntryRecord.isIndirect(status)) {
                long inode = engine.inodes.find(EntryRecord.id(pmem, at));
                if (inode == Pmem.NULL) {
                    problem("I3: " + name + " in directory " + id + " is a name of no inode");
                } else {
                    names.merge(inode, 1, Integer::sum);
                    reached.add(inode);
                }
            }
        }
    }

    /** An inode counts its names, and has nothing in flight. */
    private void checkInodes() {
        names.forEach((inode, found) -> {
            long word = InodeRecord.names(pmem, inode);
            checkChain(inode);
            if (word != InodeRecord.names(found, Pmem.NULL, 0)) {
                problem("I3: inode " + EntryRecord.id(pmem, inode) + " has " + found + " names and counts "
                        + InodeRecord.count(word) + ", in flight " + InodeRecord.entry(word));
            }
        });
    }

    /** The reverse of I3: what the index names is live, and stands under that key. */
    private void checkIndex() {
        for (long position = 0; position < engine.index.sweepEnd(); position++) {
            engine.index.sweep(position, (_, word, fits) -> {
                long at = BucketRecord.offset(word);
                if (!fits || !reached.contains(at) || EntryRecord.state(pmem, at) != SlotState.NORMAL) {
                    problem("I3: the index names object " + at + " in state " + EntryRecord.state(pmem, at)
                            + (fits ? "" : ", under another key"));
                }
                return true;
            });
        }
    }

    /** Every slot is reached, or free and known to be. */
    private void checkSlots(SlotAllocator slots) {
        long size = slots.kind().slotSize();
        long free = 0;
        for (int i = 0; i < engine.regions.count(); i++) {
            if (engine.regions.kind(i) == slots.kind()) {
                long start = engine.regions.at(i);
                for (long at = start; at + size <= start + engine.regions.size(); at += size) {
                    if (EntryRecord.state(pmem, at) == SlotState.FREE) {
                        free++;
                    } else if (!reached.contains(at) && !isChainOfAnObject(at)) {
                        problem("I5: " + what(slots.kind()) + " " + at + " in state " + EntryRecord.state(pmem, at)
                                + " is reached from nowhere");
                    }
                }
            }
        }
        long known = slots.countFree();
        if (known != free) {
            problem("I5: " + free + " free " + what(slots.kind()) + "s, the allocator knows of " + known);
        }
    }

    private boolean isChainOfAnObject(long at) {
        return EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_CHAIN
                && engine.chains.isReached(at, ChainRecord.serial(pmem, at));
    }

    private static String what(RegionKind kind) {
        return kind == RegionKind.CONTENT_SLOTS ? "directory content" : "entry";
    }
}
