package io.hmfs.client;

import io.hmfs.wire.CreateEncoder;
import org.jspecify.annotations.Nullable;

/**
 * How to create a file.
 *
 * @param mode permission bits of the file, 0–07777
 * @param overwrite whether a file of that name is replaced, in one step; else it is EXISTS
 * @param createParents whether missing parent directories are made
 * @param parentMode permission bits of parents made here, 0–07777, or {@link #INHERITED}
 * @param unmaskedMode the mode before the umask: where the directory has a default ACL, this one and the ACL decide
 * @param expected the one version that may be replaced: STALE if another one is there, NOT_FOUND if none is; null: any,
 *     or none
 * @param lease the number of the lease that is asked for, from {@link ClientLeases#next}; 0: none
 */
public record CreateOptions(
        int mode,
        boolean overwrite,
        boolean createParents,
        int parentMode,
        int unmaskedMode,
        @Nullable FileVersion expected,
        long lease) {
    /** Missing parents get the mode of the last directory that there is, and their owner may write and pass. */
    public static final int INHERITED = CreateEncoder.parentModeNullValue();

    /** Whatever is there, and without a lease. */
    public CreateOptions(int mode, boolean overwrite, boolean createParents, int parentMode, int unmaskedMode) {
        this(mode, overwrite, createParents, parentMode, unmaskedMode, null, 0);
    }

    /** The same without a umask. */
    public CreateOptions(int mode, boolean overwrite, boolean createParents, int parentMode) {
        this(mode, overwrite, createParents, parentMode, mode);
    }

    /** The same, but what it replaces is this version. */
    public CreateOptions replacing(FileVersion version) {
        return new CreateOptions(mode, true, createParents, parentMode, unmaskedMode, version, lease);
    }

    /** The same, with a lease of this number on what is made. */
    public CreateOptions leased(long number) {
        return new CreateOptions(mode, overwrite, createParents, parentMode, unmaskedMode, expected, number);
    }
}
