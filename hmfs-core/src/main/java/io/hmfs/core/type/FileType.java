package io.hmfs.core.type;

/** What an entry names. Codes are pool and wire format: append only. */
public enum FileType {
    FILE(1),
    DIRECTORY(2),
    /** A symbolic link; the engine never follows one. */
    SYMLINK(3);

    private static final FileType[] BY_CODE = {FILE, FILE, DIRECTORY, SYMLINK};

    private final int code;

    FileType(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** The type of a code read from a pool; {@code IllegalArgumentException} if it is none of ours. */
    public static FileType of(int code) {
        if (code < 1 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("no file type has code " + code);
        }
        return BY_CODE[code];
    }
}
