package io.hmfs.core.check;

import io.hmfs.core.alloc.Epochs;
import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Clock;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.engine.IdSource;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;

/**
 * {@link Repairs} by the engine's own parts, in its order of stores, so that a repair that is cut off leaves what a crash leaves, or
 * damage that the next one finds. One thread; nothing else has the pool open.
 */
final class Fixes implements Repairs {
    private static final long ROOT_ID = 1;
    private static final String LOST_AND_FOUND = "lost+found";
    private static final int NAMES_TRIED_MAX = 1000;
    private static final long REPAIR_NANOS_MAX = 86_400_000_000_000L;

    private final PoolView view;
    private final Pmem pmem;
    private final Engine engine;
    private final ChildList lists;
    private long lostAndFound;

    Fixes(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
        Regions regions = new Regions(view.file);
        IndexSegments segments = new IndexSegments(pmem, regions);
        segments.collect();
        HashIndex index =
                HashIndex.open(pmem, view.header + PoolHeader.INDEX_ROOT_OFFSET, at -> hashOf(view, at), segments);
        this.engine = new Engine(
                pmem,
                regions,
                index,
                view.keys,
                new Epochs(),
                new Clock(pmem, view.header),
                new IdSource(pmem, view.header),
                Summary.none(),
                true);
        this.lists = new ChildList(engine);
        // What this repair makes has times of its own, which the passes behind it meet.
        view.future = Math.max(view.future, engine.clock.start() + REPAIR_NANOS_MAX);
    }

    /** A word may name any bytes while the pool is under repair; those beyond its end have no key. */
    static long hashOf(PoolView view, long at) {
        long status = EntryRecord.status(view.pmem, at);
        long end = at + EntryRecord.filledSize((Math.min(EntryRecord.nameLength(status), Name.LENGTH_MAX) + 7) & ~7);
        return EntryRecord.kind(status) == EntryRecord.KIND_CONTENT || end <= view.pmem.size()
                ? view.keys.ofObject(at)
                : 0;
    }

    @Override
    public void close() {
        engine.clock.close();
        engine.ids.close();
    }

    @Override
    public long now() {
        return engine.clock.now();
    }

    @Override
    public long newId() {
        return engine.ids.next();
    }

    @Override
    public void withoutData(long at) {
        long size = EntryRecord.size(pmem.get(at + EntryRecord.LENGTH_OFFSET));
        int kind = EntryRecord.kind(EntryRecord.status(pmem, at));
        if (kind == EntryRecord.KIND_FILE || kind == EntryRecord.KIND_INDIRECT) {
            view.store(at + EntryRecord.LENGTH_OFFSET, EntryRecord.grown(0, size, size == 0 ? -1 : 0));
        }
        view.storeId(at, newId());
    }

    @Override
    public boolean addWord(long at) {
        boolean done = engine.index.insert(engine.keys.ofObject(at), at);
        pmem.fence();
        return done;
    }

    @Override
    public void link(long content, long at) {
        if (DirContentRecord.childHead(pmem, content) == DirContentRecord.CLOSED) {
            view.store(content + DirContentRecord.CHILD_HEAD_OFFSET, Pmem.NULL);
        }
        lists.link(content, at, engine.clock.next());
    }

    @Override
    public void unlink(long content, long at) {
        if (content == Pmem.NULL) {
            return;
        }
        long field = content + DirContentRecord.CHILD_HEAD_OFFSET;
        long bound = Long.MAX_VALUE;
        for (long cursor = pmem.get(field); view.isEntry(cursor); cursor = pmem.get(field)) {
            if (cursor == at) {
                long next = EntryRecord.sibling(pmem, at);
                view.store(field, view.isEntry(next) ? next : Pmem.NULL);
                return;
            }
            if (EntryRecord.birth(pmem, cursor) >= bound) {
                return; // out of order: another repair's
            }
            bound = EntryRecord.birth(pmem, cursor);
            field = cursor + EntryRecord.SIBLING_OFFSET;
        }
    }

    @Override
    public long newContent(long access, long id) {
        long at = allocate(engine.contentSlots);
        if (at != Pmem.NULL) {
            DirContentRecord.init(pmem, at, id, access, engine.clock.next());
            pmem.persist(at, DirContentRecord.SIZE);
            addWord(at);
        }
        return at;
    }

    /** A slot; where the engine knows of none, those that are free in the pool are gathered first. */
    private long allocate(SlotAllocator slots) {
        long at = slots.allocate();
        if (at == Pmem.NULL) {
            view.eachSlot("free slots", slots.kind(), slot -> {
                if (EntryRecord.status(pmem, slot) == SlotState.FREE) {
                    slots.release(slot);
                }
            });
            at = slots.allocate();
        }
        return at;
    }

    @Override
    public void renameInPlace(long at, boolean directory) {
        engine.index.remove(engine.keys.ofObject(at), at);
        giveFreeName(at, EntryRecord.parent(pmem, at), directory);
        addWord(at);
    }

    private void giveFreeName(long at, long parent, boolean directory) {
        int kind = directory ? EntryRecord.KIND_DIRECTORY : EntryRecord.KIND_FILE;
        for (int i = 0; i < NAMES_TRIED_MAX; i++) {
            StringBuilder text = new StringBuilder("#" + EntryRecord.id(pmem, at));
            text.append(i == 0 ? "" : "." + i);
            while (text.length() < view.nameMin(at)) {
                text.append('_');
            }
            Name name = Name.of(text.toString());
            if (isFree(parent, name)) {
                EntryRecord.setName(pmem, at, name);
                pmem.persist(at + EntryRecord.NAME_OFFSET, name.length());
                long status = EntryRecord.status(SlotState.NORMAL, kind, name.length());
                int check = EntryRecord.check(engine.keys.ofEntry(parent, name), EntryRecord.id(pmem, at));
                view.store(at, EntryRecord.withCheck(status, check));
                return;
            }
        }
    }

    private boolean isFree(long parent, Name name) {
        return find(parent, name) == Pmem.NULL;
    }

    private long find(long parent, Name name) {
        return Math.abs(engine.findLocked(engine.keys.ofEntry(parent, name), parent, name)); // DAMAGED stays negative
    }

    @Override
    public void toLostAndFound(long at) {
        long parent = lostAndFound();
        long content = parent == 0 ? Pmem.NULL : engine.findContent(parent);
        if (content == Pmem.NULL) {
            return; // no space for it: the next check says so again
        }
        engine.index.remove(engine.keys.ofObject(at), at);
        if (!isFree(parent, view.name(at))) {
            giveFreeName(at, parent, view.isDirectory(at));
        }
        view.store(at + EntryRecord.PARENT_OFFSET, parent);
        view.recheck(at);
        addWord(at);
        link(content, at);
    }

    @Override
    public void newDirectoryFor(long content) {
        long id = DirContentRecord.id(pmem, content);
        long parent = lostAndFound();
        if (parent != 0) {
            long at = newAccess(parent, Name.of("#" + id), id, 0700);
            if (at != Pmem.NULL) {
                view.store(content + DirContentRecord.ACCESS_OFFSET, at);
                link(engine.findContent(parent), at);
                EntryRecord.setState(pmem, at, SlotState.NORMAL);
                pmem.persist(at, Pmem.LINE);
            }
        }
    }

    private long newAccess(long parent, Name name, long id, int mode) {
        long at = isFree(parent, name) ? allocate(engine.entrySlots) : Pmem.NULL;
        if (at != Pmem.NULL) {
            int check = EntryRecord.check(engine.keys.ofEntry(parent, name), id);
            long time = engine.clock.next();
            EntryRecord.init(pmem, at, EntryRecord.KIND_DIRECTORY, id, check, parent, name, time, mode, Owner.of(0, 0));
            pmem.persist(at, EntryRecord.SIZE);
            addWord(at);
        }
        return at;
    }

    /** The id of /lost+found, which is made if it is not there; 0 if there is no space for it. */
    private long lostAndFound() {
        for (int i = 0; lostAndFound == 0 && i < NAMES_TRIED_MAX; i++) {
            Name name = Name.of(LOST_AND_FOUND + (i == 0 ? "" : "." + i));
            long found = find(ROOT_ID, name);
            if (found == Pmem.NULL) {
                return makeLostAndFound(name);
            }
            boolean directory = found != Engine.DAMAGED
                    && EntryRecord.kind(EntryRecord.status(pmem, found)) == EntryRecord.KIND_DIRECTORY;
            if (directory && EntryRecord.state(pmem, found) == SlotState.NORMAL) {
                lostAndFound = EntryRecord.id(pmem, found);
            }
        }
        return lostAndFound;
    }

    private long makeLostAndFound(Name name) {
        long id = newId();
        long at = newAccess(ROOT_ID, name, id, 0700);
        if (at == Pmem.NULL || newContent(at, id) == Pmem.NULL) {
            return 0;
        }
        link(RootCheck.content(view), at);
        EntryRecord.setState(pmem, at, SlotState.NORMAL);
        pmem.persist(at, Pmem.LINE);
        lostAndFound = id;
        return id;
    }
}
