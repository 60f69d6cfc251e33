package io.hmfs.core.pmem.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The lines of one log file on their way into the image, page by page. A page is read whole and verified before a line of it changes, for afterwards it
 * would have a sum that makes any damage right. A page of which the log file has all lines need not be: nothing of it stays.
 */
final class ImageFold {
    /** Bits of a sort key for the record's place among its file's; the line's number stands above. */
    private static final int INDEX_BITS = 24;

    private static final int PAGE = ImageSums.PAGE;

    /** Pages that are read and written at once. */
    private static final int RUN_PAGES = 16;

    private static final int PAGE_LINES = PAGE / 64;

    private final FileChannel image;
    private final byte[] run = new byte[RUN_PAGES * PAGE];
    private final CRC32C crc = new CRC32C();
    private long[] keys = new long[0];
    private int[] places = new int[0];
    private int count;
    private ByteBuffer lines = ByteBuffer.wrap(run);

    ImageFold(FileChannel image) {
        this.image = image;
    }

    /** Forgets the lines of the file before. */
    void clear() {
        count = 0;
    }

    /** A line; those of one log file all stand in one buffer. */
    void add(long offset, ByteBuffer buffer, int at) {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, Math.max(1024, 2 * count));
            places = Arrays.copyOf(places, keys.length);
        }
        keys[count] = (offset >>> 6 << INDEX_BITS) | count;
        places[count++] = at;
        lines = buffer;
    }

    /** Leaves the last copy of each line, in order. */
    void sort() {
        Arrays.sort(keys, 0, count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (i + 1 == count || line(i + 1) != line(i)) {
                keys[kept++] = keys[i];
            }
        }
        count = kept;
    }

    private long line(int i) {
        return keys[i] >>> INDEX_BITS << 6;
    }

    private long page(int i) {
        return line(i) / PAGE;
    }

    /** What is done with each page that has lines. */
    private interface Pages {
        /** Before the lines come into the page, which stands in the run at {@code at}; {@code count}: how many come. */
        void before(long page, int at, int count) throws IOException;

        /** Afterwards. Whether the page is to be written. */
        boolean after(long page, int at);
    }

    /**
     * The pages that change and the sums that they will have. One that is not what was written there is left out, so that it stays damaged: {@code damaged}
     * has it.
     */
    FoldList plan(ImageSums sums, long lastLsn, Set<Long> damaged) throws IOException {
        FoldList list = new FoldList(lastLsn);
        forEachPage(new Pages() {
            private boolean isGood;

            @Override
            public void before(long page, int at, int count) throws IOException {
                isGood = count == PAGE_LINES || ImageSums.sum(crc, run, at) == sums.get(page);
            }

            @Override
            public boolean after(long page, int at) {
                if (isGood) {
                    list.add(page, ImageSums.sum(crc, run, at));
                } else {
                    damaged.add(page);
                }
                return false;
            }
        });
        return list;
    }

    /**
     * Writes the pages of a list. One that the lines do not bring to its sum was damaged, or is since: it is not written, and so stays damaged, and {@code
     * damaged} has it.
     */
    void write(FoldList list, Set<Long> damaged) throws IOException {
        forEachPage(new Pages() {
            @Override
            public void before(long page, int at, int count) {}

            @Override
            public boolean after(long page, int at) {
                int known = list.find(page);
                boolean isGood = known >= 0 && list.sum(known) == ImageSums.sum(crc, run, at);
                if (!isGood) {
                    damaged.add(page);
                }
                return isGood;
            }
        });
    }

    /** Writes the pages as they are: for an image that has no sums. */
    void write() throws IOException {
        forEachPage(new Pages() {
            @Override
            public void before(long page, int at, int count) {}

            @Override
            public boolean after(long page, int at) {
                return true;
            }
        });
    }

    private void forEachPage(Pages pages) throws IOException {
        for (int first = 0, end; first < count; first = end) {
            end = first + 1;
            while (end < count && page(end) - page(end - 1) <= 1 && page(end) - page(first) < RUN_PAGES) {
                end++;
            }
            run(pages, first, end);
        }
    }

    /** Pages that follow each other. */
    private void run(Pages pages, int first, int end) throws IOException {
        long firstPage = page(first);
        int length = (int) (page(end - 1) + 1 - firstPage) * PAGE;
        LogFiles.read(image, ByteBuffer.wrap(run, 0, length), firstPage * PAGE);
        int written = 0;
        for (int i = first, next; i < end; i = next) {
            next = i + 1;
            while (next < end && page(next) == page(i)) {
                next++;
            }
            int at = (int) (page(i) - firstPage) * PAGE;
            pages.before(page(i), at, next - i);
            for (int j = i; j < next; j++) {
                int place = places[(int) keys[j] & ((1 << INDEX_BITS) - 1)];
                lines.get(place, run, (int) (line(j) - firstPage * PAGE), 64);
            }
            if (!pages.after(page(i), at)) {
                writeTo(firstPage, written, at);
                written = at + PAGE;
            }
        }
        writeTo(firstPage, written, length);
    }

    private void writeTo(long firstPage, int from, int end) throws IOException {
        if (end > from) {
            LogFiles.write(image, ByteBuffer.wrap(run, from, end - from), firstPage * PAGE + from);
        }
    }
}
