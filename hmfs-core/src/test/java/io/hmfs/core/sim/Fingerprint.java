package io.hmfs.core.sim;

/**
 * What stands in a whole memory, in 128 bits: two memories with the same one are taken for equal. It is the sum of what each word
 * adds, a zero nothing, so that the change of a few words is told without a look at the others.
 */
public record Fingerprint(long high, long low) {
    static final Fingerprint EMPTY = new Fingerprint(0, 0);

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
    private static final long HIGH = 0xBF58_476D_1CE4_E5B9L;
    private static final long LOW = 0x94D0_49BB_1331_11EBL;

    static Fingerprint of(long[] words) {
        long high = 0;
        long low = 0;
        for (int word = 0; word < words.length; word++) {
            high += added(word, words[word], HIGH);
            low += added(word, words[word], LOW);
        }
        return new Fingerprint(high, low);
    }

    /** After a word has changed. */
    Fingerprint with(int word, long before, long after) {
        return new Fingerprint(
                high + added(word, after, HIGH) - added(word, before, HIGH),
                low + added(word, after, LOW) - added(word, before, LOW));
    }

    Fingerprint plus(Fingerprint other) {
        return new Fingerprint(high + other.high, low + other.low);
    }

    /** Scattered over all bits twice, with multipliers of its own for each half. */
    private static long added(int word, long value, long multiplier) {
        if (value == 0) {
            return 0;
        }
        long mixed = (value ^ (value >>> 31)) * multiplier + (word + 1) * GOLDEN;
        mixed = (mixed ^ (mixed >>> 30)) * multiplier;
        mixed = (mixed ^ (mixed >>> 27)) * GOLDEN;
        return mixed ^ (mixed >>> 31);
    }
}
