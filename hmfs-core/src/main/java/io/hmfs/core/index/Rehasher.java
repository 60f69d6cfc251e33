package io.hmfs.core.index;

/** Computes an object's key hash from the object itself; asked by splits, recovery and sweeps only. */
@FunctionalInterface
public interface Rehasher {
    /**
     * Hash of the key that stands in the object at {@code at}, whatever its status. A stale index word may ask about a freed or
     * half-filled slot: any value will do then, but no exception.
     */
    long hashOf(long at);
}
