package io.hmfs.core.type;

/** A file that is gone from the namespace while its data has still to be removed; filled by {@code RemovedFiles.next}. */
public final class RemovedFile {
    /** What to tell when the data is gone. */
    public long token;

    /** The id that the file had, under which its data is kept; no other file ever gets it. */
    public long id;

    /** Its size in bytes when it was removed. */
    public long size;

    /** Number of the user whose file it was. */
    public int uid;

    /** When it was removed, in nanoseconds since 1970. */
    public long removedNanos;
}
