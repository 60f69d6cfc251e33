package io.hmfs.core.pmem;

/** What makes a pool's memory. */
public enum Backing {
    /** Any file, mapped: DAX, tmpfs, or an ordinary disk file. */
    MAPPED,
    /** A PMDK pool opened through llpl; needs libpmemobj1, libpmem1 and libpmempool1. */
    PMDK
}
