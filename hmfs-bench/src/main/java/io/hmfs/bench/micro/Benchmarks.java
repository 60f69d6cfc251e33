package io.hmfs.bench.micro;

/** What the command that starts the benchmarks of this package tells them. */
public final class Benchmarks {
    /** System property that names the directory for pools. */
    public static final String POOL_DIRECTORY = "hmfs.bench.pool-dir";

    private Benchmarks() {}
}
