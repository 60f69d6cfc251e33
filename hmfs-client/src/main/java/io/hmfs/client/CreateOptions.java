package io.hmfs.client;

/**
 * How to create a file.
 *
 * @param mode permission bits of the file, 0–07777
 * @param overwrite whether a file of that name is deleted first; deletion and creation are two steps, not one atomic one
 * @param createParents whether missing parent directories are made
 * @param parentMode permission bits of parents made here, 0–07777
 * @param unmaskedMode the mode before the umask: where the directory has a default ACL, this one and the ACL decide
 */
public record CreateOptions(int mode, boolean overwrite, boolean createParents, int parentMode, int unmaskedMode) {
    /** Without a umask. */
    public CreateOptions(int mode, boolean overwrite, boolean createParents, int parentMode) {
        this(mode, overwrite, createParents, parentMode, mode);
    }
}
