package io.hmfs.server.access;

/**
 * SipHash-2-4, a keyed 64-bit hash of short messages that cannot be computed or guessed without the key (Aumasson and Bernstein,
 * 2012); here of whole words. Allocates nothing.
 */
final class SipHash {
    private SipHash() {}

    /** The hash of four little-endian words. */
    static long of(long key0, long key1, long first, long second, long third, long fourth) {
        long v0 = key0 ^ 0x736f6d6570736575L;
        long v1 = key1 ^ 0x646f72616e646f6dL;
        long v2 = key0 ^ 0x6c7967656e657261L;
        long v3 = key1 ^ 0x7465646279746573L;
        long last = 32L << 56; // the length in bytes
        for (int word = 0; word < 6; word++) {
            long input = switch (word) {
                case 0 -> first;
                case 1 -> second;
                case 2 -> third;
                case 3 -> fourth;
                default -> last;
            };
            int rounds = 2;
            if (word == 5) {
                input = 0;
                v2 ^= 0xff;
                rounds = 4;
            }
            v3 ^= input;
            for (int round = 0; round < rounds; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= input;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
