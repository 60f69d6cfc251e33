package io.hmfs.core.pmem;

/**
 * How far a log is. Lines are the unit of its positions: 64 bytes of the pool each.
 *
 * @param publishedLines lines that operations have put into it
 * @param durableLines of these, on the disk
 * @param writtenBytes bytes written to the disk by this start
 * @param syncs how often the disk was told to keep them, by this start
 * @param syncNanos time spent in that
 */
public record LogFigures(long publishedLines, long durableLines, long writtenBytes, long syncs, long syncNanos) {
    /** Without a log. */
    public static final LogFigures NONE = new LogFigures(0, 0, 0, 0, 0);
}
