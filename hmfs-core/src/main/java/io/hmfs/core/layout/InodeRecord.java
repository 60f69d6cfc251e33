package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * Inode: the object behind all names of a file that has, or had, more than one (HMFS §3.7). It stands under its id, in no
 * directory's list, in a slot for a short entry; its attributes are those of an entry; little-endian, format v2
 * (docs/format.md#inode).
 *
 * <pre>
 *   0        8        16       24       32       40       48       56       64
 *   | status | death  | names  | birth  | link   | parent | id     | next   |   link and parent are 0
 *   '---- cas16 ----'
 *   64                                                                     128
 *   | attributes, as in an entry                                            |
 *   128                                                                    192
 *   | reserved                                                              |
 * </pre>
 *
 * names = count &lt;&lt; 48 | indirect entry in flight | what it does. While an entry is in flight the number of names is the count
 * and what the state of that entry adds or takes, so that a name and the count change in one instant, and a crash finds here
 * what it needs to know. One entry is in flight at a time; the slot of one in flight is not reused (I5).
 */
public final class InodeRecord {
    public static final long SIZE = EntryRecord.SIZE;
    public static final long NAMES_OFFSET = 16;

    /** Most names of one file. */
    public static final int NAMES_MAX = 65_535;

    /** Counts one more once the entry in flight is there. */
    public static final int ARRIVING = 1;

    /** Counts one less once the entry in flight is not there. */
    public static final int LEAVING = 2;

    private static final int COUNT_SHIFT = 48;
    private static final long OFFSET_MASK = 0xffff_ffff_ffc0L;
    private static final long FLIGHT_MASK = 63;

    static final StructLayout LAYOUT = structLayout(
                    u64("status"),
                    u64("death"),
                    u64("names"),
                    u64("birth"),
                    u64("link"),
                    u64("parent"),
                    u64("id"),
                    u64("next"),
                    paddingLayout(64).withName("attributes"),
                    paddingLayout(64))
            .withByteAlignment(64)
            .withName("InodeRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "status", EntryRecord.STATUS_OFFSET);
        Layouts.pin(LAYOUT, "death", EntryRecord.DEATH_OFFSET);
        Layouts.pin(LAYOUT, "names", NAMES_OFFSET);
        Layouts.pin(LAYOUT, "birth", EntryRecord.BIRTH_OFFSET);
        Layouts.pin(LAYOUT, "link", EntryRecord.LINK_OFFSET);
        Layouts.pin(LAYOUT, "parent", EntryRecord.PARENT_OFFSET);
        Layouts.pin(LAYOUT, "id", EntryRecord.ID_OFFSET);
        Layouts.pin(LAYOUT, "next", EntryRecord.NEXT_OFFSET);
        Layouts.pin(LAYOUT, "attributes", EntryRecord.MTIME_OFFSET);
    }

    private InodeRecord() {}

    /**
     * Fills a fresh slot with the object that stands at {@code entry} and that no thread can change now. It has one name if that
     * entry is an indirect one, and none, so that no name has it, until then. The status comes last, with the check of its id.
     */
    public static void init(Pmem pmem, long at, long entry, int check, long time) {
        pmem.set(at + EntryRecord.DEATH_OFFSET, time);
        pmem.set(at + NAMES_OFFSET, names(1, entry, LEAVING));
        pmem.set(at + EntryRecord.BIRTH_OFFSET, time);
        pmem.set(at + EntryRecord.LINK_OFFSET, Pmem.NULL);
        pmem.set(at + EntryRecord.PARENT_OFFSET, 0);
        pmem.set(at + EntryRecord.ID_OFFSET, EntryRecord.id(pmem, entry));
        EntryRecord.copyAttributes(pmem, entry, at);
        int kind = EntryRecord.kind(EntryRecord.status(pmem, entry));
        long status = EntryRecord.withCheck(EntryRecord.inodeStatus(SlotState.NORMAL, kind), check);
        pmem.setRelease(at + EntryRecord.STATUS_OFFSET, status);
    }

    /** Frees an inode without names; false if another thread has. */
    public static boolean free(Pmem pmem, long at, long time) {
        long status = EntryRecord.status(pmem, at);
        long death = EntryRecord.death(pmem, at);
        return EntryRecord.kind(status) == EntryRecord.KIND_INODE
                && pmem.cas16(at + EntryRecord.STATUS_OFFSET, status, death, SlotState.FREE, time);
    }

    /** Makes a live inode without names DELETED, on no list; false if another thread has. */
    public static boolean bury(Pmem pmem, long at, long time) {
        long status = EntryRecord.status(pmem, at);
        long death = EntryRecord.death(pmem, at);
        long dead = EntryRecord.asUnlisted(EntryRecord.buried(status));
        return EntryRecord.kind(status) == EntryRecord.KIND_INODE
                && EntryRecord.state(status) == SlotState.NORMAL
                && pmem.cas16(at + EntryRecord.STATUS_OFFSET, status, death, dead, time);
    }

    public static long names(int count, long entry, int what) {
        return (long) count << COUNT_SHIFT | entry | what;
    }

    public static long names(Pmem pmem, long at) {
        return pmem.getAcquire(at + NAMES_OFFSET);
    }

    /** The count before what is in flight. */
    public static int count(long names) {
        return (int) (names >>> COUNT_SHIFT);
    }

    /** The entry in flight, or {@code Pmem.NULL}. */
    public static long entry(long names) {
        return names & OFFSET_MASK;
    }

    /** What the entry in flight does: {@link #ARRIVING}, {@link #LEAVING}, or 0. */
    public static int flight(long names) {
        return (int) (names & FLIGHT_MASK);
    }

    /** The number of names, given whether the entry in flight is there. */
    public static int count(long names, boolean there) {
        return switch (flight(names)) {
            case ARRIVING -> count(names) + (there ? 1 : 0);
            case LEAVING -> count(names) - (there ? 0 : 1);
            default -> count(names);
        };
    }
}
