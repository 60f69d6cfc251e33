package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the log on the disk is read as far as it is whole; a torn end is an end, a damage before it an error that names the place.
 * Method: real files, cut off and changed byte by byte.
 */
final class LogFilesTest {
    private static final long SIZE = PoolFile.SIZE_MIN;
    private static final long AT = PoolFile.HEADER_SIZE + 64;

    @TempDir
    Path directory;

    private Path pool;
    private LogOptions options;

    @BeforeEach
    void format() throws PoolException {
        pool = directory.resolve("pool");
        options = LogOptions.in(directory.resolve("log"))
                .withSizes(1 << 20, 4 << 20, 256)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        LoggedPoolFile.format(pool, options, SIZE, false, _ -> {});
    }

    private LoggedPoolFile open() throws PoolException {
        return LoggedPoolFile.open(pool, options);
    }

    private void loseMachine() throws IOException {
        Files.deleteIfExists(pool);
        Files.deleteIfExists(LogFiles.ring(pool));
    }

    private List<Path> segments() throws IOException {
        return LogFiles.segments(options.directory());
    }

    /** Stores n in word n, for each n, each in a block of its own. */
    private static void store(LoggedPoolFile file, int from, int to) {
        for (int n = from; n < to; n++) {
            file.pmem().set(AT + n * 64L, n);
            file.pmem().persist(AT + n * 64L, 8);
            file.groupCommit().await(file.groupCommit().position());
        }
    }

    private static int stored(LoggedPoolFile file) {
        int n = 1;
        while (file.pmem().get(AT + n * 64L) == n) {
            n++;
        }
        for (int later = n; later < 100; later++) {
            assertEquals(0, file.pmem().get(AT + later * 64L), "word " + later + " is there, " + n + " is not");
        }
        return n;
    }

    private Path control() {
        return options.directory().resolve(LogFiles.CONTROL);
    }

    /** All that the disk has. Every opening adds a log file and may fold one, so a loop over damages puts all back each time. */
    private record Disk(Path directory, Map<Path, byte[]> files) {
        static Disk of(Path directory) throws IOException {
            Map<Path, byte[]> files = new HashMap<>();
            for (Path file : LogFiles.segments(directory)) {
                files.put(file, Files.readAllBytes(file));
            }
            for (String name : List.of(LogFiles.CONTROL, LogFiles.IMAGE, LogFiles.SUMS, LogFiles.FOLDING)) {
                files.put(directory.resolve(name), Files.readAllBytes(directory.resolve(name)));
            }
            return new Disk(directory, files);
        }

        void putBackWith(Path changed, byte[] bytes) throws IOException {
            putBack();
            Files.write(changed, bytes);
        }

        void putBack() throws IOException {
            for (Path file : LogFiles.segments(directory)) {
                Files.delete(file);
            }
            for (Map.Entry<Path, byte[]> file : files.entrySet()) {
                Files.write(file.getKey(), file.getValue());
            }
        }
    }

    @Test
    void aBlockTornAtAnyByteEndsTheLogBeforeIt() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        Path segment = segments().getLast();
        byte[] whole = Files.readAllBytes(segment);
        LogControl read = LogControl.read(control());
        LogReader reader = new LogReader(read);
        long last = reader.read(segments(), 0, Long.MAX_VALUE, (_, _, _) -> {}).lsn();
        for (int cut = 1; cut <= LogBlock.length(1); cut++) {
            Files.write(segment, Arrays.copyOf(whole, whole.length - cut));
            LogReader.End end = reader.read(segments(), 0, Long.MAX_VALUE, (_, _, _) -> {});
            assertEquals(last - 1, end.lsn(), "cut off " + cut);
            assertEquals(whole.length - LogBlock.length(1), end.position(), "cut off " + cut);
        }
    }

    @Test
    void whatIsWrittenAfterATornBlockIsFound() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        Path segment = segments().getLast();
        byte[] whole = Files.readAllBytes(segment);
        Disk disk = Disk.of(options.directory());
        for (int cut : new int[] {0, 1, 63, 64, 65, 191, 192}) {
            loseMachine();
            disk.putBackWith(segment, Arrays.copyOf(whole, whole.length - cut));
            try (LoggedPoolFile file = open()) {
                assertEquals(cut == 0 ? 4 : 3, stored(file), "cut off " + cut);
                store(file, 90, 91);
            }
            loseMachine();
            try (LoggedPoolFile file = open()) {
                assertEquals(90, file.pmem().get(AT + 90 * 64L), "cut off " + cut);
            }
        }
    }

    @Test
    void aRebuildCutsOffWhatIsTorn() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        loseMachine();
        Path segment = segments().getLast();
        byte[] whole = Files.readAllBytes(segment);
        Files.write(segment, Arrays.copyOf(whole, whole.length - 7));
        try (LogDirectory log = LogDirectory.open(pool, options)) {
            new LogRebuild(pool, log, options).run();
        }
        assertEquals(whole.length - LogBlock.length(1), Files.size(segment));
    }

    @Test
    void aStartCutsOffWhatTheRingDoesNotKnowToBeDurable() throws IOException {
        long durable;
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
            durable = file.ring().durable();
        }
        try (PoolFile ring = PoolFiles.open(LogFiles.ring(pool), Persistence.PROCESS, false)) {
            ring.pmem().set(RingHeader.DURABLE_OFFSET, durable - 1);
        }
        Path segment = segments().getLast();
        try (FileChannel held = FileChannel.open(segment)) { // which outlives the folding of the file
            long length = held.size();
            open().close();
            assertEquals(length - LogBlock.length(1), held.size());
        }
    }

    /** Else the next start would write again what the ring holds, with the numbers of what it no longer holds: older lines behind newer ones. */
    @Test
    void theRingKnowsWhatIsDurableOfMoreThanItHolds() throws IOException {
        int last = 400; // of a ring of 256
        try (LoggedPoolFile file = open()) {
            for (int n = 1; n <= last; n++) {
                file.pmem().set(AT + (n & 127) * 64L, n);
                file.pmem().persist(AT + (n & 127) * 64L, 8);
            }
            file.groupCommit().await(file.groupCommit().position());
        }
        open().close();
        loseMachine();
        try (LoggedPoolFile file = open()) {
            for (int n = last - 127; n <= last; n++) {
                assertEquals(n, file.pmem().get(AT + (n & 127) * 64L));
            }
        }
    }

    @Test
    void theControlFileSaysHowFarTheImageMayBeAhead() throws Exception {
        options = options.withSizes(4 << 10, 8 << 10, 256);
        try (LoggedPoolFile file = open()) {
            store(file, 1, 90);
        }
        LogControl read = LogControl.read(control());
        assertTrue(read.folded > 0, "folded up to " + read.folded);
        assertTrue(read.folding >= read.folded, "folding up to " + read.folding);
    }

    @Test
    void aBitChangedInTheLastBlockEndsTheLogThere() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        Path segment = segments().getLast();
        byte[] whole = Files.readAllBytes(segment);
        Disk disk = Disk.of(options.directory());
        int block = LogBlock.length(1);
        for (int at = whole.length - block; at < whole.length; at += 5) {
            loseMachine();
            byte[] changed = whole.clone();
            changed[at] ^= (byte) (1 << (at & 7));
            disk.putBackWith(segment, changed);
            try (LoggedPoolFile file = open()) {
                assertEquals(3, stored(file), "changed at " + at);
            }
        }
    }

    /** Where the last whole block of the newest log file stands, if it is an empty record; else 0. */
    private int emptyBlock() throws IOException {
        ByteBuffer file =
                ByteBuffer.wrap(Files.readAllBytes(segments().getLast())).order(ByteOrder.LITTLE_ENDIAN);
        long salt = LogControl.read(control()).salt;
        int last = 0;
        int at = LogSegmentHeader.SIZE;
        while (at < file.limit() && LogBlock.isWhole(file, at, salt, new CRC32C())) {
            last = at;
            at += LogBlock.length((int) file.getLong(at + LogBlock.COUNT_OFFSET));
        }
        boolean isEmpty = last > 0
                && file.getLong(last + LogBlock.COUNT_OFFSET) == 1
                && file.getLong(LogBlock.record(last, 0) + LogRecord.OFFSET_OFFSET) == LogRing.NO_LINE;
        return isEmpty ? last : 0;
    }

    private void changeBits(Disk disk, Path segment, int empty) throws IOException {
        byte[] whole = Objects.requireNonNull(disk.files().get(segment));
        int block = LogBlock.length(1);
        for (int at = empty - block; at < empty + block; at += 23) {
            loseMachine();
            byte[] changed = whole.clone();
            changed[at] ^= (byte) (1 << (at & 7));
            disk.putBackWith(segment, changed);
            if (at < empty) {
                PoolException e = assertThrows(PoolException.class, this::open, "changed at " + at);
                String wanted = segment + " is damaged at offset " + (empty - block);
                assertTrue(String.valueOf(e.getMessage()).contains(wanted), e.getMessage());
            } else {
                try (LoggedPoolFile file = open()) {
                    assertEquals(4, stored(file), "changed at " + at);
                }
            }
        }
    }

    /** [log.14] One empty record comes when nothing else does, and no second one, not at the end either. */
    @Test
    void aBitChangedInTheLastChangeIsAnErrorAfterAQuietWhile() throws Exception {
        options = options.withQuiet(Duration.ofMillis(1));
        Disk disk;
        Path segment;
        int empty;
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
            for (long lsn = file.ring().reserved(); emptyBlock() == 0; lsn++) { // the next one is empty at the latest
                DurableLsn.await(file, lsn);
            }
            empty = emptyBlock();
            segment = segments().getLast();
            disk = Disk.of(options.directory());
        }
        assertEquals(empty, emptyBlock());
        changeBits(disk, segment, empty);
    }

    @Test
    void aBitChangedInTheLastChangeIsAnErrorAfterACleanEnd() throws IOException {
        options = options.withQuiet(Duration.ofDays(1));
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
            assertEquals(0, emptyBlock());
        }
        assertTrue(emptyBlock() > 0);
        changeBits(Disk.of(options.directory()), segments().getLast(), emptyBlock());
    }

    /** The writer would wait for its own number. */
    @Test
    void aNumberThatAThreadHasTakenIsNotTheWriters() throws IOException {
        try (LoggedPoolFile file = open()) {
            LogRing ring = file.ring();
            long taken = ring.reserve();
            assertEquals(ring.durable() + 1, taken);
            assertFalse(ring.publishEmptyBehind(ring.durable()));
            assertEquals(taken, ring.reserved());
        }
    }

    @Test
    void aBitChangedBeforeTheEndIsAnErrorThatNamesThePlace() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        Path segment = segments().getLast();
        byte[] whole = Files.readAllBytes(segment);
        int block = LogBlock.length(1);
        int second = whole.length - 2 * block;
        for (int at = second; at < whole.length - block; at += 3) {
            loseMachine();
            byte[] changed = whole.clone();
            changed[at] ^= (byte) (1 << (at & 7));
            Files.write(segment, changed);
            PoolException e = assertThrows(PoolException.class, this::open, "changed at " + at);
            assertEquals(PoolException.Reason.BAD_CHECKSUM, e.reason());
            assertTrue(
                    String.valueOf(e.getMessage()).contains(segment + " is damaged at offset " + second),
                    "changed at " + at + ": " + e.getMessage());
        }
        for (int at = 0; at < LogSegmentHeader.SIZE; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 1;
            Files.write(segment, changed);
            assertThrows(PoolException.class, this::open, "header changed at " + at);
        }
    }

    @Test
    void aMissingLogFileIsAnError() throws IOException {
        Disk disk = Disk.of(options.directory());
        List<Path> all = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            try (LoggedPoolFile file = open()) {
                store(file, 1 + round, 2 + round);
            }
            all.add(segments().getLast());
            contents.add(Files.readAllBytes(all.getLast()));
        }
        disk.putBack(); // nothing is folded
        for (int i = 0; i < all.size(); i++) {
            Files.write(all.get(i), contents.get(i));
        }
        loseMachine();
        for (Path segment : all.subList(0, all.size() - 1)) {
            Path away = Files.move(segment, directory.resolve("away"));
            PoolException e = assertThrows(PoolException.class, this::open, "without " + segment);
            assertTrue(String.valueOf(e.getMessage()).contains("is damaged"), e.getMessage());
            Files.move(away, segment);
        }
        try (LoggedPoolFile file = open()) {
            assertEquals(4, stored(file));
        }
    }

    /** [log.13] */
    @Test
    void theNewestLogFileIsMissed() throws IOException {
        for (int round = 0; round < 2; round++) {
            try (LoggedPoolFile file = open()) {
                store(file, 1 + round, 2 + round);
            }
        }
        loseMachine();
        Path newest = segments().getLast();
        Path away = Files.move(newest, directory.resolve("away"));
        PoolException e = assertThrows(PoolException.class, this::open);
        assertEquals(PoolException.Reason.TRUNCATED, e.reason());
        assertTrue(
                String.valueOf(e.getMessage()).contains("there was a log file " + newest.getFileName()),
                e.getMessage());
        Files.move(away, newest);
        try (LoggedPoolFile file = open()) {
            assertEquals(3, stored(file));
        }
    }

    /** Makes the control file one from before there was a mark. */
    private void forgetMark() throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(control())).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at <= LogCopies.DISTANCE; at += LogCopies.DISTANCE) {
            bytes.putLong(at + LogControl.VERSION_OFFSET, 1);
            bytes.putLong(
                    at + LogControl.CHECKSUM_OFFSET,
                    LogCopies.checksum(bytes, at + LogControl.VERSION_OFFSET, at + LogControl.SIZE));
        }
        Files.write(control(), Arrays.copyOf(bytes.array(), LogCopies.DISTANCE + LogControl.SIZE));
    }

    @Test
    void aControlFileFromBeforeGetsAMarkFirst() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        forgetMark();
        LogDirectory.open(pool, options).close();
        byte[] marked = Files.readAllBytes(control());
        assertEquals(1, marked[LogControl.VERSION_OFFSET], "not written before the mark");
        for (int copy = 0; copy < 2; copy++) {
            ByteBuffer other = ByteBuffer.wrap(marked.clone()).order(ByteOrder.LITTLE_ENDIAN);
            other.putLong(LogMark.AT + copy * LogCopies.DISTANCE, 0);
            assertNotNull(LogMark.decode(control(), LogControl.read(control()).salt, other), "both copies are there");
        }
        loseMachine();
        try (LoggedPoolFile file = open()) {
            assertEquals(4, stored(file));
        }
        loseMachine();
        Files.delete(segments().getLast());
        PoolException e = assertThrows(PoolException.class, this::open);
        assertTrue(String.valueOf(e.getMessage()).contains("there was a log file"), e.getMessage());
    }

    @Test
    void aMarkThatIsDamagedTwiceIsAnError() throws IOException {
        open().close();
        loseMachine();
        byte[] whole = Files.readAllBytes(control());
        for (int at = 0; at < LogMark.SIZE; at++) {
            byte[] changed = whole.clone();
            changed[LogMark.AT + at] ^= 1;
            Files.write(control(), changed);
            LogControl.read(control()); // the other copy is whole
            changed[LogMark.AT + LogCopies.DISTANCE + at] ^= 1;
            Files.write(control(), changed);
            assertEquals(
                    PoolException.Reason.NOT_A_POOL,
                    assertThrows(PoolException.class, this::open).reason(),
                    "changed at " + at);
        }
    }

    @Test
    void aLogThatEndsBeforeWhatTheImageHoldsIsAnError() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        LogControl control = LogControl.read(options.directory().resolve(LogFiles.CONTROL));
        control.folding = 1000;
        control.write();
        loseMachine();
        PoolException e = assertThrows(PoolException.class, this::open);
        assertTrue(String.valueOf(e.getMessage()).contains("the image may hold lines up to 1000"), e.getMessage());
    }

    @Test
    void whatTheDiskHasBehindTheRingsWordIsWrittenAgain() throws IOException {
        LoggedPoolFile file = open();
        store(file, 1, 4);
        long durable = file.ring().durable();
        file.close();
        // As if the process had died, or the sync had failed, before the last block was known to be durable.
        try (PoolFile ring = PoolFiles.open(LogFiles.ring(pool), Persistence.PROCESS, false)) {
            ring.pmem().set(RingHeader.DURABLE_OFFSET, durable - 1);
        }
        Path segment = segments().getLast();
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length - 1] ^= 1; // what the system's cache had, the disk never got
        Files.write(segment, bytes);
        try (LoggedPoolFile again = open()) {
            assertEquals(4, stored(again));
        }
        loseMachine();
        try (LoggedPoolFile again = open()) {
            assertEquals(4, stored(again));
        }
    }

    @Test
    void theLogOnTheDiskStaysBelowItsBound() throws IOException {
        options = options.withSizes(4 << 10, 8 << 10, 256);
        try (LoggedPoolFile file = open()) {
            for (int n = 1; n <= 2000; n++) {
                file.pmem().set(AT + (n & 127) * 64L, n);
                file.pmem().persist(AT + (n & 127) * 64L, 8);
                if (n % 100 == 0) {
                    file.groupCommit().await(file.groupCommit().position());
                    assertTrue(segments().size() <= 3, "log files: " + segments());
                }
            }
        }
        loseMachine();
        try (LoggedPoolFile file = open()) {
            for (int n = 2000 - 127; n <= 2000; n++) {
                assertEquals(n, file.pmem().get(AT + (n & 127) * 64L));
            }
        }
    }

    @Test
    void whatTheImageHasBetweenLinesThatAreFoldedTogetherStays() throws IOException {
        options = options.withSizes(4 << 10, 8 << 10, 256);
        try (LoggedPoolFile file = open()) {
            store(file, 1, 10);
            for (int n = 1;
                    n <= 500;
                    n++) { // some log files that have lines 0 and 10, and nothing of what lies between
                file.pmem().set(AT + n % 2 * 640L, n);
                file.pmem().persist(AT + n % 2 * 640L, 8);
                file.groupCommit().await(file.groupCommit().position());
            }
        }
        loseMachine();
        try (LoggedPoolFile file = open()) {
            assertEquals(500, file.pmem().get(AT));
            assertEquals(499, file.pmem().get(AT + 640));
            for (int n = 1; n < 10; n++) {
                assertEquals(n, file.pmem().get(AT + n * 64L));
            }
        }
    }

    @Test
    void copiesFromBeforeAreNotTakenForWhatTheLogContinues() throws IOException {
        open().close();
        Path oldPool = Files.copy(pool, directory.resolve("old"));
        Path oldRing = Files.copy(LogFiles.ring(pool), directory.resolve("old.ring"));
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4); // too little to be folded while this is open: the control file tells nothing
        }
        loseMachine();
        Files.copy(oldPool, pool);
        Files.copy(oldRing, LogFiles.ring(pool));
        PoolException e = assertThrows(PoolException.class, this::open);
        assertTrue(String.valueOf(e.getMessage()).contains("is older than the log"), e.getMessage());
        loseMachine();
        try (LoggedPoolFile file = open()) {
            assertEquals(4, stored(file));
        }
    }

    @Test
    void aRebuildThatWasCutOffIsBegunAgain() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        // Cut off before the pool got its name: the ring of another generation is there, and a part of the pool.
        Files.move(pool, directory.resolve("pool.rebuild"));
        try (LoggedPoolFile file = open()) {
            assertEquals(4, stored(file));
        }
    }

    @Test
    void aPoolOnADiskIsRebuiltAfterTheMachineWasStartedAgain() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
        }
        try (PoolFile ring = PoolFiles.open(LogFiles.ring(pool), Persistence.PROCESS, false);
                PoolFile memory = PoolFiles.open(pool, Persistence.PROCESS, false)) {
            ring.pmem().set(RingHeader.BOOT_LOW_OFFSET, 1);
            memory.pmem().set(AT + 64, 77); // which page of the pool came to the disk is chance
        }
        try (LoggedPoolFile file = open()) {
            assertEquals(4, stored(file));
        }
    }
}
