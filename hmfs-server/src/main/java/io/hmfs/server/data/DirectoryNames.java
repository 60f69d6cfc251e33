package io.hmfs.server.data;

/**
 * What of the names in a directory is known to be on the disk. Of those from before the start nothing is known: a process that was killed
 * may have left some that never came there (ADR 0224). Thread-safe.
 */
final class DirectoryNames {
    private static final int UNKNOWN = -1;

    private int begun; // names that are being made: others may see them already
    private long made; // names, and forces that failed
    private long forced = UNKNOWN; // so many of them are on the disk

    /** A name is about to be made. */
    synchronized void begin() {
        begun++;
    }

    /** It was made, or could not be. */
    synchronized void end() {
        begun--;
        made++;
    }

    /** What a force of the directory that begins now brings to the disk, for {@link #forced}. */
    synchronized long seen() {
        return made;
    }

    /** The directory was forced. */
    synchronized void forced(long seen) {
        forced = Math.max(forced, seen);
    }

    /** The directory could not be forced: another force that has begun already says nothing of what this one was for. */
    synchronized void failed() {
        made++;
    }

    /** Whether each name that can be seen there is on the disk. */
    synchronized boolean areForced() {
        return begun == 0 && forced == made;
    }
}
