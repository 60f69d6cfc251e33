package io.hmfs.server.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/** Identifies the machine's boot. Bytes that were written under another boot and never synced are lost, although the server had answered the write. */
final class MachineStart {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private MachineStart() {}

    /** The same number until the machine boots again. If the boot has no id, another number at each start of the server. */
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
        return verifier >>> 1 | 1L << 62; // never 0 or -1, which clients use for "none" and "several"
    }
}
