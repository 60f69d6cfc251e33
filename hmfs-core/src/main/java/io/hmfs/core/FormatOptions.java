package io.hmfs.core;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.log.LogOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How to make a pool.
 *
 * @param size bytes, at least {@link #SIZE_MIN}; really reserved on the disk
 * @param backing mapped file or PMDK pool
 * @param overwrite whether an existing file may be replaced
 * @param log for a pool of mode {@code LOGGED}: its log, in whose directory the pool is made; mapped backing only
 */
public record FormatOptions(
        long size,
        Backing backing,
        boolean overwrite,
        @Nullable LogOptions log) {
    /** Smallest pool: superblock, index and a few regions. */
    public static final long SIZE_MIN = 64L << 20;

    public FormatOptions {
        if (size < SIZE_MIN) {
            throw new IllegalArgumentException("a pool needs at least " + SIZE_MIN + " bytes, not " + size);
        }
        if (log != null && backing != Backing.MAPPED) {
            throw new IllegalArgumentException("a logged pool is a mapped file");
        }
    }

    /** A pool without a log. */
    public FormatOptions(long size, Backing backing, boolean overwrite) {
        this(size, backing, overwrite, null);
    }

    /** A pool of this size with its log in this directory, which replaces nothing. */
    public static FormatOptions logged(long size, Path logDirectory) {
        return new FormatOptions(size, Backing.MAPPED, false, LogOptions.in(logDirectory));
    }

    /** A mapped pool of this size that replaces nothing. */
    public static FormatOptions ofSize(long size) {
        return new FormatOptions(size, Backing.MAPPED, false);
    }
}
