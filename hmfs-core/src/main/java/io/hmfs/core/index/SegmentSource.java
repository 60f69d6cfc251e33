package io.hmfs.core.index;

/**
 * Where the index takes its segments from. A segment is <em>in use</em> exactly while its first word is not zero
 * ({@link io.hmfs.core.layout.SegmentRecord#isFree}): that word becomes durable only after a split record that names the segment,
 * so a source that goes by it at start needs no durable state of its own and cannot leak. Called with an index lock held:
 * implementations never call the index.
 */
public interface SegmentSource {
    /**
     * Reserves {@link io.hmfs.core.layout.SegmentRecord#SIZE} bytes, aligned to a line, all zero and durably so.
     *
     * @return their offset, or {@link io.hmfs.core.pmem.Pmem#NULL} if there is no space
     */
    long allocate();

    /** Takes back a segment, zeroed durably by the index. One that the source knows as free already is left alone. */
    void free(long at);
}
