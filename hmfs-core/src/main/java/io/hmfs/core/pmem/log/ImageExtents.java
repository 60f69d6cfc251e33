package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.PoolLock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** The pages of an image that were ever written, as its filesystem tells: docs/adr/0180. The rest reads as zeros. */
final class ImageExtents {
    /** Begin and end of each part, in order and apart from each other, at borders of pages. */
    private long[] places = new long[16];

    private int count; // how many of these are in use
    private long bytes;

    private ImageExtents() {}

    /** Those within the first {@code size} bytes. */
    static ImageExtents of(Path image, long size) throws IOException {
        ImageExtents extents = new ImageExtents();
        try (PoolLock file = PoolLock.acquire(image)) {
            file.sync(); // some filesystems say of what is in memory alone that it was not written
            long end = 0;
            for (long from = file.dataFrom(0); from >= end && from < size; from = file.dataFrom(end)) {
                end = Math.min((file.holeFrom(from) + ImageSums.PAGE - 1) & -ImageSums.PAGE, size);
                extents.add(from & -ImageSums.PAGE, end);
            }
        }
        return extents;
    }

    private void add(long from, long end) {
        if (count == places.length) {
            places = Arrays.copyOf(places, 2 * count);
        }
        places[count] = from;
        places[count + 1] = end;
        bytes += end - from;
        count += 2;
    }

    /** How many there are. */
    int count() {
        return count / 2;
    }

    long begin(int index) {
        return places[2 * index];
    }

    long end(int index) {
        return places[2 * index + 1];
    }

    /** Bytes of all of them. */
    long bytes() {
        return bytes;
    }
}
