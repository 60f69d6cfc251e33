package io.hmfs.hadoop.stream;

import io.hmfs.client.BlockChecksums;

/**
 * The CRC32C of bytes one after the other, from the CRCs of their parts: the CRC of A and B is that of A, carried on over as many zeros
 * as B has bytes, xor that of B. Carrying on over a whole chunk is linear, and is looked up byte by byte in tables.
 */
final class Crc32cJoin {
    static final int CHUNK = BlockChecksums.CHUNK;
    private static final int POLYNOMIAL = 0x82F63B78; // of CRC32C, the lowest bit first
    private static final int[][] OVER_CHUNK = overChunk();

    private int value;
    private long length;

    private static int[][] overChunk() {
        int[][] tables = new int[Integer.BYTES][256];
        for (int table = 0; table < Integer.BYTES; table++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                int one = over(1 << (table * Byte.SIZE + bit), CHUNK);
                for (int i = 1 << bit; i < 1 << (bit + 1); i++) {
                    tables[table][i] = tables[table][i - (1 << bit)] ^ one;
                }
            }
        }
        return tables;
    }

    /** Carries a CRC on over so many zeros. */
    private static int over(int crc, int zeros) {
        int carried = crc;
        for (int i = 0; i < zeros * Byte.SIZE; i++) {
            carried = (carried >>> 1) ^ ((carried & 1) == 0 ? 0 : POLYNOMIAL);
        }
        return carried;
    }

    private static int overChunk(int crc) {
        return OVER_CHUNK[0][crc & 0xFF]
                ^ OVER_CHUNK[1][(crc >>> 8) & 0xFF]
                ^ OVER_CHUNK[2][(crc >>> 16) & 0xFF]
                ^ OVER_CHUNK[3][crc >>> 24];
    }

    /** Adds the CRC of the next bytes, a chunk at most. */
    void add(int crc, int count) {
        value = (count == CHUNK ? overChunk(value) : over(value, count)) ^ crc;
        length += count;
    }

    /** The CRC of all bytes since the last {@link #reset}. */
    int value() {
        return value;
    }

    long length() {
        return length;
    }

    void reset() {
        value = 0;
        length = 0;
    }
}
