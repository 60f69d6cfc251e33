package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * What a numbered change is about to do: one cache line of an {@link OutcomeRing}, little-endian (docs/format.md#outcomes).
 * <pre>
 *   0        8        16       24       32       40       48       56       64
 *   | number | object | time   | id     | parent | owner  | first  | second |
 * </pre>
 * number = sequence &lt;&lt; 2 | phase; stored last, and 0 before the other words change: what a crash leaves of a record is none, or
 * whole. object = offset of a slot | which change it was &lt;&lt; 3 | what shows there that it was executed.
 */
public final class OutcomeRecord {
    public static final long SIZE = 64;
    public static final long NUMBER_OFFSET = 0;
    public static final long OBJECT_OFFSET = 8;
    public static final long TIME_OFFSET = 16;
    public static final long ID_OFFSET = 24;
    public static final long PARENT_OFFSET = 32;
    public static final long OWNER_OFFSET = 40;
    public static final long FIRST_OFFSET = 48;
    public static final long SECOND_OFFSET = 56;

    /** The change was about to be executed. Whether it was, a start finds out before anything else happens. */
    public static final int WRITTEN = 1;

    /** It was executed, as an earlier start has found. */
    public static final int EXECUTED = 2;

    /** Executed if the object that was made there, at that time, has come to be. */
    public static final int MADE = 1;

    /** Executed if the object that was there before that time is not there any more. */
    public static final int GONE = 2;

    /** Executed if the mtime of the object there is at least the first word. */
    public static final int RESIZED = 3;

    /** Executed if the ctime of the object there is at least the first word. */
    public static final int OWNED = 4;

    /** Executed if the ctime of the object there is at least the record's time; else a start carries it out. */
    public static final int TIMED = 5;

    /**
     * Executed if the ctime of the object there is above the first word, or is that and its chain is another than the second one: the
     * ctime goes before the chain, and the next change of the chain changes it too.
     */
    public static final int CHAINED = 6;

    /** Which change it was: of what was made or is gone the kind of its entry, but 0 for a move. */
    public static final int MOVED = 0;

    /** Of what got another size: by an append, by a truncate. */
    public static final int APPENDED = 1;

    public static final int TRUNCATED = 2;

    /** Of what got another owner or mode: by a chmod, by a chown. */
    public static final int OF_MODE = 1;

    public static final int OF_OWNER = 2;

    /** The same of what got another ACL, with its mode: {@link #OWNED}. */
    public static final int OF_ACL = 3;

    /** Of what got another chain: by an attribute that was set or removed. */
    public static final int ATTRIBUTE_SET = 1;

    public static final int ATTRIBUTE_REMOVED = 2;

    private static final int PHASE_BITS = 2;
    private static final long PHASE_MASK = (1 << PHASE_BITS) - 1;
    private static final int EVIDENCE_BITS = 3;
    private static final long EVIDENCE_MASK = (1 << EVIDENCE_BITS) - 1;
    private static final long OBJECT_MASK = -Pmem.LINE;

    static final StructLayout LAYOUT = structLayout(
                    u64("number"),
                    u64("object"),
                    u64("time"),
                    u64("id"),
                    u64("parent"),
                    u64("owner"),
                    u64("first"),
                    u64("second"))
            .withByteAlignment(64)
            .withName("OutcomeRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "number", NUMBER_OFFSET);
        Layouts.pin(LAYOUT, "object", OBJECT_OFFSET);
        Layouts.pin(LAYOUT, "time", TIME_OFFSET);
        Layouts.pin(LAYOUT, "id", ID_OFFSET);
        Layouts.pin(LAYOUT, "parent", PARENT_OFFSET);
        Layouts.pin(LAYOUT, "owner", OWNER_OFFSET);
        Layouts.pin(LAYOUT, "first", FIRST_OFFSET);
        Layouts.pin(LAYOUT, "second", SECOND_OFFSET);
    }

    private OutcomeRecord() {}

    /** What shows that a change was executed, and which one it was, as {@link #write} takes it. */
    public static int shown(int evidence, int change) {
        return change << EVIDENCE_BITS | evidence;
    }

    /** Takes the place of an older record. The words in this order: see above. */
    public static void write(
            Pmem pmem, long at, long sequence, int shown, long object, long time, long first, long second) {
        pmem.setRelease(at + NUMBER_OFFSET, 0);
        pmem.setRelease(at + OBJECT_OFFSET, object | shown);
        pmem.setRelease(at + TIME_OFFSET, time);
        pmem.setRelease(at + ID_OFFSET, EntryRecord.id(pmem, object));
        pmem.setRelease(at + PARENT_OFFSET, EntryRecord.parent(pmem, object));
        pmem.setRelease(at + OWNER_OFFSET, pmem.get(object + EntryRecord.OWNER_OFFSET));
        pmem.setRelease(at + FIRST_OFFSET, first);
        pmem.setRelease(at + SECOND_OFFSET, second);
        pmem.setRelease(at + NUMBER_OFFSET, sequence << PHASE_BITS | WRITTEN);
    }

    /** The change was not executed, or is undone. */
    public static void clear(Pmem pmem, long at) {
        pmem.setRelease(at + NUMBER_OFFSET, 0);
    }

    /** The change was executed. */
    public static void confirm(Pmem pmem, long at) {
        pmem.setRelease(at + NUMBER_OFFSET, (pmem.get(at + NUMBER_OFFSET) & ~PHASE_MASK) | EXECUTED);
    }

    /** The number word; 0: no record. */
    public static long number(Pmem pmem, long at) {
        return pmem.getAcquire(at + NUMBER_OFFSET);
    }

    public static long sequence(long number) {
        return number >>> PHASE_BITS;
    }

    public static int phase(long number) {
        return (int) (number & PHASE_MASK);
    }

    /** The slot that the change is about. */
    public static long object(Pmem pmem, long at) {
        return pmem.get(at + OBJECT_OFFSET) & OBJECT_MASK;
    }

    /** What shows that it was executed. */
    public static int evidence(Pmem pmem, long at) {
        return (int) (pmem.get(at + OBJECT_OFFSET) & EVIDENCE_MASK);
    }

    /** Which change it was, among those with this evidence. */
    public static int change(Pmem pmem, long at) {
        return (int) ((pmem.get(at + OBJECT_OFFSET) & ~OBJECT_MASK) >>> EVIDENCE_BITS);
    }

    public static long time(Pmem pmem, long at) {
        return pmem.get(at + TIME_OFFSET);
    }

    public static long id(Pmem pmem, long at) {
        return pmem.get(at + ID_OFFSET);
    }

    public static long parent(Pmem pmem, long at) {
        return pmem.get(at + PARENT_OFFSET);
    }

    public static long owner(Pmem pmem, long at) {
        return pmem.get(at + OWNER_OFFSET);
    }

    public static long first(Pmem pmem, long at) {
        return pmem.get(at + FIRST_OFFSET);
    }

    public static long second(Pmem pmem, long at) {
        return pmem.get(at + SECOND_OFFSET);
    }
}
