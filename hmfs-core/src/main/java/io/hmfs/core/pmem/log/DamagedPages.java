package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.PoolException;
import java.nio.file.Path;
import java.util.TreeMap;

/**
 * Pages of an image that are not what was written there. Nothing is made from one, unless the log has each of its lines: then it does not matter what the
 * image has.
 */
final class DamagedPages {
    /** With so many no log has them all. */
    private static final int COUNT_MAX = 4096;

    private static final long ALL_LINES = -1;

    /** Which lines of a page the log has, a bit each. */
    private final TreeMap<Long, Long> lines = new TreeMap<>();

    /** One that found no room there, or -1. */
    private long more = -1;

    synchronized void add(long page) {
        if (lines.size() < COUNT_MAX) {
            lines.putIfAbsent(page, 0L);
        } else {
            more = page;
        }
    }

    /** The log has this line. */
    synchronized void line(long offset) {
        if (!lines.isEmpty()) {
            long bit = 1L << (offset % ImageSums.PAGE / 64);
            lines.computeIfPresent(offset / ImageSums.PAGE, (_, known) -> known | bit);
        }
    }

    /** Throws unless all lines of each page have come from the log. */
    synchronized void requireAllInLog(Path directory) throws PoolException {
        lines.values().removeIf(known -> known == ALL_LINES);
        if (!lines.isEmpty() || more >= 0) {
            long first = lines.isEmpty() ? more : lines.firstKey();
            int count = lines.size() + (more >= 0 ? 1 : 0);
            throw new PoolException(
                    PoolException.Reason.BAD_CHECKSUM,
                    text(directory, first, count, more >= 0) + ". Restore the log's directory from a copy");
        }
    }

    /** What to tell of such pages. */
    static String text(Path directory, long first, int count, boolean isMore) {
        String others = count + (isMore ? " or more" : "") + " pages in all";
        return directory.resolve(LogFiles.IMAGE) + " is damaged at offset " + first * ImageSums.PAGE
                + (count > 1 || isMore ? ", " + others : "") + ", or " + ImageSums.path(directory) + " at offset "
                + ImageSums.at(first) + ": the page there is not what was written, by its sum";
    }
}
