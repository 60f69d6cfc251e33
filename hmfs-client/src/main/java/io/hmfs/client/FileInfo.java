package io.hmfs.client;

/**
 * A file or directory as the server described it.
 *
 * @param id identity, unique in the cluster for ever; the partition in its top 16 bits
 * @param parentId id of the directory that holds it; 0 for the root
 * @param name the last component of its path; empty for the root
 * @param mode permission bits, 0–07777
 * @param size committed bytes; 0 for a directory
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
        long mtimeMillis,
        long atimeMillis,
        long ctimeMillis) {}
