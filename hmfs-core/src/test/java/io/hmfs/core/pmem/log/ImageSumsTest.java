package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolException.Reason;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no page of an image that is not what was written comes into a pool, and none that is gets refused. Method: bits are changed, pages lost, files taken away
 * or exchanged, and the pool is rebuilt, or served on. What a power failure makes of it is in {@link LogPowerTest}.
 */
final class ImageSumsTest {
    private static final long AT = PoolFile.HEADER_SIZE + ImageSums.PAGE;
    private static final int PAGES = 40;
    private static final int PAGE = ImageSums.PAGE;
    private static final Logger FOLDER = Logger.getLogger(LogFolder.class.getName());
    private static final Logger GROUP_COMMIT = Logger.getLogger(LogGroupCommit.class.getName());

    @TempDir
    Path directory;

    private Path pool;
    private LogOptions options;
    private final SplittableRandom random = new SplittableRandom(3);

    @BeforeAll
    static void hush() {
        FOLDER.setLevel(Level.OFF);
        GROUP_COMMIT.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        FOLDER.setLevel(null);
        GROUP_COMMIT.setLevel(null);
    }

    @BeforeEach
    void format() throws PoolException {
        pool = directory.resolve("pool");
        options = in(directory.resolve("log"));
        LoggedPoolFile.format(pool, options, PoolFile.SIZE_MIN, false, _ -> {});
    }

    private static LogOptions in(Path log) {
        return LogOptions.in(log)
                .withSizes(16 << 10, 64 << 10, 256)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER)
                .withProgress(Progress.NONE);
    }

    private LoggedPoolFile open() throws PoolException {
        return LoggedPoolFile.open(pool, options);
    }

    private void loseMachine() throws IOException {
        Files.deleteIfExists(pool);
        Files.deleteIfExists(LogFiles.ring(pool));
    }

    private Path file(String name) {
        return options.directory().resolve(name);
    }

    /** Where number n stands: a page for each, and then their next lines. */
    private static long at(int n) {
        return AT + n % PAGES * (long) PAGE + n / PAGES % 20 * 64L;
    }

    private static void store(LoggedPoolFile file, int from, int to) {
        for (int n = from; n <= to; n++) {
            file.pmem().set(at(n), n);
            file.pmem().persist(at(n), 8);
        }
        file.groupCommit().await(file.groupCommit().position());
    }

    private void requireStored(int last) throws IOException {
        try (LoggedPoolFile file = open()) {
            requireStored(file, last);
        }
    }

    /** The numbers, and nothing else in their pages. */
    private static void requireStored(LoggedPoolFile file, int last) {
        long[] expected = new long[PAGES * PAGE / 8];
        for (int n = 1; n <= last; n++) {
            expected[(int) (at(n) - AT) / 8] = n;
        }
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], file.pmem().get(AT + i * 8L), "word " + i);
        }
    }

    /** A log of whose files all are in the image, and no pool. */
    private int foldAll() throws IOException {
        int last = 400; // two log files
        try (LoggedPoolFile file = open()) {
            store(file, 1, last);
        }
        for (int starts = 0; LogControl.read(file(LogFiles.CONTROL)).folded < last; starts++) {
            assertTrue(starts < 100, "the folder comes to no end");
            open().close();
        }
        loseMachine();
        return last;
    }

    private static byte[] read(Path path, long at, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            LogFiles.read(channel, bytes, at);
        }
        return bytes.array();
    }

    private static void write(Path path, long at, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            LogFiles.write(channel, ByteBuffer.wrap(bytes), at);
        }
    }

    private static void flip(Path path, long at, int bit) throws IOException {
        byte[] one = read(path, at, 1);
        one[0] ^= (byte) (1 << bit);
        write(path, at, one);
    }

    private void requireRefused(long page, String where) {
        PoolException e = assertThrows(PoolException.class, this::open, where);
        assertEquals(Reason.BAD_CHECKSUM, e.reason(), where + ": " + e.getMessage());
        String message = String.valueOf(e.getMessage());
        assertTrue(
                message.contains(file(LogFiles.IMAGE) + " is damaged at offset " + page * PAGE + ","),
                where + ": " + message);
        assertTrue(message.contains(file(LogFiles.SUMS) + " at offset " + ImageSums.at(page) + ":"), message);
        assertTrue(message.endsWith("Restore the log's directory from a copy"), message);
        assertTrue(Files.notExists(pool), where);
    }

    @Test
    void aBitOfTheImageThatChangedIsRefused() throws IOException {
        int last = foldAll();
        List<Long> places = new ArrayList<>(List.of(0L, LogBinding.AT, AT, AT + PAGE - 1, PoolFile.SIZE_MIN - 1));
        random.longs(60, 0, AT + PAGES * PAGE).forEach(places::add);
        random.longs(20, 0, PoolFile.SIZE_MIN).forEach(places::add); // never written
        for (long place : places) {
            int bit = random.nextInt(8);
            flip(file(LogFiles.IMAGE), place, bit);
            requireRefused(place / PAGE, "bit " + bit + " at " + place);
            flip(file(LogFiles.IMAGE), place, bit);
        }
        requireStored(last);
    }

    @Test
    void aBitOfTheSumsThatChangedIsRefused() throws IOException {
        int last = foldAll();
        long pages = PoolFile.SIZE_MIN / PAGE;
        List<Long> places = new ArrayList<>(List.of(0L, 3L, AT / PAGE * 4, pages * 4 - 1));
        random.longs(30, AT / PAGE * 4, (AT / PAGE + PAGES) * 4).forEach(places::add);
        random.longs(30, 0, pages * 4).forEach(places::add);
        for (long place : places) {
            int bit = random.nextInt(8);
            flip(file(LogFiles.SUMS), ImageSums.AT + place, bit);
            requireRefused(place / 4, "bit " + bit + " of sums at " + place);
            flip(file(LogFiles.SUMS), ImageSums.AT + place, bit);
        }
        for (int place = 0; place < ImageSums.SIZE; place++) {
            flip(file(LogFiles.SUMS), place, place & 7);
            PoolException e = assertThrows(PoolException.class, this::open, "header at " + place);
            assertTrue(String.valueOf(e.getMessage()).contains(file(LogFiles.SUMS) + " is damaged at offset 0"));
            flip(file(LogFiles.SUMS), place, place & 7);
        }
        requireStored(last);
    }

    @Test
    void twoBitsThatChangedAreRefusedWhereverTheyAre() throws IOException {
        int last = foldAll();
        for (int round = 0; round < 20; round++) {
            long first = random.nextLong(AT, AT + PAGES * PAGE);
            long page = first / PAGE;
            boolean isSum = round % 2 == 0;
            Path other = file(isSum ? LogFiles.SUMS : LogFiles.IMAGE);
            long second = isSum ? ImageSums.at(page) + random.nextInt(4) : page * PAGE + random.nextInt(PAGE);
            if (second == first) {
                continue;
            }
            flip(file(LogFiles.IMAGE), first, 1);
            flip(other, second, 2);
            requireRefused(page, "at " + first + " and " + second);
            flip(file(LogFiles.IMAGE), first, 1);
            flip(other, second, 2);
        }
        flip(file(LogFiles.IMAGE), AT, 0);
        flip(file(LogFiles.IMAGE), AT + 7 * PAGE, 0);
        PoolException e = assertThrows(PoolException.class, this::open);
        assertTrue(String.valueOf(e.getMessage()).contains("at offset " + AT + ", 2 pages in all"), e.getMessage());
        flip(file(LogFiles.IMAGE), AT, 0);
        flip(file(LogFiles.IMAGE), AT + 7 * PAGE, 0);
        requireStored(last);
    }

    /** A page that the filesystem says was never written reads as zeros, and nobody reads it. */
    @Test
    void aPageThatBecameAHoleIsRefused() throws IOException {
        int last = foldAll();
        long size = Files.size(file(LogFiles.IMAGE));
        long page = at(PAGES - 1) / PAGE; // the last one that was written
        byte[] whole = read(file(LogFiles.IMAGE), page * PAGE, PAGE);
        try (FileChannel image = FileChannel.open(file(LogFiles.IMAGE), StandardOpenOption.WRITE)) {
            image.truncate(page * PAGE);
            image.write(ByteBuffer.allocate(1), size - 1);
        }
        requireRefused(page, "a hole");
        write(file(LogFiles.IMAGE), page * PAGE, whole);
        requireStored(last);
    }

    /** A list of a fold that has come to its end says nothing of any page. */
    @Test
    void aListThatIsNotNeededMayBeDamaged() throws IOException {
        int last = foldAll();
        long size = Files.size(file(LogFiles.FOLDING));
        for (int round = 0; round < 30; round++) {
            flip(file(LogFiles.FOLDING), random.nextLong(size), random.nextInt(8));
            requireStored(last);
            loseMachine();
        }
    }

    @Test
    void sumsThatAreMissingOrShortOrOfAnotherLogAreRefused() throws IOException {
        int last = foldAll();
        LogOptions others = in(directory.resolve("other"));
        LoggedPoolFile.format(directory.resolve("other.pool"), others, PoolFile.SIZE_MIN, false, _ -> {});
        for (String name : List.of(LogFiles.SUMS, LogFiles.FOLDING)) {
            Path away = Files.move(file(name), directory.resolve("away"));
            refused(Reason.NOT_FOUND, file(name) + " is missing");
            Files.createSymbolicLink(file(name), away);
            refused(Reason.NOT_FOUND, file(name) + " is missing");
            Files.delete(file(name));
            Files.move(away, file(name));
        }
        byte[] whole = Files.readAllBytes(file(LogFiles.SUMS));
        Files.write(file(LogFiles.SUMS), Arrays.copyOf(whole, whole.length - 1));
        refused(Reason.TRUNCATED, "has " + (whole.length - 1) + " bytes instead of " + whole.length);
        Files.write(file(LogFiles.SUMS), new byte[0]);
        refused(Reason.BAD_CHECKSUM, "is damaged at offset 0");
        Files.copy(others.directory().resolve(LogFiles.SUMS), file(LogFiles.SUMS), StandardCopyOption.REPLACE_EXISTING);
        refused(Reason.NOT_A_POOL, "belongs to another log");
        Files.write(file(LogFiles.SUMS), whole);
        byte[] list = Files.readAllBytes(file(LogFiles.FOLDING));
        Files.copy(
                others.directory().resolve(LogFiles.FOLDING),
                file(LogFiles.FOLDING),
                StandardCopyOption.REPLACE_EXISTING);
        requireStored(last);
        loseMachine();
        Files.write(file(LogFiles.FOLDING), list);
        requireStored(last);
    }

    private void refused(Reason reason, String what) {
        PoolException e = assertThrows(PoolException.class, this::open, what);
        assertEquals(reason, e.reason(), e.getMessage());
        assertTrue(String.valueOf(e.getMessage()).contains(what), e.getMessage());
    }

    /** Sums from before the last folds, beside an image of now, and the reverse. */
    @Test
    void anOldCopyOfOneOfTheFilesIsRefused() throws IOException {
        byte[] oldSums = Files.readAllBytes(file(LogFiles.SUMS));
        byte[] oldImage = Files.readAllBytes(file(LogFiles.IMAGE));
        int last = foldAll();
        byte[] sums = Files.readAllBytes(file(LogFiles.SUMS));
        byte[] image = Files.readAllBytes(file(LogFiles.IMAGE));
        Files.write(file(LogFiles.SUMS), oldSums);
        refused(Reason.BAD_CHECKSUM, "is damaged at offset");
        Files.write(file(LogFiles.SUMS), sums);
        Files.write(file(LogFiles.IMAGE), oldImage);
        refused(Reason.BAD_CHECKSUM, "is damaged at offset");
        Files.write(file(LogFiles.IMAGE), image);
        requireStored(last);
    }

    /** The list says of which lines its pages are, and an older control file has the fold of others done with it. */
    @Test
    void anOldCopyOfTheControlFileIsRefused() throws IOException {
        byte[] old = Files.readAllBytes(file(LogFiles.CONTROL));
        int last = foldAll();
        byte[] control = Files.readAllBytes(file(LogFiles.CONTROL));
        Files.write(file(LogFiles.CONTROL), old);
        refused(Reason.NOT_A_POOL, "is older than " + file(LogFiles.FOLDING));
        Files.write(file(LogFiles.CONTROL), control);
        requireStored(last);
    }

    @Test
    void theFilesAreOfThisUserAlone() throws IOException {
        foldAll();
        for (String name : List.of(LogFiles.SUMS, LogFiles.FOLDING)) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file(name))), name);
        }
    }

    /** Else the page would get the sum of what the damage made of it. */
    @Test
    void aPageThatAFoldFindsDamagedIsWrittenAnewFromThePool() throws IOException {
        int last = foldAll();
        try (LoggedPoolFile file = open()) {
            requireStored(file, last);
            for (int n = 0; n < 3; n++) {
                flip(file(LogFiles.IMAGE), at(n) + 2048, 3); // no line of it is stored to again
            }
            store(file, last + 1, 2 * last);
        }
        foldRest();
        loseMachine();
        requireStored(2 * last);
    }

    /** A fold that is done again goes by its list: a page that the lines do not bring to its sum there is damaged. */
    @Test
    void aBitThatChangesInAListedPageIsNotWrittenBack() throws IOException {
        int last = foldAll();
        PowerCutDisk disk = new PowerCutDisk(options.directory(), () -> 0);
        AtomicInteger left =
                new AtomicInteger(LogFiles.segments(options.directory()).size());
        disk.watch((kind, name) -> {
            if (kind == PowerCutDisk.Kind.DELETE) {
                left.decrementAndGet();
            } else if (kind == PowerCutDisk.Kind.WRITE && name.equals(LogFiles.IMAGE) && left.get() == 0) {
                throw new IOException("no write of " + name);
            }
        });
        AtomicInteger stored = new AtomicInteger(last);
        assertThrows(LogFailedException.class, () -> {
            try (LoggedPoolFile file = LoggedPoolFile.open(pool, in(disk.root()))) {
                for (int n = last + 1; n < 2 * last; n++) {
                    store(file, n, n);
                    stored.set(n);
                }
            }
        });
        flip(file(LogFiles.IMAGE), at(1) + 2048, 3);
        foldRest();
        loseMachine();
        int found = stored.get();
        try (LoggedPoolFile file = open()) { // the last one may be there without its answer
            found += file.pmem().get(at(found + 1)) == found + 1 ? 1 : 0;
            requireStored(file, found);
        }
    }

    /** Until the log has all of the page there is no rebuild. */
    @Test
    void aPageThatAFoldFindsDamagedStaysDamagedWithoutThePool() throws IOException {
        int last = foldAll();
        try (LoggedPoolFile file = open()) {
            store(file, last + 1, last + 5);
        }
        loseMachine();
        long page = at(last + 1) / PAGE;
        flip(file(LogFiles.IMAGE), page * PAGE + 4000, 3);
        requireRefused(page, "what the log has a line of");
        flip(file(LogFiles.IMAGE), page * PAGE + 4000, 3);
        requireStored(last + 5);
    }

    @Test
    void aDamagedPageOfWhichTheLogHasEachLineDoesNotMatter() throws IOException {
        int last = foldAll();
        try (LoggedPoolFile file = open()) {
            file.pmem().log(AT, PAGE);
            file.groupCommit().await(file.groupCommit().position());
        }
        loseMachine();
        byte[] whole = read(file(LogFiles.IMAGE), AT, PAGE);
        flip(file(LogFiles.IMAGE), AT + 4000, 3);
        requireStored(last);
        foldRest();
        assertArrayEquals(whole, read(file(LogFiles.IMAGE), AT, PAGE));
        loseMachine();
        requireStored(last);
    }

    private void foldRest() throws IOException {
        for (int starts = 0; starts < 10; starts++) {
            open().close();
        }
    }

    /** No log file has room for all lines of a page, so no fold can write one anew: the same as a disk that damages it each time. */
    @Test
    void aDiskThatDamagesAPageAgainAndAgainIsLeftForAnother() throws IOException {
        int last = foldAll();
        LogOptions small = options.withSizes(4 << 10, 64 << 10, 256);
        LogFailedException e = assertThrows(LogFailedException.class, () -> {
            try (LoggedPoolFile file = LoggedPoolFile.open(pool, small)) {
                flip(file(LogFiles.IMAGE), at(1) + 2048, 3);
                for (int n = last + 1; n < 10 * last; n++) {
                    store(file, n, n);
                }
            }
        });
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains("again after it was written anew"), message);
        assertTrue(message.contains("copy the log's directory to another disk"), message);
        Path other = Files.createDirectory(
                directory.resolve("copy"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (Stream<Path> files = Files.list(options.directory())) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, other.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        options = in(other);
        byte[] expected = pages();
        foldRest();
        loseMachine();
        assertArrayEquals(expected, pages());
    }

    private byte[] pages() throws IOException {
        byte[] pages = new byte[PAGES * PAGE];
        try (LoggedPoolFile file = open()) {
            file.pmem().copyOut(AT, pages, 0, pages.length);
        }
        return pages;
    }

    /** Makes a directory one from before there were sums. */
    static void forgetSums(Path log) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(
                        read(log.resolve(LogFiles.CONTROL), 0, LogMark.AT + LogCopies.DISTANCE + LogMark.SIZE))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at <= LogCopies.DISTANCE; at += LogCopies.DISTANCE) {
            bytes.putLong(at + LogControl.VERSION_OFFSET, 2);
            bytes.putLong(
                    at + LogControl.CHECKSUM_OFFSET,
                    LogCopies.checksum(bytes, at + LogControl.VERSION_OFFSET, at + LogControl.SIZE));
        }
        try (FileChannel control = LogFiles.openToWrite(log.resolve(LogFiles.CONTROL), false)) {
            LogFiles.write(control, bytes, 0);
            control.force(true);
        }
        Files.delete(log.resolve(LogFiles.SUMS));
        Files.delete(log.resolve(LogFiles.FOLDING));
        LogFiles.sync(log);
    }

    @Test
    void anImageFromBeforeGetsSums() throws IOException {
        int last = foldAll();
        forgetSums(options.directory());
        List<String> told = new ArrayList<>();
        try (LogDirectory log = LogDirectory.open(pool, options)) {
            log.requireSums((pass, done, total) -> told.add(pass + " " + (done == total)));
        }
        assertTrue(told.contains("sums of the image true"), told.toString());
        byte[] control = Files.readAllBytes(file(LogFiles.CONTROL));
        assertEquals(
                List.of((byte) 3, (byte) 3),
                List.of(control[LogControl.VERSION_OFFSET], control[LogCopies.DISTANCE + LogControl.VERSION_OFFSET]),
                "the older copy would have them made again");
        requireStored(last);
        loseMachine();
        flip(file(LogFiles.IMAGE), at(3), 3);
        requireRefused(at(3) / PAGE, "after the sums were made");
        flip(file(LogFiles.IMAGE), at(3), 3);
        requireStored(last);
    }

    @Test
    void anImageFromBeforeThatIsCutOffGetsNone() throws IOException {
        int last = foldAll();
        forgetSums(options.directory());
        byte[] image = Files.readAllBytes(file(LogFiles.IMAGE));
        Files.write(file(LogFiles.IMAGE), Arrays.copyOf(image, image.length - PAGE));
        refused(Reason.TRUNCATED, "has " + (image.length - PAGE) + " bytes instead of " + image.length);
        Files.write(file(LogFiles.IMAGE), image);
        requireStored(last);
    }
}
