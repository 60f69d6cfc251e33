package io.hmfs.client;

import java.util.List;

/**
 * A scrub of the builtin data store, that is under way, or the last one since the server's start.
 *
 * @param number of the scrub since the server's start; 0: there was none, and the rest is 0
 * @param isRunning whether it is under way
 * @param isWhole whether it has come to its end
 * @param files that it has met
 * @param objects that it has read
 * @param bytes that it has read
 * @param unread objects that could not be opened, or have no checksums yet
 * @param damaged damaged parts of files that it has found
 * @param beganMillis when it began, since 1970
 * @param endedMillis when it ended, since 1970; 0: it has not
 * @param damages some of the damaged parts
 * @param next where the next ones begin; 0: that was all
 */
public record ScrubStatus(
        long number,
        boolean isRunning,
        boolean isWhole,
        long files,
        long objects,
        long bytes,
        long unread,
        long damaged,
        long beganMillis,
        long endedMillis,
        List<Damage> damages,
        int next) {
    /** A damaged part of a file: bytes {@code from} to before {@code to}; 0 and 0: a directory with a damaged entry, behind which no file was read. */
    public record Damage(String path, long inode, long from, long to) {}
}
