package io.hmfs.server.metrics;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The audit log: takes records from the rings of all threads, oldest first, and appends their lines to a file that rolls. A request
 * never waits for it: with a full ring, or a disk that fails, lines are dropped and counted, and the log itself says how many.
 */
public final class AuditLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());
    private static final long IDLE_NANOS = 20_000_000;
    private static final int BATCH_BYTES = 256 << 10;
    private static final int PRINCIPALS_MAX = 4096;
    private static final long COMPLAINT_NANOS = 60_000_000_000L;

    private final Meters meters;
    private final IntFunction<String> names;
    private final Path path;
    private final RollingFile file;
    private final List<AuditRing> rings = new CopyOnWriteArrayList<>();
    private final Map<Integer, byte[]> known = new HashMap<>();
    private final AuditLine lines = new AuditLine(this::principal);
    private final Thread thread;
    private long batched;
    private long droppedSeen;
    private long complainedNanos;
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private volatile boolean stopping;
    private volatile boolean stopped;

    private AuditLog(Path path, RollingFile file, Meters meters, IntFunction<String> names) {
        this.path = path;
        this.file = file;
        this.meters = meters;
        this.names = names;
        thread = Thread.ofPlatform().daemon().name("hmfs-audit").unstarted(this::run);
    }

    /**
     * Opens the log and begins to write.
     *
     * @param sizeMax bytes of a file before the next is begun
     * @param filesMax files that are kept
     * @param names what a user or group is called
     */
    public static AuditLog open(Path path, long sizeMax, int filesMax, Meters meters, IntFunction<String> names)
            throws IOException {
        try {
            AuditLog log = new AuditLog(path, new RollingFile(path, sizeMax, filesMax), meters, names);
            log.thread.start();
            return log;
        } catch (IOException e) {
            throw new IOException(
                    "cannot write the audit log " + path + ": " + e
                            + "; make its directory writable or name another file",
                    e);
        }
    }

    /** A ring for the records of one thread. */
    public AuditRing newRing() {
        AuditRing ring = new AuditRing();
        rings.add(ring);
        return ring;
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    /** Lines that a disk did not take. */
    long failed() {
        return failed.get();
    }

    /** Lines in the file. */
    long written() {
        return written.get();
    }

    private void run() {
        try {
            write();
        } catch (RuntimeException | Error e) {
            stopped = true;
            LOG.log(
                    Level.ERROR,
                    "the audit log " + path + " has stopped after an unexpected error: operations go on without lines"
                            + " there until the server is started again",
                    e);
        }
    }

    /** Whether it has ended by itself, after an unexpected error: what is executed from then on has no line. */
    public boolean hasStopped() {
        return stopped;
    }

    private void write() {
        boolean last = false;
        while (!last) {
            last = stopping; // then one more look, at what came before it
            while (gather()) {
                flush();
            }
            flush();
            if (!last) {
                LockSupport.parkNanos(IDLE_NANOS);
            }
        }
    }

    /** Turns records into lines, oldest first; true if there may be more. */
    private boolean gather() {
        long wall = System.currentTimeMillis();
        long now = System.nanoTime();
        while (lines.length() < BATCH_BYTES) {
            AuditRing oldest = null;
            int at = -1;
            long nanos = 0;
            for (AuditRing ring : rings) {
                int first = ring.first();
                if (first >= 0 && (oldest == null || ring.longAt(first + 8) - nanos < 0)) {
                    oldest = ring;
                    at = first;
                    nanos = ring.longAt(first + 8);
                }
            }
            if (oldest == null) {
                return false;
            }
            lines.add(oldest, at, wall - (now - nanos) / 1_000_000);
            oldest.remove(at);
            batched++;
        }
        return true;
    }

    private void flush() {
        long dropped = meters.tally(WorkerMeter.Tally.AUDIT_DROPPED) + failed.get();
        if (dropped > droppedSeen) {
            lines.lost(dropped - droppedSeen, System.currentTimeMillis());
        }
        if (lines.length() == 0) {
            return;
        }
        long count = batched;
        batched = 0;
        try {
            file.write(ByteBuffer.wrap(lines.bytes(), 0, lines.length()));
            droppedSeen = dropped;
            written.addAndGet(count);
        } catch (IOException e) {
            failed.addAndGet(count);
            complain(count, e);
        } finally {
            lines.clear();
        }
    }

    private void complain(long count, IOException e) {
        long now = System.nanoTime();
        if (complainedNanos == 0 || now - complainedNanos > COMPLAINT_NANOS) {
            complainedNanos = now == 0 ? 1 : now;
            LOG.log(Level.ERROR, "the audit log {0} cannot be written, {1} lines are lost: {2}", path, count, e);
        }
    }

    private byte[] principal(int id) {
        byte[] name = known.get(id);
        if (name == null) {
            name = nameOf(id).getBytes(StandardCharsets.UTF_8);
            if (known.size() >= PRINCIPALS_MAX) {
                known.clear();
            }
            known.put(id, name);
        }
        return name;
    }

    private String nameOf(int id) {
        try {
            return names.apply(id);
        } catch (IllegalStateException e) { // the namespace has stopped; what was done before is told all the same
            return Integer.toString(id);
        }
    }

    /** Writes what there is, and ends. Before the namespace closes: it tells the names. */
    @Override
    public void close() {
        stopping = true;
        LockSupport.unpark(thread);
        @Nullable InterruptedException interrupted = null;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = e;
            }
        }
        if (interrupted != null) {
            Thread.currentThread().interrupt();
        }
        try {
            file.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "cannot close the audit log " + path, e);
        }
    }
}
