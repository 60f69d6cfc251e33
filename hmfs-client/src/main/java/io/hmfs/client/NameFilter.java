package io.hmfs.client;

import java.nio.charset.StandardCharsets;

/**
 * Which entries of a directory a listing tells: those whose names begin with the one text and end with the other, which may share characters: {@code ab} begins
 * with {@code ab} and ends with {@code b}. The server leaves out the others.
 */
public record NameFilter(String prefix, String suffix) {
    /** Leaves out nothing. */
    public static final NameFilter NONE = new NameFilter("", "");

    private static final int BYTES_MAX = 255; // of the longest name

    /** Whether a name can be long enough for each of the two: if not, no server takes it. */
    public boolean fits() {
        return utf8Prefix().length <= BYTES_MAX && utf8Suffix().length <= BYTES_MAX;
    }

    byte[] utf8Prefix() {
        return prefix.getBytes(StandardCharsets.UTF_8);
    }

    byte[] utf8Suffix() {
        return suffix.getBytes(StandardCharsets.UTF_8);
    }
}
