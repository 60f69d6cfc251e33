package io.hmfs.core.type;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One path component as bytes of UTF-8, padded with zeros to a multiple of eight so that it can be hashed and compared a word at
 * a time. Mutable: a caller on the hot path keeps one and refills it (I7). Not thread-safe while it changes.
 */
public final class Name {
    /** Longest name, in bytes of UTF-8 (POSIX NAME_MAX). */
    public static final int LENGTH_MAX = 255;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private static final long LOW_BITS = 0x0101010101010101L;
    private static final long HIGH_BITS = LOW_BITS << 7;

    /** The name of {@link #orphans}, eight bytes of it. */
    private static final long ORPHANS = 0x6465766F6D65722FL;

    private final byte[] bytes = new byte[LENGTH_MAX + 1];
    private int length;

    /** A name with these characters; over-long text is kept as far as it goes and reported by {@link #check}. */
    public static Name of(String text) {
        Name name = new Name();
        name.set(text);
        return name;
    }

    /**
     * The one name that stands in a pool and that {@link #check} refuses, so that no caller's name reaches it: of the directory in the
     * root that {@code ServerNamespace.orphans} answers with. In text {@code /removed}.
     */
    public static Name orphans() {
        return of("/removed");
    }

    /** What looks up without a {@link #check} asks this instead: it finds nothing under any other name that is none. */
    public boolean isOrphans() {
        return length == Long.BYTES && word(0) == ORPHANS;
    }

    /** The length in bytes; over {@link #LENGTH_MAX} if what was set did not fit. */
    public int length() {
        return length;
    }

    /** Refills this name from text. */
    public void set(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        set(encoded, 0, encoded.length);
    }

    /** Refills this name from bytes of UTF-8. */
    public void set(byte[] source, int offset, int count) {
        int kept = Math.min(count, LENGTH_MAX);
        System.arraycopy(source, offset, bytes, 0, kept);
        finish(kept, count);
    }

    /** Room for {@link #LENGTH_MAX} bytes, to be filled by a reader of the pool and then sealed with {@link #seal}. */
    public byte[] buffer() {
        return bytes;
    }

    /** Ends a fill of {@link #buffer}; a name that is too long has not been filled in, and is told by {@link #check}. */
    public void seal(int count) {
        finish(Math.min(count, LENGTH_MAX), count);
    }

    /** Eight bytes at a multiple of eight, little-endian, to be sealed with {@link #sealWords}. */
    public void setWord(int index, long word) {
        WORD.set(bytes, index << 3, word);
    }

    /** Ends a fill by {@link #setWord}, of a name that is not too long. */
    public void sealWords(int count) {
        int tail = count & 7;
        if (tail != 0) {
            setWord(count >>> 3, word(count >>> 3) & -1L >>> (Long.SIZE - (tail << 3)));
        }
        length = count;
    }

    private void finish(int kept, int count) {
        int padded = Math.min((kept + 7) & ~7, bytes.length);
        Arrays.fill(bytes, kept, padded, (byte) 0);
        length = count;
    }

    /** Eight bytes at a multiple of eight, little-endian, zeros behind the end. */
    public long word(int index) {
        return (long) WORD.get(bytes, index << 3);
    }

    /** How many words hold the name. */
    public int words() {
        return (Math.min(length, LENGTH_MAX) + 7) >>> 3;
    }

    /** Whether this can name an entry: OK, INVALID_NAME or NAME_TOO_LONG. */
    public Status check() {
        if (length > LENGTH_MAX) {
            return Status.NAME_TOO_LONG;
        }
        if (length == 0 || (bytes[0] == '.' && (length == 1 || (length == 2 && bytes[1] == '.')))) {
            return Status.INVALID_NAME;
        }
        int whole = length >>> 3;
        boolean invalid = false;
        for (int i = 0; i < whole; i++) {
            invalid |= hasSeparator(word(i));
        }
        if ((length & 7) != 0) {
            invalid |= hasSeparator(word(whole) | -1L << (length << 3)); // the padding counts as neither
        }
        return invalid ? Status.INVALID_NAME : Status.OK;
    }

    /** Whether one of eight bytes is 0 or '/': from the lowest that is, a borrow sets the highest bit of a byte that has none. */
    private static boolean hasSeparator(long word) {
        long slashes = word ^ '/' * LOW_BITS;
        return ((((word - LOW_BITS) & ~word) | ((slashes - LOW_BITS) & ~slashes)) & HIGH_BITS) != 0;
    }

    /** The name's bytes, copied. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, Math.min(length, LENGTH_MAX));
    }

    @Override
    public String toString() {
        return new String(bytes, 0, Math.min(length, LENGTH_MAX), StandardCharsets.UTF_8);
    }
}
