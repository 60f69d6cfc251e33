package io.hmfs.server.data;

import java.nio.ByteBuffer;

/**
 * The bytes of an object's file, little-endian (docs/wire.md#the-builtin-data-store).
 * <pre>
 *   0        512      1024     1536     2048                          data
 *   | header | mark 0 | mark 1 | intent | table: CRC of each 512 bytes | data …
 * </pre>
 * An entry of the table is the CRC32C of its chunk, with zeros behind the object's end up to 512 bytes, xor the CRC32C of 512 zeros.
 * So an entry that was never written, 0 in a hole of the file, is that of a chunk that was never written.
 */
final class ObjectFormat {
    static final int CHUNK = 512;
    static final int MARK_AT = 512;
    static final int MARK_STEP = 512; // a sector each: a torn write of one leaves the other
    static final int INTENT_AT = 1536;
    static final int TABLE_AT = 2048;
    static final int HEADER_SIZE = 48;
    static final int MARK_SIZE = 48;
    static final int INTENT_SIZE = 56;

    /** CRC32C of a chunk of zeros. */
    static final int ZERO = 0x30fcedc0;

    private static final long MAGIC = 0x314A424F53464D48L; // "HMFSOBJ1"
    private static final int VERSION_PACKED = 1;
    private static final int VERSION = 2;
    private static final int PAGE = 4096;
    private static final int LARGE = 1 << 20;

    final long blockSize;

    /** Where the data of an object begins. */
    final long dataAt;

    private final int version;

    private ObjectFormat(long blockSize, int version, int alignment) {
        this.blockSize = blockSize;
        this.version = version;
        this.dataAt = (TABLE_AT + Integer.BYTES * chunks(blockSize) + alignment - 1) / alignment * alignment;
    }

    /**
     * That of new directories. The data begins at a MiB, before which there is a hole: the system caches what is written in pieces as large
     * as their place in the file is aligned, and many small pieces cost more than all checksums (ADR 0235).
     */
    static ObjectFormat aligned(long blockSize) {
        return new ObjectFormat(blockSize, VERSION, LARGE);
    }

    /** That of directories from before: the data begins at a page. */
    static ObjectFormat packed(long blockSize) {
        return new ObjectFormat(blockSize, VERSION_PACKED, PAGE);
    }

    /** Chunks that so many bytes have. */
    static long chunks(long bytes) {
        return (bytes + CHUNK - 1) / CHUNK;
    }

    static long entryAt(long chunk) {
        return TABLE_AT + Integer.BYTES * chunk;
    }

    /** All of a header but its CRC. */
    void putHeader(ByteBuffer out, long inode, long block) {
        out.clear().putLong(0, MAGIC).putInt(8, version).putInt(12, CHUNK);
        out.putLong(16, blockSize).putLong(24, inode).putLong(32, block).putInt(40, 0);
    }

    /** Whether a header whose CRC fits is that of this object. */
    boolean isHeader(ByteBuffer in, long inode, long block) {
        return in.getLong(0) == MAGIC
                && in.getInt(8) == version
                && in.getInt(12) == CHUNK
                && in.getLong(16) == blockSize
                && in.getLong(24) == inode
                && in.getLong(32) == block;
    }
}
