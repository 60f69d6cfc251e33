package io.hmfs.wire;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A stat as a server keeps it in memory that clients read by RDMA (docs/wire.md#stats-that-are-read): a slot of 64 words of 8 bytes,
 * little-endian. A word is read as a whole; the words of one READ come in any order and from different moments.
 *
 * <pre>
 *   word 0    | u32 state | u32 tag |   state: EMPTY, CLAIMED, TAKEN_BACK, or how many bytes of content the words behind it have
 *   word n    | 4 bytes   | u32 tag |   content: u64 number of the export, u8 bytes of the name, name, frame of the Entry
 * </pre>
 *
 * <p>The tag grows with each claim, and a claim has the slot alone until it ends. So the words of one tag were stored by one claim,
 * and a reader that finds one tag in all words, and content told by word 0, has that content whole, as it was valid at the moment at which
 * word 0 was read. Static functions over (table, offset of the slot).
 */
public final class StatRecord {
    /** Bytes of a slot. */
    public static final int BYTES = 512;

    private static final int WORDS = BYTES / Long.BYTES;

    /** Most bytes of content. */
    public static final int CONTENT_MAX = (WORDS - 1) * Integer.BYTES;

    private static final int NAME_LENGTH_AT = Long.BYTES;
    private static final int NAME_AT = NAME_LENGTH_AT + 1;

    private static final int EMPTY = 0;
    private static final int CLAIMED = 1; // a thread of the server fills it
    private static final int TAKEN_BACK = 2; // while it was filled: it will not be valid

    /** No claim. */
    public static final long NONE = 0;

    private static final long TAG = 1L << Integer.SIZE; // in a word
    private static final long TAG_MASK = -TAG;
    private static final long CONTENT_MASK = TAG - 1;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private StatRecord() {}

    // ---- Where the record of a name is

    /** Hash of a name in an export (FNV-1a, its end mixed). It is no secret: records that share a slot displace each other. */
    public static long hash(long number, byte[] name, int offset, int length) {
        long hash = number ^ 0xCBF29CE484222325L;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ (name[offset + i] & 0xFF)) * 0x100000001B3L;
        }
        hash = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
        return hash ^ (hash >>> 29);
    }

    /** The slot of names with this hash. */
    public static int slot(long hash, int slots) {
        return (int) (((hash >>> Integer.SIZE) * slots) >>> Integer.SIZE);
    }

    // ---- The server

    /** Claims a slot, valid or empty, to fill it: {@link #publish} or {@link #giveUp} follows. {@link #NONE}: another thread has it. */
    public static long claim(ByteBuffer table, int at) {
        long word = (long) WORD.getVolatile(table, at);
        int state = (int) word;
        if (state == CLAIMED || state == TAKEN_BACK) {
            return NONE;
        }
        long claim = ((word & TAG_MASK) + TAG) | CLAIMED;
        return WORD.compareAndSet(table, at, word, claim) ? claim : NONE;
    }

    /** Whether nothing has taken the claimed record back so far. */
    public static boolean isHeld(ByteBuffer table, int at, long claim) {
        return (long) WORD.getVolatile(table, at) == claim;
    }

    /** Whether the slot has a record that readers take. */
    public static boolean isValid(ByteBuffer table, int at) {
        return (int) (long) WORD.getVolatile(table, at) >= NAME_AT;
    }

    /** Stores content that {@link #compose} made into a claimed slot. */
    public static void fill(ByteBuffer table, int at, long claim, byte[] content, int length) {
        long tag = claim & TAG_MASK;
        int to = at;
        for (int done = 0; done < length; done += Integer.BYTES) {
            to += Long.BYTES;
            WORD.setOpaque(table, to, tag | ((int) INT.get(content, done) & CONTENT_MASK));
        }
    }

    /** Makes a claimed slot that was filled valid, unless it was taken back meanwhile: then it is empty, and the result false. */
    public static boolean publish(ByteBuffer table, int at, long claim, int length) {
        if (WORD.compareAndSet(table, at, claim, (claim & TAG_MASK) | length)) {
            return true;
        }
        giveUp(table, at, claim);
        return false;
    }

    /** Ends a claim without a record. */
    public static void giveUp(ByteBuffer table, int at, long claim) {
        WORD.setVolatile(table, at, claim & TAG_MASK);
    }

    /**
     * When it returns the slot has no record and none that is being filled gets valid. It fails to swap at most where another thread has
     * ended a claim or taken back.
     */
    public static void takeBack(ByteBuffer table, int at) {
        while (true) {
            long word = (long) WORD.getVolatile(table, at);
            int state = (int) word;
            if (state == EMPTY || state == TAKEN_BACK) {
                return;
            }
            long empty = (word & TAG_MASK) | (state == CLAIMED ? TAKEN_BACK : EMPTY);
            if (WORD.compareAndSet(table, at, word, empty)) {
                return;
            }
        }
    }

    // ---- The client

    /** Moves the content of a slot that was read into an array of {@link #CONTENT_MAX} bytes: its length, or 0 if there is none or it is torn. */
    public static int read(ByteBuffer bytes, int at, byte[] content) {
        long first = (long) WORD.get(bytes, at);
        int length = (int) first;
        if (length < NAME_AT || length > CONTENT_MAX) {
            return 0;
        }
        long tag = first & TAG_MASK;
        int from = at;
        for (int done = 0; done < length; done += Integer.BYTES) {
            from += Long.BYTES;
            long word = (long) WORD.get(bytes, from);
            if ((word & TAG_MASK) != tag) {
                return 0;
            }
            INT.set(content, done, (int) word);
        }
        return length;
    }

    // ---- Content

    /** Whether a record has room for them. */
    public static boolean fits(int nameLength, int frameLength) {
        return NAME_AT + nameLength + frameLength <= CONTENT_MAX;
    }

    /** Composes content that {@link #fits} into an array of {@link #CONTENT_MAX} bytes, with zeros up to a whole word. Returns its length. */
    public static int compose(
            byte[] content, long number, byte[] name, int nameLength, ByteBuf frames, int frameAt, int frameLength) {
        LONG.set(content, 0, number);
        content[NAME_LENGTH_AT] = (byte) nameLength;
        System.arraycopy(name, 0, content, NAME_AT, nameLength);
        frames.getBytes(frameAt, content, NAME_AT + nameLength, frameLength);
        int length = NAME_AT + nameLength + frameLength;
        Arrays.fill(content, length, (length + Integer.BYTES - 1) & -Integer.BYTES, (byte) 0);
        return length;
    }

    /** Where the frame begins, if the content is of this name in this export; else -1. */
    public static int frameAt(byte[] content, int length, long number, byte[] name, int nameOffset, int nameLength) {
        int frame = NAME_AT + nameLength;
        if (frame > length || (long) LONG.get(content, 0) != number || (content[NAME_LENGTH_AT] & 0xFF) != nameLength) {
            return -1;
        }
        for (int i = 0; i < nameLength; i++) {
            if (content[NAME_AT + i] != name[nameOffset + i]) {
                return -1;
            }
        }
        return frame;
    }
}
