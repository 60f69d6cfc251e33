package io.hmfs.core.check;

/**
 * One thing that is not as it should be.
 *
 * @param severity what it means
 * @param at offset in the pool
 * @param object what stands there, in words
 * @param expected what should
 * @param found what does
 * @param action what a repair does, or has done; or what to do where it can do nothing
 */
public record Finding(Severity severity, long at, String object, String expected, String found, String action) {
    /** What a finding means for the owner of the pool. */
    public enum Severity {
        /** Bytes that no operation and no crash leaves; a repair can put them right. */
        DAMAGE,
        /** Bytes that no operation and no crash leaves, and a repair cannot tell what stood there. */
        LOST,
        /** What a crash left half done: the next start finishes or undoes it. */
        PENDING,
        /** Was damage, and is repaired. */
        REPAIRED
    }

    @Override
    public String toString() {
        return "%s at 0x%x: expected %s, found %s; %s".formatted(object, at, expected, found, action);
    }
}
