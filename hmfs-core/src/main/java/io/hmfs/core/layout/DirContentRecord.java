package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * Directory content: one cache line, little-endian, format v2 (docs/format.md#directory-content). The part of a directory that
 * its children change (HMFS §3.1, Figure 4).
 *
 * <pre>
 *   0        8        16          24       32       40       48       56       64
 *   | status | id     | childHead | mtime  | access | length | middle | next   |
 *   '---- cas16 ----' '------ cas16 ------'
 * </pre>
 *
 * A FREE slot has the time when it was freed in place of the id.
 *
 * I4. (childHead, mtime) changes only by cas16, and mtime never falls: a stale head cannot win (no ABA). {@code access} is the
 * offset of the access object and is believed only after its id was compared. {@code length} and {@code middle} are hints
 * without crash consistency (§3.4); {@code next} chains free slots and means nothing after a crash.
 */
public final class DirContentRecord {
    public static final long SIZE = 64;
    public static final long STATUS_OFFSET = 0;
    public static final long ID_OFFSET = 8;
    public static final long CHILD_HEAD_OFFSET = 16; // 16-byte aligned: first half of the cas16 pair
    public static final long MTIME_OFFSET = 24;
    public static final long ACCESS_OFFSET = 32;
    public static final long LENGTH_OFFSET = 40;
    public static final long MIDDLE_OFFSET = 48;
    public static final long NEXT_OFFSET = 56;

    /** A childHead that says: this directory is being removed. No slot stands there, slots are aligned to lines. */
    public static final long CLOSED = 1;

    static final StructLayout LAYOUT = structLayout(
                    u64("status"),
                    u64("id"),
                    u64("childHead"),
                    u64("mtime"),
                    u64("access"),
                    u64("length"),
                    u64("middle"),
                    u64("next"))
            .withByteAlignment(64)
            .withName("DirContentRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "status", STATUS_OFFSET);
        Layouts.pin(LAYOUT, "id", ID_OFFSET);
        Layouts.pin(LAYOUT, "childHead", CHILD_HEAD_OFFSET);
        Layouts.pin(LAYOUT, "mtime", MTIME_OFFSET);
        Layouts.pin(LAYOUT, "access", ACCESS_OFFSET);
        Layouts.pin(LAYOUT, "length", LENGTH_OFFSET);
        Layouts.pin(LAYOUT, "middle", MIDDLE_OFFSET);
        Layouts.pin(LAYOUT, "next", NEXT_OFFSET);
    }

    private DirContentRecord() {}

    private static final long LIVE = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CONTENT, 0);

    /** Fills a fresh slot; status and id come last, as one unit. */
    public static void init(Pmem pmem, long at, long id, long access, long mtime) {
        pmem.set(at + CHILD_HEAD_OFFSET, Pmem.NULL);
        pmem.set(at + MTIME_OFFSET, mtime);
        pmem.set(at + ACCESS_OFFSET, access);
        pmem.set(at + LENGTH_OFFSET, 0);
        pmem.set(at + MIDDLE_OFFSET, 0);
        pmem.set(at + NEXT_OFFSET, 0);
        boolean free = pmem.cas16(at + STATUS_OFFSET, pmem.get(at + STATUS_OFFSET), pmem.get(at + ID_OFFSET), LIVE, id);
        assert free : "a fresh slot has one owner";
    }

    /** Frees the content of this directory; false if it is not that any more. */
    public static boolean free(Pmem pmem, long at, long id, long time) {
        return pmem.cas16(at + STATUS_OFFSET, LIVE, id, SlotState.FREE, time);
    }

    public static long id(Pmem pmem, long at) {
        return pmem.get(at + ID_OFFSET);
    }

    public static long childHead(Pmem pmem, long at) {
        return pmem.getAcquire(at + CHILD_HEAD_OFFSET);
    }

    public static long mtime(Pmem pmem, long at) {
        return pmem.getAcquire(at + MTIME_OFFSET);
    }

    public static long access(Pmem pmem, long at) {
        return pmem.getAcquire(at + ACCESS_OFFSET);
    }
}
