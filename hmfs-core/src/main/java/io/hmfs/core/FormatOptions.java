package io.hmfs.core;

import io.hmfs.core.pmem.Backing;

/**
 * How to make a pool.
 *
 * @param size bytes, at least {@link #SIZE_MIN}; really reserved on the disk
 * @param backing mapped file or PMDK pool
 * @param overwrite whether an existing file may be replaced
 */
public record FormatOptions(long size, Backing backing, boolean overwrite) {
    /** Smallest pool: superblock, index and a few regions. */
    public static final long SIZE_MIN = 64L << 20;

    public FormatOptions {
        if (size < SIZE_MIN) {
            throw new IllegalArgumentException("a pool needs at least " + SIZE_MIN + " bytes, not " + size);
        }
    }

    /** A mapped pool of this size that replaces nothing. */
    public static FormatOptions ofSize(long size) {
        return new FormatOptions(size, Backing.MAPPED, false);
    }
}
