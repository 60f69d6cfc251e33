package io.hmfs.core.sim;

import java.util.Arrays;
import java.util.BitSet;

/** The words of an image that a run has read, with what stood there, in the order of the first reads. What it has written is its own. */
final class ReadPath {
    /** That of the memory and its copies together. */
    private static final class Reads {
        private int[] words = new int[1024];
        private long[] values = new long[1024];
        private int count;
    }

    private final Reads reads;

    /** Read or written in this memory, or in the one it is a copy of before it was. */
    private final BitSet known;

    /** For a memory of so many words. */
    ReadPath(int size) {
        this(new Reads(), new BitSet(size));
    }

    private ReadPath(Reads reads, BitSet known) {
        this.reads = reads;
        this.known = known;
    }

    /** What is read in a copy of the memory joins this. */
    ReadPath ofCopy() {
        return new ReadPath(reads, (BitSet) known.clone());
    }

    void read(int word, long value) {
        if (known.get(word)) {
            return;
        }
        known.set(word);
        if (reads.count == reads.words.length) {
            reads.words = Arrays.copyOf(reads.words, 2 * reads.count);
            reads.values = Arrays.copyOf(reads.values, 2 * reads.count);
        }
        reads.words[reads.count] = word;
        reads.values[reads.count++] = value;
    }

    void written(int word) {
        known.set(word);
    }

    int count() {
        return reads.count;
    }

    boolean beginsWith(int[] words, int count) {
        return count <= reads.count && Arrays.equals(words, 0, count, reads.words, 0, count);
    }

    int[] wordsFrom(int index) {
        return Arrays.copyOfRange(reads.words, index, reads.count);
    }

    long[] valuesFrom(int index) {
        return Arrays.copyOfRange(reads.values, index, reads.count);
    }
}
