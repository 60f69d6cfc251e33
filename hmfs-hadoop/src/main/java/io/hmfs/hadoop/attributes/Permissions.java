package io.hmfs.hadoop.attributes;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.hadoop.fs.permission.FsPermission;

/** One immutable permission object for each mode, for all statuses. Thread-safe. */
final class Permissions {
    private static final int MODES = 010000;
    private static final AtomicReferenceArray<FsPermission> MADE = new AtomicReferenceArray<>(MODES);

    private Permissions() {}

    static FsPermission of(int mode) {
        FsPermission made = MADE.get(mode & (MODES - 1));
        if (made == null) {
            made = FsPermission.createImmutable((short) mode);
            MADE.set(mode & (MODES - 1), made);
        }
        return made;
    }
}
