package io.hmfs.bench.micro;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A pool of a benchmark, gone with it, and a name of sixteen bytes to be refilled with numbers. */
final class PoolState implements AutoCloseable {
    private static final int NAME_LENGTH = 16;
    private static final int NIBBLE = 4;

    final Namespace namespace;
    final Name name = new Name();
    final Attributes attributes = new Attributes();
    private final byte[] digits = new byte[NAME_LENGTH];
    private final Path pool;

    PoolState(long size, Persistence persistence) {
        try {
            Path directory =
                    Path.of(System.getProperty(Benchmarks.POOL_DIRECTORY, System.getProperty("java.io.tmpdir", ".")));
            pool = Files.createTempFile(directory, "hmfs-bench-", ".pool");
            Hmfs.format(pool, new FormatOptions(size, Backing.MAPPED, true));
            namespace = Hmfs.open(pool, new OpenOptions(persistence, persistence == Persistence.PMEM));
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
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
