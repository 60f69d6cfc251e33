package io.hmfs.core.pmem;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Tells one start of the machine from another: what was only in its memory is gone with the one before. */
public final class MachineBoot {
    private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

    private MachineBoot() {}

    /** The id of this boot. Throws where the kernel tells none; the message names the file. */
    public static UUID id() throws IOException {
        return id(FILE);
    }

    /** The id that stands in this file. */
    public static UUID id(Path file) throws IOException {
        try {
            return UUID.fromString(Files.readString(file).strip());
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " has no id: " + e.getMessage(), e);
        }
    }
}
