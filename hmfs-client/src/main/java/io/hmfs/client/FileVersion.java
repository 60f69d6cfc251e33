package io.hmfs.client;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What a file was at one moment. Each commit of a size, and each truncate, is another version; a rename and a change of
 * mode or owner are none. An inode is never used again. A client that sets a modification time back with setTimes hides what
 * changed without changing the size.
 */
public record FileVersion(long inode, long mtimeNanos, long size) implements Serializable {
    private static final int HEX = 16;

    /** Of a file as it was looked at. */
    public static FileVersion of(FileInfo info) {
        return new FileVersion(info.id(), info.mtimeNanos(), info.size());
    }

    /** The version as an opaque text. */
    public String etag() {
        return Long.toHexString(inode) + "-" + Long.toHexString(mtimeNanos) + "-" + Long.toHexString(size);
    }

    /** The version with this {@link #etag}; null if it is none. */
    public static @Nullable FileVersion ofEtag(String etag) {
        String[] parts = etag.split("-", -1);
        try {
            FileVersion version =
                    parts.length == 3 ? new FileVersion(number(parts[0]), number(parts[1]), number(parts[2])) : null;
            return version == null || version.inode == 0 || !version.etag().equals(etag) ? null : version;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static long number(String text) {
        return Long.parseUnsignedLong(text, HEX);
    }
}
