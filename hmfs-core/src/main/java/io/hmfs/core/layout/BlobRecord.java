package io.hmfs.core.layout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The blob that a chain holds: records one after the other, each a head of eight bytes, a name and a value
 * (docs/format.md#blob). Works on a copy in memory, which has been checked against the chain's checksum.
 *
 * <p>head = type | length of the name &lt;&lt; 8 | length of the value &lt;&lt; 32.
 */
public final class BlobRecord {
    /** An extended attribute. */
    public static final int TYPE_ATTRIBUTE = 1;

    /** An access control list, as its owner encodes it; no name. */
    public static final int TYPE_ACL = 2;

    /** The target of a symbolic link; no name. */
    public static final int TYPE_TARGET = 3;

    /** Bytes of a record's head. */
    public static final int HEAD_SIZE = 8;

    /** Most bytes of a blob: all that one object can have. */
    public static final int SIZE_MAX = 262_144;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private BlobRecord() {}

    public static long head(int type, int nameLength, int valueLength) {
        return type | (long) nameLength << 8 | (long) valueLength << 32;
    }

    public static int type(long head) {
        return (int) (head & 0xff);
    }

    public static int nameLength(long head) {
        return (int) (head >>> 8 & 0xffff);
    }

    public static int valueLength(long head) {
        return (int) (head >>> 32);
    }

    /** The head of the record that begins here. */
    public static long head(byte[] blob, int at) {
        return (long) WORD.get(blob, at);
    }

    public static void setHead(byte[] blob, int at, long head) {
        WORD.set(blob, at, head);
    }

    /** Bytes of the whole record that begins here. */
    public static int size(byte[] blob, int at) {
        long head = head(blob, at);
        return HEAD_SIZE + nameLength(head) + valueLength(head);
    }

    /** Where the value of the record that begins here stands. */
    public static int valueAt(byte[] blob, int at) {
        return at + HEAD_SIZE + nameLength(head(blob, at));
    }

    /** Whether records fill the blob to its end. */
    public static boolean isWhole(byte[] blob) {
        int at = 0;
        while (at + HEAD_SIZE <= blob.length) {
            long head = head(blob, at);
            if (valueLength(head) < 0 || valueLength(head) > blob.length || size(blob, at) > blob.length - at) {
                return false;
            }
            at += size(blob, at);
        }
        return at == blob.length;
    }
}
