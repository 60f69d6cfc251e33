package io.hmfs.core.recovery;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.layout.EntryRecord;
import java.util.HashMap;
import java.util.Map;

/**
 * The slots of dead objects that a sweep of this scan has met on a list and left there, because listings may still need them. A sweeper
 * that takes one off its list later in this start also lets it go. So the scan, when it comes to the slot, need neither sweep the
 * directory again nor look for the object on its list: either would take a walk over the list for each of its dead objects.
 *
 * <p>One bit for each slot, in the regions that have any; a region's bits go when the scan has passed it. For the thread of the scan
 * alone.
 */
final class LeftOnLists {
    private static final long[] PASSED = {}; // has room for no bit

    private final Regions regions;
    private final Map<Long, long[]> bitsByRegion = new HashMap<>();

    LeftOnLists(Regions regions) {
        this.regions = regions;
    }

    void add(long at) {
        long start = regions.startOf(at);
        long[] bits = bitsByRegion.computeIfAbsent(start, _ -> new long[words()]);
        long slot = slot(at, start);
        int word = (int) (slot / Long.SIZE);
        if (word < bits.length) { // not passed
            bits[word] |= 1L << slot;
        }
    }

    private int words() {
        return (int) (regions.size() / EntryRecord.SIZE / Long.SIZE) + 1;
    }

    private static long slot(long at, long start) {
        return (at - start) / EntryRecord.SIZE;
    }

    boolean contains(long at) {
        long start = regions.startOf(at);
        long[] bits = bitsByRegion.getOrDefault(start, PASSED);
        long slot = slot(at, start);
        int word = (int) (slot / Long.SIZE);
        return word < bits.length && (bits[word] & 1L << slot) != 0;
    }

    /** The scan has passed the region that begins at {@code start}, and will not ask for its slots. */
    void passed(long start) {
        bitsByRegion.put(start, PASSED);
    }

    /** The scan is over. */
    void clear() {
        bitsByRegion.clear();
    }
}
