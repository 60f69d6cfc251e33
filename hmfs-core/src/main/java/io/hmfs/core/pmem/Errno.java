package io.hmfs.core.pmem;

/** The error numbers of Linux that the native library returns, as far as they are told apart. */
final class Errno {
    static final int ENOENT = 2;
    static final int ENXIO = 6;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EISDIR = 21;
    static final int EFBIG = 27;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int ELOOP = 40;
    static final int EINVAL = 22;
    static final int EOPNOTSUPP = 95;

    private Errno() {}

    static String text(int error) {
        return switch (error) {
            case ENOENT -> "no such file or directory";
            case EAGAIN -> "locked";
            case EACCES -> "permission denied";
            case EISDIR -> "is a directory";
            case ENXIO -> "no such device";
            case EINVAL -> "refused by the kernel";
            case EFBIG -> "too large for this filesystem";
            case ENOSPC -> "no space left on the device";
            case EROFS -> "read-only filesystem";
            case EOPNOTSUPP -> "not supported here";
            default -> "errno " + error;
        };
    }
}
