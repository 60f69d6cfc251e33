package io.hmfs.core.pmem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What the kernel tells about devices, in files below {@code /sys}; tests have a directory of their own in its place. */
final class Sysfs {
    static final Sysfs SYSTEM = new Sysfs(Path.of("/sys"));

    private final Path root;

    Sysfs(Path root) {
        this.root = root;
    }

    /** The directory of the block device with this number; null if there is none, as for the files of a tmpfs. */
    @Nullable
    Path block(long device) {
        return directory("block", device);
    }

    /** The directory of the character device with this number, or null. */
    @Nullable
    Path character(long device) {
        return directory("char", device);
    }

    private @Nullable Path directory(String kind, long device) {
        try {
            return root.resolve("dev")
                    .resolve(kind)
                    .resolve(major(device) + ":" + minor(device))
                    .toRealPath();
        } catch (IOException _) {
            return null;
        }
    }

    private static long major(long device) {
        return ((device >>> 8) & 0xFFF) | ((device >>> 32) & 0xFFFFF000L);
    }

    private static long minor(long device) {
        return (device & 0xFF) | ((device >>> 12) & 0xFFFFFF00L);
    }

    /** An attribute without the white space around it; null if there is none, or this user may not read it. */
    static @Nullable String text(Path directory, String attribute) {
        try {
            return Files.readString(directory.resolve(attribute), StandardCharsets.ISO_8859_1)
                    .strip();
        } catch (IOException _) {
            return null;
        }
    }

    /** An attribute that is a number, decimal or after 0x; empty if there is none, or this user may not read it. */
    static OptionalLong number(Path directory, String attribute) {
        String text = text(directory, attribute);
        try {
            return text == null ? OptionalLong.empty() : OptionalLong.of(Long.decode(text));
        } catch (NumberFormatException _) {
            return OptionalLong.empty();
        }
    }

    /** The last part of what a link leads to, such as {@code dax} for {@code subsystem}; empty if there is no such link. */
    static String linked(Path directory, String link) {
        try {
            return String.valueOf(directory.resolve(link).toRealPath().getFileName());
        } catch (IOException _) {
            return "";
        }
    }
}
