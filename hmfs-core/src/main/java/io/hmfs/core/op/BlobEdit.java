package io.hmfs.core.op;

import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.XattrVisitor;
import java.util.Arrays;

/** A blob with one record more, less or other: always a new array, since a chain never changes. */
final class BlobEdit {
    static final byte[] EMPTY = {};
    static final Name NO_NAME = new Name();
    static final int NONE = -1;

    private BlobEdit() {}

    /** Where the record of this type and name begins, or {@link #NONE}. */
    static int find(byte[] blob, int type, Name name) {
        for (int at = 0; at < blob.length; at += BlobRecord.size(blob, at)) {
            long head = BlobRecord.head(blob, at);
            int nameAt = at + BlobRecord.HEAD_SIZE;
            boolean same = BlobRecord.type(head) == type
                    && Arrays.equals(
                            blob, nameAt, nameAt + BlobRecord.nameLength(head), name.buffer(), 0, name.length());
            if (same) {
                return at;
            }
        }
        return NONE;
    }

    static byte[] value(byte[] blob, int at) {
        int from = BlobRecord.valueAt(blob, at);
        return Arrays.copyOfRange(blob, from, from + BlobRecord.valueLength(BlobRecord.head(blob, at)));
    }

    static byte[] without(byte[] blob, int at) {
        int size = BlobRecord.size(blob, at);
        byte[] edited = new byte[blob.length - size];
        System.arraycopy(blob, 0, edited, 0, at);
        System.arraycopy(blob, at + size, edited, at, edited.length - at);
        return edited;
    }

    /** The record comes last. */
    static byte[] with(byte[] blob, int type, Name name, byte[] value) {
        long head = BlobRecord.head(type, name.length(), value.length);
        byte[] edited = Arrays.copyOf(blob, blob.length + BlobRecord.HEAD_SIZE + name.length() + value.length);
        BlobRecord.setHead(edited, blob.length, head);
        System.arraycopy(name.buffer(), 0, edited, blob.length + BlobRecord.HEAD_SIZE, name.length());
        System.arraycopy(value, 0, edited, edited.length - value.length, value.length);
        return edited;
    }

    static void showAttributes(byte[] blob, XattrVisitor visitor) {
        for (int at = 0; at < blob.length; at += BlobRecord.size(blob, at)) {
            long head = BlobRecord.head(blob, at);
            if (BlobRecord.type(head) == BlobRecord.TYPE_ATTRIBUTE) {
                Name name = new Name();
                name.set(blob, at + BlobRecord.HEAD_SIZE, BlobRecord.nameLength(head));
                visitor.visit(name, value(blob, at));
            }
        }
    }
}
