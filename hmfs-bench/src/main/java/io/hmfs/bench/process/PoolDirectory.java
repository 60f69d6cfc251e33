package io.hmfs.bench.process;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where benchmarks make their pools unless told otherwise. */
public final class PoolDirectory {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private PoolDirectory() {}

    /** Shared memory where there is some, else the directory for temporary files. */
    public static Path standard() {
        return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }
}
