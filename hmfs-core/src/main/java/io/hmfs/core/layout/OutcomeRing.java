package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * Ring of outcomes of one client: a head, one cache line, and behind it {@link #RECORDS} lines, an {@link OutcomeRecord} each, by
 * sequence; little-endian (docs/format.md#outcomes).
 * <pre>
 *   0        8        16       24       32       40                         64
 *   | magic  | since  | client | user   | first  | reserved                 |
 * </pre>
 * The ring is no client's while since is 0. A record whose time is not above it is an earlier owner's: so a ring changes hands by one
 * line, and no record has to be cleared.
 */
public final class OutcomeRing {
    /** "HMFSONCE", little-endian. */
    public static final long MAGIC = 0x45434E4F53464D48L;

    public static final int RECORDS = 1024; // a power of two
    public static final long HEAD_SIZE = 64;
    public static final long SIZE = HEAD_SIZE + RECORDS * OutcomeRecord.SIZE;
    public static final long MAGIC_OFFSET = 0;
    public static final long SINCE_OFFSET = 8;
    public static final long CLIENT_OFFSET = 16;
    public static final long USER_OFFSET = 24;
    public static final long FIRST_OFFSET = 32;

    static final StructLayout LAYOUT = structLayout(
                    u64("magic"), u64("since"), u64("client"), u64("user"), u64("first"), paddingLayout(24))
            .withByteAlignment(64)
            .withName("OutcomeRing");

    static {
        Layouts.pin(LAYOUT, HEAD_SIZE, 64);
        Layouts.pin(LAYOUT, "magic", MAGIC_OFFSET);
        Layouts.pin(LAYOUT, "since", SINCE_OFFSET);
        Layouts.pin(LAYOUT, "client", CLIENT_OFFSET);
        Layouts.pin(LAYOUT, "user", USER_OFFSET);
        Layouts.pin(LAYOUT, "first", FIRST_OFFSET);
    }

    private OutcomeRing() {}

    /** Makes the ring a client's from a time on, in this order: what a crash leaves of it is no client's, or whole. */
    public static void give(Pmem pmem, long at, long client, long user, long first, long since) {
        pmem.setRelease(at + SINCE_OFFSET, 0);
        pmem.setRelease(at + MAGIC_OFFSET, MAGIC);
        pmem.setRelease(at + CLIENT_OFFSET, client);
        pmem.setRelease(at + USER_OFFSET, user);
        pmem.setRelease(at + FIRST_OFFSET, first);
        pmem.setRelease(at + SINCE_OFFSET, since);
    }

    public static long magic(Pmem pmem, long at) {
        return pmem.get(at + MAGIC_OFFSET);
    }

    /** Since when it has its owner; 0: it has none. */
    public static long since(Pmem pmem, long at) {
        return pmem.getAcquire(at + SINCE_OFFSET);
    }

    /** Whether it is this client's. */
    public static boolean isOf(Pmem pmem, long at, long client, long user) {
        return since(pmem, at) != 0 && pmem.get(at + CLIENT_OFFSET) == client && pmem.get(at + USER_OFFSET) == user;
    }

    /** Of changes with lower sequences it knows nothing. */
    public static long first(Pmem pmem, long at) {
        return pmem.get(at + FIRST_OFFSET);
    }

    /** Where the record of this sequence stands. */
    public static long record(long at, long sequence) {
        return at + HEAD_SIZE + (sequence & (RECORDS - 1)) * OutcomeRecord.SIZE;
    }
}
