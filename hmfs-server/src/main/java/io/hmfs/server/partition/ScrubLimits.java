package io.hmfs.server.partition;

import java.time.Duration;

/**
 * When and how fast the builtin store is scrubbed.
 *
 * @param interval from the end of a scrub to the next one; zero: only when it is asked for
 * @param bytesPerSecond that are read at most
 */
public record ScrubLimits(Duration interval, long bytesPerSecond) {
    /** Only when it is asked for. */
    public static final ScrubLimits ASKED = new ScrubLimits(Duration.ZERO, 1L << 30);
}
