package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.log.PowerCutDisk.Chooser;
import io.hmfs.core.pmem.log.PowerCutDisk.Event;
import io.hmfs.core.pmem.log.PowerCutDisk.Kind;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: what was acknowledged is on the disk, wherever the power fails, the process dies or the disk refuses (I1). Method: a disk that
 * keeps what was synced, and of the rest what a seed says; the log is cut off before each thing that is done to it.
 */
final class LogPowerTest {
    private static final int SAMPLED = 3; // of the first of two cuts
    private static final long SIZE = PoolFile.SIZE_MIN;
    private static final long AT = PoolFile.HEADER_SIZE + 64;

    /** Lines that are stored to in turn, so that the folder has older copies to leave out. */
    private static final int LINES = 24;

    /** No multiple of the blocks: space that a log file has ahead is left at its end, and given back. */
    private static final int FILE_BYTES = (4 << 10) + 100;

    private static final int STORES = 110; // five log files of 4 KiB, two of which may wait for the folder

    private static final int PAUSE_EACH = 22; // stores

    /** Of a scenario in which the folder may be faster than it should be. */
    private static final int TRIES = 50;

    /** Of {@link #chooser}. */
    private static final int MODES = 6;

    @TempDir
    Path directory;

    private final AtomicLong acknowledged = new AtomicLong();
    private PowerCutDisk disk;

    @BeforeEach
    void format() throws IOException {
        Path real = Files.createDirectory(directory.resolve("log"));
        disk = new PowerCutDisk(real, acknowledged::get);
        LoggedPoolFile.format(pool("pool"), options(disk), SIZE, false, _ -> {});
        disk.settle();
    }

    private Path pool(String name) {
        return directory.resolve(name);
    }

    private static LogOptions options(PowerCutDisk on) {
        return LogOptions.in(on.root())
                .withSizes(FILE_BYTES, 2 * FILE_BYTES, 64)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER)
                .withProgress(Progress.NONE);
    }

    /** Stores numbers, each acknowledged before the next. */
    private static void store(LoggedPoolFile file, long from, long to, AtomicLong acknowledged) {
        for (long n = from; n <= to; n++) {
            file.pmem().set(AT + n % LINES * 64, n);
            file.pmem().persist(AT + n % LINES * 64, 8);
            file.groupCommit().await(file.groupCommit().position());
            acknowledged.set(n);
        }
    }

    /** The last number stored, if there is no other pool that has it than one that all stores up to it made. */
    private static long stored(LoggedPoolFile file) {
        long last = 0;
        for (int line = 0; line < LINES; line++) {
            last = Math.max(last, file.pmem().get(AT + line * 64L));
        }
        for (int line = 0; line < LINES; line++) {
            long expected = last - Math.floorMod(last - line, (long) LINES);
            assertEquals(Math.max(0, expected), file.pmem().get(AT + line * 64L), "line " + line + ", last " + last);
        }
        return last;
    }

    /** Of what was not synced: nothing; all; names without what they name, and the reverse; each second thing; any. */
    private static Chooser chooser(int mode, Random random) {
        AtomicInteger turn = new AtomicInteger();
        return switch (mode) {
            case 0 -> _ -> false;
            case 1 -> _ -> true;
            case 2 -> kind -> kind == Kind.CREATE || kind == Kind.DELETE;
            case 3 -> kind -> kind == Kind.WRITE || kind == Kind.TRUNCATE;
            case 4 -> kind -> kind != Kind.WRITE || turn.getAndIncrement() % 2 == 1;
            default -> _ -> random.nextBoolean();
        };
    }

    @Test
    void whatWasAcknowledgedIsThereWhereverThePowerFails() throws Exception {
        LogOptions often = options(disk).withQuiet(Duration.ofNanos(1));
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), often)) {
            long others = file.ring().reserved(); // numbers that are no store's
            for (long n = 0; n < STORES; n += PAUSE_EACH) {
                store(file, n + 1, n + PAUSE_EACH, acknowledged);
                long last = n + PAUSE_EACH + others;
                DurableLsn.await(file, last + 1); // [log.14] an empty record comes when nothing else does
                others = file.ring().reserved() - n - PAUSE_EACH;
            }
        }
        assertTrue(disk.events() > STORES, "events: " + disk.events());
        Random random = new Random(Long.getLong("hmfs.seed", 1));
        Set<String> begun = new HashSet<>();
        for (int end = 0; end < disk.events(); end++) {
            Event event = disk.event(end);
            boolean isFirst = event.kind() == Kind.FORCE && begun.add(event.name()); // of a file that is all new
            for (int mode = 0; mode < MODES; mode++) {
                if (isFirst || mode == (end % 2 == 0 ? 0 : 1 + end / 2 % (MODES - 1))) {
                    cut(end, mode, random);
                }
            }
        }
    }

    /** [log.13] A start finds the newest file without a line, or with one that it cuts off, and the power fails again before there is a new one. */
    @Test
    void aStartThatIsCutOffLosesNothing() throws IOException {
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), options(disk))) {
            store(file, 1, STORES / 4, acknowledged);
        }
        int starts = 0;
        for (int end = 0; end < disk.events(); end++) {
            Event event = disk.event(end);
            if (event.kind() == Kind.FORCE && event.name().equals(LogFiles.CONTROL)) {
                cutTwice(end + 1, event.said());
                starts++;
            }
        }
        assertTrue(starts >= 2, "starts: " + starts);
    }

    private void cutTwice(int end, long said) throws IOException {
        for (int mode = 0; mode < 2; mode++) {
            Path log = directory.resolve("first");
            PowerCutDisk first = disk.cut(log, end, chooser(mode, new Random(1)), () -> said);
            LoggedPoolFile.open(pool("first.pool"), options(first)).close();
            for (int second = 0; second < first.events(); second++) {
                Path again = directory.resolve("second");
                PowerCutDisk left = first.cut(again, second, chooser(mode, new Random(1)), () -> said);
                try (LoggedPoolFile file = LoggedPoolFile.open(pool("second.pool"), options(left))) {
                    long found = stored(file);
                    assertTrue(
                            found >= said && found <= said + 1,
                            "event " + end + ", then " + second + ", mode " + mode + ", acknowledged " + said
                                    + ", found " + found);
                } catch (IOException e) {
                    throw new AssertionError("event " + end + ", then " + second + ", mode " + mode, e);
                }
                loseMachine("second.pool");
                delete(again);
            }
            loseMachine("first.pool");
            delete(log);
        }
    }

    /** Begin and end, in events, of a fold from where its list is durable to where its log file goes. */
    private int[] fold() throws IOException {
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), options(disk))) {
            store(file, 1, STORES, acknowledged);
        }
        int folds = 0;
        int begin = 0;
        for (int i = 0; i < disk.events(); i++) {
            Event event = disk.event(i);
            if (event.kind() == Kind.FORCE && event.name().equals(LogFiles.FOLDING)) {
                begin = i;
                folds++;
            } else if (event.kind() == Kind.DELETE && folds == 2) { // the first one finds the image as it was made
                return new int[] {begin, i};
            }
        }
        throw new AssertionError("there was no second fold");
    }

    /** [fold.2], [fold.3], [fold.4] The power fails in a fold, and again in the start that does it once more. */
    @Test
    void aFoldThatIsCutOffTwiceLosesNothing() throws IOException {
        int[] fold = fold();
        int cuts = 0;
        Sample sample = new Sample(SAMPLED, "folds");
        for (int end = fold[0]; end <= fold[1]; end++) {
            long said = disk.event(end).said();
            for (int mode : new int[] {0, 1, 4}) {
                if (!sample.takes()) {
                    continue;
                }
                Path log = directory.resolve("first");
                PowerCutDisk first = disk.cut(log, end, chooser(mode, new Random(1)), () -> said);
                LoggedPoolFile.open(pool("first.pool"), options(first)).close();
                for (int second = 0; second < first.events(); second++) {
                    Event event = first.event(second);
                    if (event.name().startsWith(LogFiles.IMAGE) || event.name().equals(LogFiles.CONTROL)) {
                        cutAgain(first, second, 5, "event " + end + ", mode " + mode + ", then ");
                        cuts++;
                    }
                }
                loseMachine("first.pool");
                delete(log);
            }
        }
        assertTrue(cuts > Sample.least(100), "cuts: " + cuts);
    }

    private void cutAgain(PowerCutDisk from, int end, int mode, String first) throws IOException {
        Event event = from.event(end);
        String where = first + "event " + end + " " + event.kind() + " " + event.name() + ", mode " + mode;
        Path again = directory.resolve("second");
        PowerCutDisk left = from.cut(again, end, chooser(mode, new Random(end)), event::said);
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("second.pool"), options(left))) {
            long found = stored(file);
            assertTrue(
                    found >= event.said() && found <= event.said() + 1,
                    where + ", acknowledged " + event.said() + ", found " + found);
        } catch (IOException e) {
            throw new AssertionError(where, e);
        }
        loseMachine("second.pool");
        delete(again);
    }

    /** A bit changes as well, somewhere in what is left: the pool is refused, or all of it is right. */
    @Test
    void aBitThatChangesInAFoldThatIsCutOffComesIntoNoPool() throws IOException {
        int[] fold = fold();
        Random random = new Random(5);
        int[] refused = new int[4];
        int[] opened = new int[4];
        for (int end = fold[0]; end <= fold[1]; end++) {
            for (int round = 0; round < 24; round++) {
                Event event = disk.event(end);
                int mode = random.nextInt(MODES);
                PowerCutDisk left = disk.cut(directory.resolve("cut"), end, chooser(mode, random), event::said);
                int what = round % 4;
                flip(left.root(), what, random);
                String where = "event " + end + ", mode " + mode + ", flip " + what;
                try (LoggedPoolFile file = LoggedPoolFile.open(pool("cut.pool"), options(left))) {
                    long found = stored(file);
                    assertTrue(found >= event.said() && found <= event.said() + 1, where + ", found " + found);
                    assertTrue(what != 0, where + ": a byte that no line of the log covers");
                    opened[what]++;
                } catch (PoolException e) {
                    assertEquals(PoolException.Reason.BAD_CHECKSUM, e.reason(), where + ": " + e.getMessage());
                    refused[what]++;
                }
                Files.deleteIfExists(pool("cut.pool"));
                Files.deleteIfExists(LogFiles.ring(pool("cut.pool")));
                delete(directory.resolve("cut"));
            }
        }
        assertTrue(refused[0] > 20 && refused[1] > 0 && refused[2] > 0, "refused " + Arrays.toString(refused));
        assertTrue(opened[1] > 0 && opened[2] > 0 && opened[3] > 0, "opened " + Arrays.toString(opened));
    }

    /** In the image: where no line is stored, or where lines are; in the sum of that page; in the list. */
    private static void flip(Path log, int what, Random random) throws IOException {
        Path file = log.resolve(what < 2 ? LogFiles.IMAGE : what == 2 ? LogFiles.SUMS : LogFiles.FOLDING);
        long at = switch (what) {
            case 0 -> AT + LINES * 64 + 100 + random.nextInt(2000);
            case 1 -> AT + random.nextInt(LINES * 64);
            case 2 -> ImageSums.at(AT / ImageSums.PAGE) + random.nextInt(4);
            default -> random.nextInt(FoldList.SIZE + 8);
        };
        ByteBuffer one = ByteBuffer.allocate(1);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            LogFiles.read(channel, one, at);
            one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8)));
            LogFiles.write(channel, one.flip(), at);
        }
    }

    /** [fold.5] When the log file goes, the log has all of the page that the fold left alone. */
    @Test
    void aDamagedPageIsInTheLogBeforeTheFoldThatFoundItHasEnded() throws IOException {
        LogOptions large = options(disk).withSizes(16 << 10, 64 << 10, 256);
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), large)) {
            store(file, 1, 400, acknowledged); // more than a log file, so the page has been written
        }
        long said = acknowledged.get();
        loseMachine("pool");
        LoggedPoolFile.open(pool("pool"), large).close();
        try (FileChannel image =
                FileChannel.open(directory.resolve("log").resolve(LogFiles.IMAGE), StandardOpenOption.WRITE)) {
            image.write(ByteBuffer.wrap(new byte[] {1}), AT + LINES * 64 + 100);
        }
        disk.settle();
        CountDownLatch folded = new CountDownLatch(1);
        disk.watch((kind, _) -> {
            if (kind == Kind.DELETE) {
                folded.countDown();
            }
        });
        int end;
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), large)) {
            awaitQuietly(folded);
            end = disk.events();
            store(file, said + 1, said + 10, acknowledged);
        }
        for (int cut = end; cut < disk.events(); cut++) {
            cutAgain(disk, cut, cut % 2, "");
        }
    }

    /** [sums.1] An image from before, in the middle of a fold, or after one. */
    @Test
    void theMakingOfSumsMayBeCutOffAnywhere() throws IOException {
        int[] fold = fold();
        Sample sample = new Sample(SAMPLED, "sums");
        for (int end = fold[0]; end <= fold[1]; end++) {
            for (int mode : new int[] {0, 1, 4}) {
                if (!sample.takes()) {
                    continue;
                }
                long said = disk.event(end).said();
                Path log = directory.resolve("first");
                PowerCutDisk first = disk.cut(log, end, chooser(mode, new Random(end)), () -> said);
                ImageSumsTest.forgetSums(log);
                first.settle();
                LoggedPoolFile.open(pool("first.pool"), options(first)).close();
                int controls = 0;
                for (int second = 0; second < first.events() && controls < 2; second++) {
                    Event event = first.event(second);
                    controls += event.kind() == Kind.FORCE && event.name().equals(LogFiles.CONTROL) ? 1 : 0;
                    cutAgain(first, second, (end + second) % MODES, "event " + end + ", mode " + mode + ", then ");
                }
                loseMachine("first.pool");
                delete(log);
            }
        }
    }

    /** The system shows an image that the disk does not have; sums of that would refuse what the disk has. */
    @Test
    void sumsAreMadeOfWhatTheDiskHas() throws IOException {
        PowerCutDisk failing = disk.copy(directory.resolve("failing"), acknowledged::get);
        try (LoggedPoolFile opened = LoggedPoolFile.open(pool("failing.pool"), options(failing))) {
            failing.watch((kind, name) -> {
                if (kind == Kind.FORCE && name.equals(LogFiles.IMAGE)) {
                    throw new IOException("no sync of " + name);
                }
            });
            assertThrows(LogFailedException.class, () -> store(opened, 1, 2 * STORES, acknowledged));
        }
        failing.watch((_, _) -> {});
        long said = acknowledged.get();
        ImageSumsTest.forgetSums(failing.root());
        int begin = failing.events();
        loseMachine("failing.pool");
        LoggedPoolFile.open(pool("failing.pool"), options(failing)).close();
        for (int end = begin; end < failing.events(); end++) {
            assertEquals(said, failing.event(end).said());
            cutAgain(failing, end, 0, "");
        }
    }

    /** [fold.1] Or a rebuild could not tell that log files are missing which the image is ahead of. */
    @Test
    void theControlFileIsAheadOfTheImage() throws IOException {
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), options(disk))) {
            store(file, 1, STORES, acknowledged);
        }
        boolean isSaid = false;
        int writes = 0;
        for (int i = 0; i < disk.events(); i++) {
            Event event = disk.event(i);
            if (event.kind() == Kind.DELETE) {
                isSaid = false; // the end of the fold before
            } else if (event.kind() == Kind.FORCE && event.name().equals(LogFiles.CONTROL)) {
                isSaid = true;
            } else if (event.kind() == Kind.WRITE && event.name().equals(LogFiles.IMAGE)) {
                assertTrue(isSaid, "event " + i);
                writes++;
            }
        }
        assertTrue(writes >= 2, "writes to the image: " + writes);
    }

    private void cut(int end, int mode, Random random) throws IOException {
        Event event = disk.event(end);
        String where = "event " + end + " " + event.kind() + " " + event.name() + ", mode " + mode + ", acknowledged "
                + event.said();
        Path log = directory.resolve("cut");
        PowerCutDisk left = disk.cut(log, end, chooser(mode, random), acknowledged::get);
        requireMark(log, where);
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("cut.pool"), options(left))) {
            long found = stored(file);
            assertTrue(found >= event.said() && found <= event.said() + 1, where + ", found " + found);
        } catch (IOException e) {
            throw new AssertionError(where + ": " + e.getMessage(), e);
        }
        loseMachine("cut.pool");
        delete(log);
    }

    /** [log.13] A log file that has a line is one that would be missed. */
    private static void requireMark(Path log, String where) throws IOException {
        LogControl control = LogControl.read(log.resolve(LogFiles.CONTROL));
        LogReader.End end =
                new LogReader(control).read(LogFiles.segments(log), control.folded, Long.MAX_VALUE, (_, _, _) -> {});
        Path newest = end.file();
        if (newest != null && end.lsn() >= LogFiles.firstLsn(newest)) {
            assertTrue(control.mark.reached() >= LogFiles.firstLsn(newest), where + ", mark " + control.mark.reached());
        }
    }

    private void loseMachine(String name) throws IOException {
        Files.delete(pool(name));
        Files.delete(LogFiles.ring(pool(name)));
    }

    private static void delete(Path log) throws IOException {
        try (var files = Files.newDirectoryStream(log)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(log);
    }

    /** The memory goes with the process, as with a container; the machine stays, and with it what was written and not synced. */
    @Test
    void whatARebuildFoundUnsyncedIsDurableBeforeAnythingRestsOnIt() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch copied = new CountDownLatch(1);
        AtomicInteger forces = new AtomicInteger();
        PowerCutDisk next;
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), options(disk))) {
            store(file, 1, 3, acknowledged);
            disk.watch((kind, _) -> {
                if (kind == Kind.FORCE && forces.getAndIncrement() == 0) {
                    reached.countDown(); // the fourth is written, and its process ends here
                    awaitQuietly(copied);
                }
            });
            file.pmem().set(AT + 4 * 64, 4);
            file.pmem().persist(AT + 4 * 64, 8);
            reached.await();
            next = disk.copy(directory.resolve("next"), acknowledged::get);
            copied.countDown();
        }
        CountDownLatch cut = new CountDownLatch(1);
        next.watch((kind, name) -> {
            if (kind == Kind.WRITE && name.equals(LogFiles.IMAGE)) {
                awaitQuietly(cut); // what the image has would hide what the log has not
            }
        });
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("next.pool"), options(next))) {
            assertEquals(4, stored(file));
            store(file, 5, 6, acknowledged);
            int end = next.events();
            PowerCutDisk left = next.cut(directory.resolve("cut"), end, chooser(0, new Random(1)), acknowledged::get);
            try (LoggedPoolFile after = LoggedPoolFile.open(pool("cut.pool"), options(left))) {
                assertEquals(6, stored(after));
            } finally {
                cut.countDown();
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The system says once that a sync failed, and then shows what is not on the disk as if it were. */
    @ParameterizedTest
    @CsvSource({
        "log-, 0",
        "log-, 1",
        "log-, 9",
        "log-, 22",
        "log-, 23",
        "control, 0",
        "control, 1",
        "control, 2",
        "image.folding, 0",
        "image.folding, 1",
        "image, 1",
        "image, 4",
        "image.sums, 0",
        "image.sums, 1",
        "image, 0"
    })
    void afterASyncThatFailedTheNextStartWritesAgain(String file, int which) throws IOException {
        for (boolean loses : new boolean[] {false, true}) {
            String pool = loses + ".pool";
            PowerCutDisk failing = null;
            for (int tries = 0; failing == null; tries++) {
                assertTrue(tries < TRIES, "the folder has each time folded all that is durable");
                failing = failed(pool, file, which, "failing " + loses + tries);
            }
            if (loses) {
                loseMachine(pool); // and with it the ring: all is read from the files, as the system shows them
            }
            CountDownLatch drops = new CountDownLatch(1);
            CountDownLatch cut = new CountDownLatch(1);
            failing.watch((kind, _) -> {
                if (kind == Kind.WRITE && isFolder()) {
                    drops.countDown(); // what the image has already it has dropped; what it writes would hide what
                    // is lost
                    awaitQuietly(cut);
                }
            });
            try (LoggedPoolFile opened = LoggedPoolFile.open(pool(pool), roomy(failing))) {
                try {
                    awaitQuietly(drops);
                    long found = stored(opened);
                    store(opened, found + 1, found + 3, acknowledged);
                    cut(failing, 0);
                    cut(failing, 2);
                } finally {
                    cut.countDown();
                }
            }
            cut(failing, 0);
        }
    }

    /** So that no store waits for the folder. */
    private static LogOptions roomy(PowerCutDisk on) {
        return options(on).withSizes(FILE_BYTES, 1 << 20, 64);
    }

    private static boolean isFolder() {
        return Thread.currentThread().getName().equals("hmfs-fold");
    }

    /**
     * A disk on which a sync failed, and the process ended of it. The folder is behind: it waits for that failure, and then writes nothing. Where the
     * sync that fails is the folder's own it cannot be held up: null, and no pool, if it had caught up. The next start would have nothing to
     * fold then, and would be waited for.
     */
    private @Nullable PowerCutDisk failed(String pool, String file, int which, String copy) throws IOException {
        PowerCutDisk failing = disk.copy(directory.resolve(copy), acknowledged::get);
        acknowledged.set(0);
        AtomicInteger left = new AtomicInteger(which);
        CountDownLatch failed = new CountDownLatch(1);
        boolean byWriter = file.startsWith("log");
        long durable;
        try (LoggedPoolFile opened = LoggedPoolFile.open(pool(pool), byWriter ? roomy(failing) : options(failing))) {
            failing.watch((kind, name) -> {
                if (kind == Kind.FORCE && name.startsWith(file) && left.getAndDecrement() == 0) {
                    failed.countDown();
                    throw new IOException("no sync of " + name);
                }
                if (kind == Kind.WRITE && byWriter && isFolder()) {
                    awaitQuietly(failed);
                    throw new IOException("no write of " + name + " after a sync that failed");
                }
            });
            assertThrows(LogFailedException.class, () -> store(opened, 1, 2 * STORES, acknowledged));
            durable = opened.ring().durable();
        }
        if (durable > LogControl.read(failing.root().resolve(LogFiles.CONTROL)).folded) {
            return failing;
        }
        loseMachine(pool);
        return null;
    }

    /** All that was acknowledged is there if the power fails now. */
    private void cut(PowerCutDisk now, int mode) throws IOException {
        Path into = directory.resolve("cut");
        PowerCutDisk left = now.cut(into, now.events(), chooser(mode, new Random(1)), acknowledged::get);
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("cut.pool"), options(left))) {
            assertEquals(acknowledged.get(), stored(file), "mode " + mode);
        }
        loseMachine("cut.pool");
        delete(into);
    }

    @Test
    void theNameOfTheLogsDirectoryIsDurableBeforeItIsALog() throws IOException {
        PowerCutDisk above = new PowerCutDisk(Files.createDirectory(directory.resolve("above")), acknowledged::get);
        LogOptions inside = LogOptions.in(above.root().resolve("made").resolve("log"))
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        LoggedPoolFile.format(pool("other"), inside, SIZE, false, _ -> {});
        List<Kind> done = new ArrayList<>();
        for (int i = 0; i < above.events(); i++) {
            done.add(above.event(i).kind());
        }
        assertEquals(List.of(Kind.CREATE, Kind.SYNC_DIRECTORY), done);
    }

    @Test
    void anActionThatFailsHurtsNeitherTheLogNorTheOthers() throws IOException {
        try (LoggedPoolFile file = LoggedPoolFile.open(pool("pool"), options(disk))) {
            CountDownLatch noted = new CountDownLatch(1);
            disk.watch((kind, _) -> {
                if (kind == Kind.FORCE) {
                    awaitQuietly(noted); // until then nothing is durable, so both wait
                }
            });
            file.pmem().set(AT + 64, 1);
            file.pmem().persist(AT + 64, 8);
            long position = file.groupCommit().position();
            CountDownLatch ran = new CountDownLatch(1);
            file.groupCommit()
                    .whenDurable(
                            position,
                            () -> {
                                throw new RejectedExecutionException("no executor is there any more");
                            },
                            _ -> {});
            file.groupCommit().whenDurable(position + 1, ran::countDown, _ -> {});
            noted.countDown();
            store(file, 2, 3, acknowledged);
            awaitQuietly(ran);
            assertFalse(file.ring().hasFailed());
        }
    }

    /** Refuses everything from one of its deeds on; what goes before that must be there afterwards. */
    @Test
    void aDiskThatRefusesLosesNothing() throws IOException {
        List<Integer> places = new Random(2).ints(30, 0, 300).sorted().boxed().toList();
        for (int place : places) {
            acknowledged.set(0);
            Path log = directory.resolve("refusing");
            PowerCutDisk refusing = disk.copy(log, acknowledged::get);
            AtomicInteger left = new AtomicInteger(place);
            AtomicBoolean refused = new AtomicBoolean();
            try (LoggedPoolFile file = LoggedPoolFile.open(pool("refusing.pool"), options(refusing))) {
                refusing.watch((kind, name) -> {
                    if (left.getAndDecrement() <= 0) {
                        refused.set(true);
                        throw new IOException("no space for " + kind + " " + name);
                    }
                });
                LogFailedException e =
                        assertThrows(LogFailedException.class, () -> store(file, 1, 10 * STORES, acknowledged));
                assertTrue(String.valueOf(e.getMessage()).contains("no space for"), e.getMessage());
            }
            assertTrue(refused.get());
            refusing.watch((_, _) -> {});
            try (LoggedPoolFile file = LoggedPoolFile.open(pool("refusing.pool"), options(refusing))) {
                assertEquals(acknowledged.get() + 1, stored(file), "refused at " + place);
            }
            loseMachine("refusing.pool");
            try (LoggedPoolFile file = LoggedPoolFile.open(pool("refusing.pool"), options(refusing))) {
                assertEquals(acknowledged.get() + 1, stored(file), "refused at " + place);
            }
            loseMachine("refusing.pool");
            delete(log);
        }
    }
}
