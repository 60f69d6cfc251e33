package io.hmfs.client;

/**
 * What is known of a file, a directory or a symbolic link: {@link FileInfo}, or the entry of a page on which
 * {@link PageEntries} stands. In a listing that did not ask for all, what was not asked for is 0 or empty.
 */
public interface FileView {
    /** Identity, unique in the cluster for ever; the partition in its top 16 bits. */
    long id();

    /** The last component of its path, or its path from the top of a tree's listing. */
    String name();

    /** Whether it is a directory. */
    boolean directory();

    /** Whether it is a symbolic link. */
    boolean symlink();

    /** Whether there is an ACL beside the mode, whose group bits may be its mask. */
    boolean acl();

    /** Permission bits, 0–07777. */
    int mode();

    /** The user that it belongs to. */
    String owner();

    /** The group that it belongs to. */
    String group();

    /** Committed bytes; 0 for a directory. */
    long size();

    /** The time of its last change of content, in nanoseconds since 1970. */
    long mtimeNanos();

    /** The time of its last change of content, in milliseconds since 1970, rounded down. */
    default long mtimeMillis() {
        return Math.floorDiv(mtimeNanos(), 1_000_000L);
    }

    /** The time of its last access, in milliseconds since 1970, rounded down. */
    long atimeMillis();

    /** The time of the last change of any attribute, in milliseconds since 1970, rounded down. */
    long ctimeMillis();

    /** What a symbolic link leads to, as it was given; empty if it is none. */
    String target();
}
