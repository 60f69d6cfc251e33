package io.hmfs.core.pmem.log;

import io.hmfs.core.type.Progress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The log of a pool in mode {@code logged}.
 *
 * @param directory where the log, the image and the control file are: on the disk that must survive
 * @param segmentSize bytes of a log file before the next is begun, 4 KiB to 128 MiB
 * @param logMax bytes of log that may wait for the image; more makes operations wait; at least two segments
 * @param ringRecords lines that may wait for the disk, a power of two from 64 to 2^24; more makes operations wait
 * @param onVolatile allow a directory in memory (tmpfs), which survives no failure of the machine: for tests and measurements
 * @param quiet after so long without a change, and at the end, the log gets an empty record, which shows whether what stands before it is damaged; over zero
 * @param progress hears how far a rebuild of the pool is; the first pool that is made of an image is none
 */
public record LogOptions(
        Path directory,
        long segmentSize,
        long logMax,
        int ringRecords,
        boolean onVolatile,
        Duration quiet,
        Progress progress) {
    /** A {@link #quiet} without such a record. */
    public static final Duration NEVER = Duration.ofNanos(Long.MAX_VALUE);

    private static final Duration QUIET = Duration.ofMillis(200);
    private static final System.Logger LOG = System.getLogger(LogOptions.class.getName());

    public LogOptions {
        check("segmentSize", segmentSize, 4 << 10, 128 << 20);
        check("logMax", logMax, 2 * segmentSize, 1L << 40);
        check("ringRecords", ringRecords, 64, 1 << 24);
        if (Integer.bitCount(ringRecords) != 1) {
            throw new IllegalArgumentException("ringRecords is " + ringRecords + "; it must be a power of two");
        }
        if (quiet.compareTo(Duration.ZERO) <= 0 || quiet.compareTo(NEVER) > 0) {
            throw new IllegalArgumentException(
                    "quiet is " + quiet + "; it must be over zero, and " + NEVER + " at most");
        }
    }

    private static void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + " is " + value + "; it must be " + min + " to " + max);
        }
    }

    /** The defaults: segments of 16 MiB, up to 1 GiB of them, 262,144 lines in memory; begin and end of a rebuild go to the system's logger. */
    public static LogOptions in(Path directory) {
        return new LogOptions(directory, 16 << 20, 1 << 30, 1 << 18, false, QUIET, (pass, done, total) -> {
            if (done == 0 || done == total) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "rebuilding the pool of {0}: {1}, {2} of {3}",
                        directory,
                        pass,
                        done,
                        total);
            }
        });
    }

    /** The directory of a pool's log unless another is named: beside it. */
    public static Path directoryOf(Path pool) {
        return pool.resolveSibling(pool.getFileName() + ".log");
    }

    /** Whether a log is there already. */
    public boolean exists() {
        return Files.exists(directory.resolve(LogFiles.CONTROL));
    }

    /** The same with other bounds. */
    public LogOptions withSizes(long newSegmentSize, long newLogMax, int newRingRecords) {
        return new LogOptions(directory, newSegmentSize, newLogMax, newRingRecords, onVolatile, quiet, progress);
    }

    /** The same, also in memory. */
    public LogOptions withOnVolatile(boolean allowed) {
        return new LogOptions(directory, segmentSize, logMax, ringRecords, allowed, quiet, progress);
    }

    /** The same with another {@link #quiet}. */
    public LogOptions withQuiet(Duration pause) {
        return new LogOptions(directory, segmentSize, logMax, ringRecords, onVolatile, pause, progress);
    }

    /** The same with another listener. */
    public LogOptions withProgress(Progress listener) {
        return new LogOptions(directory, segmentSize, logMax, ringRecords, onVolatile, quiet, listener);
    }
}
