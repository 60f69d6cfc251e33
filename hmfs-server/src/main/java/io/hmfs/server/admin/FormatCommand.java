package io.hmfs.server.admin;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.log.LogOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hmfs format}. */
@Command(
        name = "format",
        description = "Make a pool: the file, on persistent memory or any filesystem, that holds a namespace.",
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  hmfs format /mnt/pmem0/hmfs.pool --size 64G       on a DAX filesystem",
            "  hmfs format /dev/shm/hmfs.pool --size 1G          in memory: survives the server, not the machine",
            "  hmfs format /dev/shm/hmfs.pool --log-directory /data/hmfs.log   the same, and survives the machine",
            "  hmfs format old.pool --force                      replace what is there"
        })
final class FormatCommand implements Callable<Integer> {
    @Parameters(paramLabel = "POOL", description = "The file to make.")
    private Path pool = Path.of("");

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "1G",
            description = "Bytes, with K, M, G or T (default: ${DEFAULT-VALUE}); at least 64M, reserved on the disk.")
    private String size = "1G";

    @Option(
            names = "--backing",
            paramLabel = "KIND",
            defaultValue = "mapped",
            description = "mapped: a mapped file; pmdk: a PMDK pool, needs libpmemobj1 (default: ${DEFAULT-VALUE}).")
    private Backing backing = Backing.MAPPED;

    @Option(
            names = "--log-directory",
            paramLabel = "DIR",
            description =
                    "Make a pool for the mode logged: its log and image go to this directory, on a disk; POOL itself,"
                            + " in memory, is made by the first start.")
    private @Nullable Path logDirectory;

    @Option(names = "--force", description = "Replace an existing file: what it holds is lost.")
    private boolean force;

    @Override
    public Integer call() throws IOException {
        long bytes = Quantities.bytes("--size", size);
        if (bytes < FormatOptions.SIZE_MIN) {
            throw CommandException.usage(
                    "--size is '" + size + "'; a pool needs at least " + FormatOptions.SIZE_MIN / (1 << 20) + "M");
        }
        try {
            LogOptions log = logDirectory == null ? null : LogOptions.in(logDirectory);
            if (log != null && backing != Backing.MAPPED) {
                throw CommandException.usage("--log-directory goes with --backing mapped only");
            }
            Hmfs.format(pool, new FormatOptions(bytes, backing, force, log));
        } catch (PoolException e) {
            if (e.reason() == PoolException.Reason.ALREADY_EXISTS) {
                String there = logDirectory == null ? pool.toString() : pool + ", or the log in " + logDirectory + ",";
                throw CommandException.failure(
                        there + " exists already; --force replaces it, and what it holds is lost");
            }
            throw e;
        }
        System.out.println("formatted " + pool + ": " + Quantities.readable(bytes) + ", "
                + backing.name().toLowerCase(Locale.ROOT)
                + (logDirectory == null ? "" : ", with its log in " + logDirectory));
        System.out.println("serve it: hmfs server --pool " + pool
                + (logDirectory == null ? "" : " --persistence logged --log-directory " + logDirectory));
        return 0;
    }
}
