package io.hmfs.server.data;

import io.hmfs.core.pmem.MachineBoot;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * Identifies the machine's boot, and what of it the disk has refused. Bytes that were written under another boot and never synced are lost, although the
 * server had answered the write; so may be bytes whose sync failed.
 */
final class MachineStart {
    private MachineStart() {}

    /** The same number until the machine boots again. If the boot has no id, another number at each start of the server. */
    static long verifier() {
        return verifier(MachineBoot::id);
    }

    static long verifier(Path bootId) {
        return verifier(() -> MachineBoot.id(bootId));
    }

    /** How a boot tells its id. */
    private interface Source {
        UUID id() throws IOException;
    }

    private static long verifier(Source source) {
        long verifier;
        try {
            UUID boot = source.id();
            verifier = boot.getMostSignificantBits() * 31 + boot.getLeastSignificantBits();
        } catch (IOException e) {
            return another();
        }
        return shown(verifier);
    }

    /** A number that no boot has, and no server has shown before. */
    static long another() {
        return shown(new SecureRandom().nextLong());
    }

    /** Never 0 or -1, which clients use for "none" and "several". */
    private static long shown(long verifier) {
        return verifier >>> 1 | 1L << 62;
    }
}
