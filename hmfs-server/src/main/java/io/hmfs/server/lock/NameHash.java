package io.hmfs.server.lock;

import io.hmfs.core.type.Name;
import java.security.SecureRandom;

/**
 * A hash of (parent, name) that no client can aim: which names share a stripe is another matter in each process. It is multilinear over words
 * of 32 bits, with a random key for each (Lemire and Kaser, "Strongly universal string hashing is fast", 2014): of any two keys, however
 * they were chosen, the upper 32 bits are alike as often as by chance. As cheap as a hash without a key, for no step waits for the one
 * before; a chain of XOR and multiply with a random start is none, for two changes of the highest bit cancel each other in it
 * (ADR 0213). Allocates nothing.
 */
public final class NameHash {
    private static final int FIRST = 3; // keys before those of the name
    private static final int KEYS = FIRST + 2 * ((Name.LENGTH_MAX + 7) / 8);
    private static final long LOW = 0xFFFF_FFFFL;
    private static final long[] OWN = new SecureRandom().longs(KEYS).toArray();

    private NameHash() {}

    /** Of which the upper half is good. */
    public static long of(long parent, Name name) {
        return of(OWN, parent, name);
    }

    /** With these keys, {@link #KEYS} of them. */
    static long of(long[] keys, long parent, Name name) {
        long hash = keys[0] + (parent & LOW) * keys[1] + (parent >>> 32) * keys[2];
        int key = FIRST;
        for (int i = 0; i < name.words(); i++) { // the padding is zeros, and no name ends with one
            long word = name.word(i);
            hash += (word & LOW) * keys[key] + (word >>> 32) * keys[key + 1];
            key += 2;
        }
        return hash;
    }

    /** How many keys {@link #of(long[], long, Name)} needs. */
    static int keys() {
        return KEYS;
    }
}
