package io.hmfs.bench.micro;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A pool of a benchmark, gone with it, and a name of sixteen bytes to be refilled with numbers. */
final class PoolState implements AutoCloseable {
    private static final int NAME_LENGTH = 16;
    private static final int NIBBLE = 4;

    final ServerNamespace namespace;
    final Name name = new Name();
    final Attributes attributes = new Attributes();
    private final byte[] digits = new byte[NAME_LENGTH];
    private final Path pool;

    /** The log's directory, in mode logged. */
    private final @Nullable Path log;

    PoolState(long size, Persistence persistence) {
        try {
            Path directory =
                    Path.of(System.getProperty(Benchmarks.POOL_DIRECTORY, System.getProperty("java.io.tmpdir", ".")));
            pool = Files.createTempFile(directory, "hmfs-bench-", ".pool");
            if (persistence == Persistence.LOGGED) {
                log = Files.createTempDirectory("hmfs-bench-"); // on the disk for temporary files
                LogOptions options = LogOptions.in(log).withOnVolatile(true);
                Hmfs.format(pool, new FormatOptions(size, Backing.MAPPED, true, options));
                namespace = Hmfs.openForServer(pool, OpenOptions.logged(options));
            } else {
                log = null;
                Hmfs.format(pool, new FormatOptions(size, Backing.MAPPED, true));
                namespace = Hmfs.openForServer(pool, new OpenOptions(persistence, persistence == Persistence.PMEM));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The name that stands for this number: sixteen hexadecimal digits. */
    Name name(long number) {
        long rest = number;
        for (int i = NAME_LENGTH - 1; i >= 0; i--) {
            digits[i] = (byte) "0123456789abcdef".charAt((int) rest & 15);
            rest >>>= NIBBLE;
        }
        name.set(digits, 0, NAME_LENGTH);
        return name;
    }

    void create(long number) {
        Status status = namespace.create(Namespace.ROOT_ID, name(number), 0644, 0, 0, attributes);
        if (status != Status.OK) {
            throw new IllegalStateException("create answered " + status);
        }
    }

    @Override
    public void close() {
        try {
            namespace.close();
            Files.deleteIfExists(pool);
            Files.deleteIfExists(pool.resolveSibling(pool.getFileName() + ".ring"));
            if (log != null) {
                try (Stream<Path> files = Files.list(log)) {
                    for (Path file : files.toList()) {
                        Files.delete(file);
                    }
                }
                Files.delete(log);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
