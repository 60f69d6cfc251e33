package io.hmfs.server.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what is put into the rings comes out as lines, whole and in order of time; what does not fit is dropped, counted and told.
 * Method: records of random length from one and several threads, a ring that no thread empties, a disk that is full, small files.
 */
@Timeout(60)
class AuditLogTest {
    private static final byte[] PREFIX = AuditLine.prefix("alice", "", "/10.0.0.1:5000");

    @TempDir
    private Path directory;

    private final Meters meters = new Meters();

    private AuditLog open(Path file, long size, int files) throws IOException {
        return AuditLog.open(file, size, files, meters, id -> "id" + id);
    }

    private static boolean put(AuditRing ring, String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        WireBuffer in = new WireBuffer().wrap(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
        if (!ring.open(PREFIX.length, bytes.length, 0)) {
            return false;
        }
        ring.put(RequestKind.STAT, ResultCode.OK, 0, System.nanoTime());
        ring.putBases(1, 0);
        ring.putPrefix(PREFIX);
        ring.putPath(PREFIX.length, in, 0, bytes.length);
        ring.close();
        return true;
    }

    private static String source(String line) {
        int at = line.indexOf("\tsrc=") + 5;
        return line.substring(at, line.indexOf('\t', at));
    }

    /** Where no file can be opened for a while, each new try must not push the older files out of the end. */
    @Test
    void aRollThatFailsHalfWayCostsNoOlderFile() throws IOException {
        Path place = Files.createDirectory(directory.resolve("place"));
        Path elsewhere = directory.resolve("elsewhere");
        Path path = place.resolve("audit.log");
        try (RollingFile file = new RollingFile(path, 7, 3)) {
            file.write(line("one"));
            file.write(line("two"));
            file.write(line("three"));
            Files.move(place, elsewhere); // no file can be opened
            assertThrows(IOException.class, () -> file.write(line("four")));
            assertThrows(IOException.class, () -> file.write(line("4")));
            Files.move(elsewhere, place);
            Files.delete(path);
            file.write(line("five"));
            assertEquals("five\n", Files.readString(path));
            assertEquals("two\n", Files.readString(place.resolve("audit.log.1")));
            assertEquals("one\n", Files.readString(place.resolve("audit.log.2")));
            Files.delete(path);
            file.write(line("six+six"));
            assertEquals("two\n", Files.readString(place.resolve("audit.log.1")));
            file.write(line("seven"));
            assertEquals("six+six\n", Files.readString(place.resolve("audit.log.1")));
        }
    }

    private static ByteBuffer line(String text) {
        return ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void recordsOfAllLengthsComeOutWholeAndInOrder() throws IOException {
        AuditRing ring = new AuditRing();
        AuditLine lines = new AuditLine(id -> new byte[0]);
        SplittableRandom random = new SplittableRandom(3);
        List<String> paths = new ArrayList<>();
        StringBuilder out = new StringBuilder();
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            String path = "/" + i + "-" + "x".repeat(random.nextInt(random.nextInt(8000) + 1));
            while (!put(ring, path)) {
                int first = ring.first();
                assertTrue(first >= 0, "a ring that refuses has records");
                lines.clear();
                lines.add(ring, first, 0);
                ring.remove(first);
                out.setLength(0);
                out.append(new String(lines.bytes(), 0, lines.length(), StandardCharsets.UTF_8));
                assertEquals(paths.get(read++), source(out.toString()));
            }
            paths.add(path);
        }
        for (int first = ring.first(); first >= 0; first = ring.first()) {
            lines.clear();
            lines.add(ring, first, 0);
            ring.remove(first);
            assertEquals(
                    paths.get(read++), source(new String(lines.bytes(), 0, lines.length(), StandardCharsets.UTF_8)));
        }
        assertEquals(paths.size(), read);
    }

    @Test
    void linesOfSeveralThreadsAreAllThereAndEachThreadsInItsOrder() throws Exception {
        Path file = directory.resolve("audit.log");
        try (AuditLog log = open(file, 1 << 30, 2)) {
            Thread[] threads = new Thread[3];
            for (int i = 0; i < threads.length; i++) {
                AuditRing ring = log.newRing();
                String name = "/t" + i + "/";
                threads[i] = Thread.ofPlatform().start(() -> {
                    for (int n = 0; n < 20_000; n++) {
                        while (!put(ring, name + n)) {
                            log.wake();
                            Thread.onSpinWait();
                        }
                    }
                });
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        int[] next = new int[3];
        List<String> lines = Files.readAllLines(file);
        assertEquals(60_000, lines.size());
        for (String line : lines) {
            String path = source(line);
            int thread = path.charAt(2) - '0';
            assertEquals("/t" + thread + "/" + next[thread]++, path);
        }
    }

    @Test
    void aFullRingDropsAndTheLogSaysHowMany() throws IOException {
        Path file = directory.resolve("audit.log");
        WorkerMeter meter = meters.newMeter();
        AuditRing ring = new AuditRing();
        long put = 0;
        while (put(ring, "/a")) {
            put++;
        }
        assertTrue(put > 1000, "only " + put);
        meter.add(WorkerMeter.Tally.AUDIT_DROPPED, 3); // as a thread that is refused does
        try (AuditLog log = open(file, 1 << 20, 2)) {
            assertEquals(0, log.failed());
        }
        List<String> lines = Files.readAllLines(file);
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().endsWith(" WARN FSNamesystem.audit: 3 lines were dropped before this one"));
    }

    @Test
    void aDiskThatIsFullLosesLinesAndCountsThem() throws IOException {
        try (AuditLog log = open(Path.of("/dev/full"), 1 << 20, 2)) {
            AuditRing ring = log.newRing();
            for (int i = 0; i < 10; i++) {
                assertTrue(put(ring, "/a" + i));
            }
            while (log.failed() < 10) {
                log.wake();
                Thread.onSpinWait();
            }
            assertEquals(10, log.failed());
            assertEquals(0, log.written());
        }
    }

    @Test
    void aThreadThatDiesIsTold() throws IOException {
        Path file = directory.resolve("audit.log");
        AuditLog log = AuditLog.open(file, 1 << 20, 2, meters, id -> {
            throw new IndexOutOfBoundsException("a bad pointer");
        });
        assertFalse(log.hasStopped());
        AuditRing ring = log.newRing();
        assertTrue(ring.open(PREFIX.length, 0, 0));
        ring.put(RequestKind.CREATE, ResultCode.OK, AuditRing.HAS_ATTRIBUTES, System.nanoTime());
        ring.putBases(1, 0);
        ring.putAttributes(7, 7, 0644);
        ring.putPrefix(PREFIX);
        ring.close();
        log.close(); // which waits for the thread's end, whatever that is
        assertTrue(log.hasStopped());
        assertEquals("", Files.readString(file));
        assertTrue(put(ring, "/a"), "the thread that executes operations goes on");
    }

    @Test
    void filesRollAndTheOldestGoes() throws IOException {
        Path file = directory.resolve("audit.log");
        for (int run = 0; run < 6; run++) { // each flush of a closing log is one write, and rolls as a whole
            try (AuditLog log = open(file, 64 << 10, 3)) {
                AuditRing ring = log.newRing();
                for (int i = 0; i < 400; i++) {
                    assertTrue(put(ring, "/" + run));
                }
            }
        }
        List<String> kept = new ArrayList<>();
        for (Path each : List.of(file.resolveSibling("audit.log.2"), file.resolveSibling("audit.log.1"), file)) {
            assertTrue(Files.size(each) <= 64 << 10, each + " has " + Files.size(each));
            Files.readAllLines(each).forEach(line -> kept.add(source(line)));
        }
        assertFalse(Files.exists(file.resolveSibling("audit.log.3")));
        assertEquals(kept.stream().sorted().toList(), kept);
        assertEquals("/5", kept.getLast());
        assertFalse(kept.contains("/0"), "the oldest file is still there");
    }

    @Test
    void aUserThatActsForAnotherIsNamed() {
        assertEquals(
                "\tugi=bob (auth:PROXY) via livy (auth:SIMPLE)\tip=/[::1]\tcmd=",
                new String(AuditLine.prefix("bob", "livy", "/[::1]:80"), StandardCharsets.UTF_8));
        assertEquals(
                "\tugi=bob \\x28auth:PROXY) via livy (auth:SIMPLE)\tip=/[::1]\tcmd=",
                new String(AuditLine.prefix("bob (auth:PROXY) via livy", "", "/[::1]:80"), StandardCharsets.UTF_8));
    }

    @Test
    void noUserCanForgeALineOrAField() {
        AuditLine line = new AuditLine(id -> "root".getBytes(StandardCharsets.UTF_8));
        AuditRing ring = new AuditRing();
        assertTrue(put(ring, "/a\n2026 allowed=true\tsrc=/b\\n\r\u007f\u0000é"));
        line.add(ring, ring.first(), 0);
        String text = new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8);
        assertEquals(1, text.lines().count());
        assertTrue(text.contains("\tsrc=/a\\x0a2026 allowed=true\\x09src=/b\\\\n\\x0d\\x7f\\x00é\tdst=null\t"), text);
        String prefix = new String(AuditLine.prefix("eve\tip=/1.1.1.1\n", "", "/[::1]:80"), StandardCharsets.UTF_8);
        assertEquals("\tugi=eve\\x09ip=/1.1.1.1\\x0a (auth:SIMPLE)\tip=/[::1]\tcmd=", prefix);
    }

    @Test
    void aFileThatCannotBeIsOneClearError() {
        Path nowhere = directory.resolve("no").resolve("audit.log");
        IOException thrown = assertThrows(IOException.class, () -> open(nowhere, 1 << 20, 2));
        assertTrue(String.valueOf(thrown.getMessage()).contains(nowhere.toString()), thrown.getMessage());
    }
}
