package io.hmfs.core;

import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.log.LogBinding;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.pmem.log.LoggedPoolFile;
import io.hmfs.core.recovery.Superblock;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/** The way in: makes pools and opens namespaces on them. */
public final class Hmfs {
    private Hmfs() {}

    /** Makes a pool with an empty root directory. Throws {@link PoolException} with what is wrong and what to do. */
    public static void format(Path pool, FormatOptions options) throws IOException {
        LogOptions log = options.log();
        if (log != null) {
            LoggedPoolFile.format(
                    pool,
                    log,
                    options.size(),
                    options.overwrite(),
                    file -> Superblock.format(pool, file, UUID.randomUUID(), new SecureRandom().nextLong()));
            return;
        }
        try (PoolFile file = PoolFile.create(pool, options.size(), options.backing(), options.overwrite())) {
            Superblock.format(pool, file, UUID.randomUUID(), new SecureRandom().nextLong());
        }
    }

    /** Opens a pool; recovery needs no scan. Throws {@link PoolException} with what is wrong and what to do. */
    public static Namespace open(Path pool, OpenOptions options) throws IOException {
        LogOptions log = options.log();
        PoolFile file = log != null
                ? LoggedPoolFile.open(pool, log)
                : PoolFile.open(pool, options.persistence(), options.emulatePmem());
        try {
            Superblock.check(pool, file);
            if (log == null && LogBinding.isBound(file)) {
                throw new PoolException(
                        PoolException.Reason.NOT_A_POOL,
                        pool
                                + " is part of a pool with a log. Open it with the mode logged and the log's directory: what"
                                + " another mode stores would be lost with the machine");
            }
            return new PoolNamespace(pool.toString(), file, true, options.waits());
        } catch (CorruptPoolException e) {
            file.close();
            throw new PoolException(
                    PoolException.Reason.BAD_CHECKSUM,
                    pool + " is damaged: " + e.getMessage() + ". Restore it from a copy",
                    e);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }
}
