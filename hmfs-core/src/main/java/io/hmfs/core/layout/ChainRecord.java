package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * One slot of a chain: what an object has without a bound (the target of a symbolic link, extended attributes, an ACL);
 * little-endian, format v2 (docs/format.md#chain). Stands among the long entries.
 *
 * <pre>
 *   0        8        16       24       32       40       48       56       64               384
 *   | status | serial | rest   | head   | zero   | owner  | blob   | next   | data           |
 *   '---- cas16 ----'
 * </pre>
 *
 * A chain is never changed: another takes its place by one store into its owner's {@code links}, and has one owner all its life.
 * blob = bytes of the blob | CRC32C &lt;&lt; 32, in the first slot, which is the head. zero stands where an entry has its link, so that
 * no thread that meets a reused slot takes it for half of a rename. A FREE slot has the time when it was freed in place of the serial.
 *
 * I5. All slots of a chain have its serial, which no other chain ever has; a slot belongs to an object if its head has the same
 * serial and its owner names that head. So a slot that a crash leaked is told by looking at three lines.
 */
public final class ChainRecord {
    public static final long SIZE = EntryRecord.LONG_SIZE;
    public static final long STATUS_OFFSET = 0; // 16-byte aligned: first half of a cas16 pair
    public static final long SERIAL_OFFSET = 8;
    public static final long REST_OFFSET = 16;
    public static final long HEAD_OFFSET = 24;
    public static final long ZERO_OFFSET = 32;
    public static final long OWNER_OFFSET = 40;
    public static final long BLOB_OFFSET = 48;
    public static final long NEXT_OFFSET = 56;
    public static final long DATA_OFFSET = 64;

    /** Bytes of the blob that one slot holds. */
    public static final int DATA_SIZE = 320;

    static final StructLayout LAYOUT = structLayout(
                    u64("status"),
                    u64("serial"),
                    u64("rest"),
                    u64("head"),
                    u64("zero"),
                    u64("owner"),
                    u64("blob"),
                    u64("next"),
                    paddingLayout(DATA_SIZE).withName("data"))
            .withByteAlignment(64)
            .withName("ChainRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "status", STATUS_OFFSET);
        Layouts.pin(LAYOUT, "serial", SERIAL_OFFSET);
        Layouts.pin(LAYOUT, "rest", REST_OFFSET);
        Layouts.pin(LAYOUT, "head", HEAD_OFFSET);
        Layouts.pin(LAYOUT, "zero", ZERO_OFFSET);
        Layouts.pin(LAYOUT, "owner", OWNER_OFFSET);
        Layouts.pin(LAYOUT, "blob", BLOB_OFFSET);
        Layouts.pin(LAYOUT, "next", NEXT_OFFSET);
        Layouts.pin(LAYOUT, "data", DATA_OFFSET);
    }

    private static final long LIVE = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CHAIN, 0);

    private ChainRecord() {}

    /** Fills the first line of a fresh slot; status and serial come last, as one unit. */
    public static void init(Pmem pmem, long at, long serial, long rest, long head, long owner, long blob) {
        pmem.set(at + REST_OFFSET, rest);
        pmem.set(at + HEAD_OFFSET, head);
        pmem.set(at + ZERO_OFFSET, 0);
        pmem.set(at + OWNER_OFFSET, owner);
        pmem.set(at + BLOB_OFFSET, blob);
        pmem.set(at + NEXT_OFFSET, 0);
        boolean free = pmem.cas16(
                at + STATUS_OFFSET, pmem.get(at + STATUS_OFFSET), pmem.get(at + SERIAL_OFFSET), LIVE, serial);
        assert free : "a fresh slot has one owner";
    }

    /** Frees a slot of the chain with this serial; false if it is not that any more. */
    public static boolean free(Pmem pmem, long at, long serial, long time) {
        return pmem.cas16(at + STATUS_OFFSET, LIVE, serial, SlotState.FREE, time);
    }

    /** Whether a slot of the chain with this serial stands here. */
    public static boolean isOf(Pmem pmem, long at, long serial) {
        return pmem.getAcquire(at + STATUS_OFFSET) == LIVE && pmem.getAcquire(at + SERIAL_OFFSET) == serial;
    }

    public static long serial(Pmem pmem, long at) {
        return pmem.getAcquire(at + SERIAL_OFFSET);
    }

    public static long rest(Pmem pmem, long at) {
        return pmem.get(at + REST_OFFSET);
    }

    public static long head(Pmem pmem, long at) {
        return pmem.get(at + HEAD_OFFSET);
    }

    public static long owner(Pmem pmem, long at) {
        return pmem.get(at + OWNER_OFFSET);
    }

    public static long blob(Pmem pmem, long at) {
        return pmem.get(at + BLOB_OFFSET);
    }

    /** The blob word of a blob. */
    public static long blob(int length, int checksum) {
        return length | (long) checksum << 32;
    }

    /** Bytes of the blob. */
    public static int length(long blob) {
        return (int) blob;
    }

    /** CRC32C over the owner, then the blob. */
    public static int checksum(long blob) {
        return (int) (blob >>> 32);
    }
}
