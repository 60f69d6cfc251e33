package io.hmfs.server.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/** Which start of the machine this is: what was written and not synced before another one is lost, though the server had answered it. */
final class MachineStart {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private MachineStart() {}

    /** A number that is the same until the machine is lost; where that is not known, until the server ends. */
    static long verifier() {
        return verifier(BOOT_ID);
    }

    static long verifier(Path bootId) {
        long verifier;
        try {
            UUID boot = UUID.fromString(Files.readString(bootId).strip());
            verifier = boot.getMostSignificantBits() * 31 + boot.getLeastSignificantBits();
        } catch (IOException | IllegalArgumentException e) {
            verifier = new SecureRandom().nextLong();
        }
        return verifier >>> 1
                | 1L << 62; // neither 0, which says nothing, nor negative, which clients do not show as one
    }
}
