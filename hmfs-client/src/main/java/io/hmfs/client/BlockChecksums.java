package io.hmfs.client;

/**
 * CRCs of a part of a block in the builtin data store.
 *
 * @param crcs the CRC32C of each 512 bytes; the last one is of the bytes that are left
 * @param isWhole whether the block's object has all these bytes; those that it has not count as zeros: they are a hole, or the file has
 *     been removed or cut
 */
@SuppressWarnings("ArrayRecordComponent") // it is never compared
public record BlockChecksums(int[] crcs, boolean isWhole) {
    /** Bytes that each CRC is of. */
    public static final int CHUNK = 512;

    /** How many CRCs so many bytes have. */
    static int count(long length) {
        return Math.toIntExact(length / CHUNK + (length % CHUNK > 0 ? 1 : 0));
    }
}
