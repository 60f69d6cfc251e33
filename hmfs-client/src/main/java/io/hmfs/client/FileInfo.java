package io.hmfs.client;

/**
 * A file, a directory or a symbolic link as the server described it.
 *
 * @param id identity, unique in the cluster for ever; the partition in its top 16 bits
 * @param parentId id of the directory that holds it; 0 for the root
 * @param name the last component of its path; empty for the root
 * @param mode permission bits, 0–07777
 * @param size committed bytes; 0 for a directory
 * @param target what a symbolic link leads to, as it was given; empty if it is none
 * @param acl whether there is an ACL beside the mode, whose group bits may be its mask
 * @param dense whether every byte of the file below its size was written, so that one that the data store does not have was lost; false in a
 *     listing, which does not tell it
 */
public record FileInfo(
        long id,
        long parentId,
        String name,
        boolean directory,
        int mode,
        String owner,
        String group,
        long size,
        long mtimeNanos,
        long atimeMillis,
        long ctimeMillis,
        String target,
        boolean acl,
        boolean dense)
        implements FileView {
    /** Whether it is a symbolic link. */
    @Override
    public boolean symlink() {
        return !target.isEmpty();
    }
}
