package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/** The loop check of rename: climbs from a directory to the root. No directory moves meanwhile. */
final class Ancestry {
    /** No offset: the ancestor was met. */
    static final long MET = -1;

    /** Most directories that a climb passes. A rename to a place below more is refused. */
    private static final int DEPTH_MAX = 1 << 16;

    private static final long ROOT_ID = 1;
    private static final long ROOT_PARENT_ID = 0;

    private final Engine engine;
    private final Pmem pmem;

    Ancestry(Engine engine) {
        this.engine = engine;
        this.pmem = engine.pmem;
    }

    /**
     * {@link #MET} if {@code id} is the ancestor or lies below it; an access object that must be recovered first; {@link Engine#DAMAGED}: one on the way does
     * not tell what is above it; or NULL.
     */
    long climb(long id, long ancestor) {
        long at = id;
        for (int depth = 0; depth < DEPTH_MAX && at != ROOT_ID && at != ROOT_PARENT_ID; depth++) {
            if (at == ancestor) {
                return MET;
            }
            long content = engine.findContent(at);
            if (content == Pmem.NULL) {
                return Pmem.NULL;
            }
            long access = DirContentRecord.access(pmem, content);
            long successor = EntryRecord.link(pmem, access);
            if (EntryRecord.state(pmem, access) == SlotState.DELETED && engine.isAccessOf(successor, at)) {
                access = successor;
            }
            // A move that an earlier start left half done: only its recovery says where this directory is.
            long status = EntryRecord.status(pmem, access);
            if (engine.isStale(access, status)) {
                return access;
            }
            if (engine.isDamaged(access, status)) {
                return Engine.DAMAGED;
            }
            at = EntryRecord.parent(pmem, access);
        }
        // The climb was cut off, and the ancestor may stand further up: a rename that makes a loop would lose all that
        // is in it.
        return at == ROOT_ID || at == ROOT_PARENT_ID ? Pmem.NULL : MET;
    }
}
