package io.hmfs.server.admin;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolPlace;
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
            "  hmfs format /dev/dax0.0                           on device DAX, all of it",
            "  hmfs format /data/hmfs.pool --size 1G             on any disk, with its log in /data/hmfs.pool.log",
            "  hmfs format /dev/shm/hmfs.pool --log-directory /data/hmfs.log   in memory, with its log on a disk",
            "  hmfs format /dev/shm/hmfs.pool --size 128M --log-directory /data/hmfs.log --log-max 128M   on a disk of 400M;",
            "                                                     the server needs the same --log-max",
            "  hmfs format /dev/shm/hmfs.pool --persistence process   in memory: survives the server, not the machine",
            "  hmfs format old.pool --force                      replace what is there"
        })
final class FormatCommand implements Callable<Integer> {
    private static final String SIZE_DEFAULT = "1G";
    private static final String LOG_MAX_DEFAULT = "1G"; // as the server's

    @Parameters(paramLabel = "POOL", description = "The file to make.")
    private Path pool = Path.of("");

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description =
                    "Bytes, with K, M, G or T (default: 1G; of a device, all of it); at least 64M, reserved on the disk.")
    private @Nullable String size;

    @Option(
            names = "--backing",
            paramLabel = "KIND",
            defaultValue = "mapped",
            description = "mapped: a mapped file; pmdk: a PMDK pool, needs libpmemobj1 (default: ${DEFAULT-VALUE}).")
    private Backing backing = Backing.MAPPED;

    @Option(
            names = "--persistence",
            paramLabel = "MODE",
            description =
                    "What an answered operation will survive. pmem: power failure, POOL is on DAX memory; logged: power"
                            + " failure, by a log on a disk; process: the death of the server, not of the machine (default: pmem"
                            + " on DAX memory, else logged).")
    private @Nullable Persistence persistence;

    @Option(
            names = "--log-directory",
            paramLabel = "DIR",
            description =
                    "Where log and image go, on a disk, in the mode logged; POOL itself is made by the first start"
                            + " (default: POOL.log; none if that is in memory).")
    private @Nullable Path logDirectory;

    @Option(
            names = "--log-max",
            paramLabel = "SIZE",
            defaultValue = LOG_MAX_DEFAULT,
            description =
                    "What the log files may take of the disk beside the image, which takes --size: what the server's setting"
                            + " log-max will be (default: ${DEFAULT-VALUE}); at least 32M.")
    private String logMax = LOG_MAX_DEFAULT;

    @Option(names = "--force", description = "Replace an existing file: what it holds is lost.")
    private boolean force;

    @Override
    public Integer call() throws IOException {
        long bytes = bytes();
        if (bytes < FormatOptions.SIZE_MIN) {
            throw CommandException.usage("--size is '" + (size == null ? Quantities.readable(bytes) : size)
                    + "'; a pool needs at least " + FormatOptions.SIZE_MIN / (1 << 20) + "M");
        }
        PoolMode mode = PoolMode.toMake(pool, backing, persistence, logDirectory);
        Path log = mode.logDirectory();
        LogOptions options = log == null ? null : options(log);
        try {
            Hmfs.format(pool, new FormatOptions(bytes, backing, force, options));
        } catch (PoolException e) {
            if (e.reason() == PoolException.Reason.ALREADY_EXISTS) {
                String there = log == null ? pool.toString() : pool + ", or the log in " + log + ",";
                throw CommandException.failure(there + (PoolPlace.isDevice(pool) ? " has something in it" : " exists")
                        + " already; --force replaces it, and what it holds is lost");
            }
            throw e;
        }
        System.out.println("formatted " + pool + ": " + Quantities.readable(bytes) + ", "
                + backing.name().toLowerCase(Locale.ROOT)
                + (log == null ? "" : ", with its log in " + log));
        System.out.println("serve it: hmfs server --pool " + pool
                + (mode.persistence() == Persistence.PROCESS ? " --persistence process" : "")
                + (PoolPlace.isDevice(pool) ? " --data-directory DIR" : "")
                + (logDirectory == null ? "" : " --log-directory " + logDirectory)
                + (log == null || logMax.equals(LOG_MAX_DEFAULT) ? "" : " --log-max " + logMax));
        return 0;
    }

    private long bytes() throws PoolException {
        if (size != null) {
            return Quantities.bytes("--size", size);
        }
        return PoolPlace.isDevice(pool)
                ? Math.min(PoolPlace.deviceSize(pool), OpenOptions.SIZE_MAX)
                : Quantities.bytes("--size", SIZE_DEFAULT);
    }

    private LogOptions options(Path log) {
        LogOptions defaults = LogOptions.in(log);
        long max = Quantities.bytes("--log-max", logMax);
        long min = 2 * defaults.segmentSize();
        if (max < min || max > 1L << 40) {
            throw CommandException.usage("--log-max is '" + logMax + "'; it must be " + min / (1 << 20) + "M to 1T");
        }
        return defaults.withSizes(defaults.segmentSize(), max, defaults.ringRecords());
    }
}
