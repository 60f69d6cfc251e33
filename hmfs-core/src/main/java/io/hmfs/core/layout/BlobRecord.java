package io.hmfs.core.layout;

import io.hmfs.core.type.Acl;
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

    /** An access control list, {@link Acl}; no name. */
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

    /** A list as the value of a record: its words, one after the other. */
    public static byte[] ofAcl(long[] acl) {
        byte[] value = new byte[acl.length * Long.BYTES];
        for (int i = 0; i < acl.length; i++) {
            WORD.set(value, i * Long.BYTES, acl[i]);
        }
        return value;
    }

    /** The list in a blob's record of type {@link #TYPE_ACL}; {@link Acl#NONE} if there is none, or it cannot be one. */
    public static long[] acl(byte[] blob) {
        for (int at = 0; at < blob.length; at += size(blob, at)) {
            int length = valueLength(head(blob, at));
            if (type(head(blob, at)) == TYPE_ACL && length % Long.BYTES == 0) {
                long[] acl = new long[length / Long.BYTES];
                for (int i = 0; i < acl.length; i++) {
                    acl[i] = (long) WORD.get(blob, valueAt(blob, at) + i * Long.BYTES);
                }
                return Acl.isValid(acl) ? acl : Acl.NONE;
            }
        }
        return Acl.NONE;
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
