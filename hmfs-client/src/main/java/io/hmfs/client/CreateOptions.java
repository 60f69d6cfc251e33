package io.hmfs.client;

/**
 * How to create a file.
 *
 * @param mode permission bits of the file, 0–07777
 * @param overwrite whether a file of that name is deleted first; deletion and creation are two steps, not one atomic one
 * @param createParents whether missing parent directories are made
 * @param parentMode permission bits of parents made here, 0–07777
 */
public record CreateOptions(int mode, boolean overwrite, boolean createParents, int parentMode) {}
