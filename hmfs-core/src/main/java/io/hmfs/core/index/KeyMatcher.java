package io.hmfs.core.index;

/**
 * Tells whether an object is the one that a look-up wants. Implementations are reusable probes, one per thread, that hold the key;
 * they only read, and never call the index.
 */
@FunctionalInterface
public interface KeyMatcher {
    /** Whether the object at {@code at} has the key, and a status that the caller accepts. */
    boolean matches(long at);
}
