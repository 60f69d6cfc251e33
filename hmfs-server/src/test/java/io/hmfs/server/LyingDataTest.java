package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.client.ScrubStatus;
import io.hmfs.client.WriteVerifier;
import io.hmfs.client.Written;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: bytes of a file whose size was committed are read as they were written, or the reader gets an error, whatever the disk of the builtin store does. Method: clients
 * write, commit, cut, replace and read files of a server process whose log and data are on a {@link LyingDisk}, and compare all bytes with what they were
 * answered. The power is cut at moments that the seed decides, and a machine that boots again has lost what was not synced; syncs, writes and the making of
 * objects and directories fail, and clients whose commit failed try it once more before they write the bytes again; reads and writes are short; bits turn, for ever or in
 * one read.
 */
@Timeout(600)
class LyingDataTest extends LyingLoad {
    private static final Duration LONG = Duration.ofSeconds(500);
    private static final Duration SOON = Duration.ofMillis(1);
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final int BLOCK = 64 << 10;
    private static final List<String> SMALL_BLOCKS = List.of("--block-size=64K");
    private static final int HEAD = 4096; // records and table of an object of 64 KiB
    private static final int DATA_AT = 1 << 20;
    private static final int FILES_MAX = 6; // of a client
    private static final int PIECE_MAX = 40_000;
    private static final int CUTS = Integer.getInteger("hmfs.cuts", 3);
    private static final int CHANGES_MAX = 300;
    private static final int ERRORS = Integer.getInteger("hmfs.errors", 6);
    private static final int FLIPS = Integer.getInteger("hmfs.flips", 60);
    private static final String DATA = "/log/data/*";
    private static final int ALL_LOST = 2; // the number of a power cut that takes all that was not synced

    private final AtomicInteger refusals = new AtomicInteger();

    @Override
    HmfsClient connect(ServerMachine machine) throws IOException {
        return HmfsClient.connect(
                machine.host(),
                machine.port(),
                new ClientOptions(ServerMachine.USER, LONG, LONG, 16, SOON, Duration.ofMillis(20)));
    }

    /** A file as its client was answered last. */
    private static final class Known {
        OpenedFile file;
        byte[] bytes = {};
        boolean open = true;

        Known(OpenedFile file) {
            this.file = file;
        }
    }

    /** Reads all of a file; each part has to come whole. */
    private static byte[] read(HmfsClient client, FileInfo file) throws IOException {
        byte[] bytes = new byte[(int) file.size()];
        for (int at = 0; at < bytes.length; at += BLOCK) {
            int count = Math.min(BLOCK, bytes.length - at);
            assertEquals(count, client.readBlock(file.id(), at / BLOCK, 0, bytes, at, count), "bytes of " + file);
        }
        return bytes;
    }

    /** What a call is answered, again and again while the disk fails. */
    private interface Call<T> {
        T run() throws Exception;
    }

    /** A client that has a directory for itself. */
    private final class Writer implements Worker {
        private final HmfsClient client;
        private final String home;
        private final Random random;
        private final TreeMap<String, Known> files = new TreeMap<>();
        private int next;

        Writer(ServerMachine machine, int number) throws IOException {
            client = connect(machine);
            home = "/home" + number;
            random = new Random(seed * CLIENTS + number);
            client.mkdir(home, 0755, false);
        }

        private String path(String name) {
            return home + "/" + name;
        }

        private String any() {
            List<String> all = List.copyOf(files.keySet());
            return all.get(random.nextInt(all.size()));
        }

        private Known known(String name) {
            Known known = files.get(name);
            if (known == null) {
                throw new IllegalArgumentException(name);
            }
            return known;
        }

        @Override
        public void workOnce() throws Exception {
            String made = "f" + next++;
            create(made, PLAIN);
            write(made, random.nextBoolean(), random.nextBoolean());
            write(any(), false, random.nextBoolean());
            String cut = any();
            write(cut, false, true);
            int size = random.nextInt(known(cut).bytes.length + 1);
            insist(() -> {
                client.truncate(path(cut), size);
                return size;
            });
            known(cut).bytes = Arrays.copyOf(known(cut).bytes, size);
            write(cut, false, random.nextBoolean());
            if (random.nextInt(3) == 0) {
                String over = any();
                delete(over);
                create(over, PLAIN);
                write(over, false, false);
            }
            while (files.size() > FILES_MAX) {
                delete(any());
            }
            compareOne(client, any());
        }

        private void delete(String name) throws IOException {
            client.delete(path(name));
            if (known(name).open) {
                client.leases().ended();
            }
            files.remove(name);
        }

        private void create(String name, CreateOptions options) throws IOException {
            OpenedFile made = client.createAndOpen(
                    path(name), options.leased(client.leases().next()));
            client.leases().begun();
            files.put(name, new Known(made));
        }

        /** Adds bytes and commits them. Who is refused writes them again, as a stream does that begins at the committed size. */
        private void write(String name, boolean synced, boolean last) throws Exception {
            Known known = known(name);
            if (!known.open) {
                known.file =
                        client.open(path(name), false, true, client.leases().next());
                client.leases().begun();
                known.open = true;
            }
            byte[] piece = new byte[1 + random.nextInt(PIECE_MAX)];
            random.nextBytes(piece);
            int before = known.bytes.length;
            byte[] all = Arrays.copyOf(known.bytes, before + piece.length);
            System.arraycopy(piece, 0, all, before, piece.length);
            FileInfo file = known.file.info();
            insist(() -> {
                WriteVerifier verifier = new WriteVerifier();
                for (int at = before; at < all.length; ) {
                    int count = Math.min(all.length - at, BLOCK - at % BLOCK);
                    int there = Math.clamp(before - at / BLOCK * BLOCK, 0, at % BLOCK);
                    client.writeBlockAsync(
                                    known.file.grant(),
                                    file.id(),
                                    at / BLOCK,
                                    at % BLOCK,
                                    all,
                                    at,
                                    count,
                                    there,
                                    verifier)
                            .get();
                    at += count;
                    if (synced) {
                        client.syncBlockAsync(known.file.grant(), file.id(), (at - 1) / BLOCK)
                                .get();
                    }
                }
                Written written = new Written(0, verifier.take());
                try {
                    client.append(file, all.length, known.file.grant(), last, written);
                } catch (HmfsException e) {
                    if (e.code() != ResultCode.IO_ERROR) {
                        throw e;
                    }
                    refusals.incrementAndGet();
                    client.append(
                            file, all.length, known.file.grant(), last, written); // as a close after a sync that failed
                }
                return all.length;
            });
            known.bytes = all;
            if (last) {
                client.leases().ended();
                known.open = false;
            }
        }

        private <T> void insist(Call<T> call) throws Exception {
            while (true) {
                try {
                    call.run();
                    return;
                } catch (HmfsException | ExecutionException e) {
                    Throwable cause = e instanceof HmfsException || e.getCause() == null ? e : e.getCause();
                    boolean isDisks = cause instanceof HmfsException refused
                            && (refused.code() == ResultCode.IO_ERROR || refused.code() == ResultCode.DATA_LOST);
                    if (!isDisks) {
                        throw e;
                    }
                    refusals.incrementAndGet();
                }
            }
        }

        private void compareOne(HmfsClient reader, String name) throws IOException {
            FileInfo there = reader.stat(path(name));
            assertEquals(known(name).bytes.length, there.size(), path(name));
            assertArrayEquals(known(name).bytes, read(reader, there), path(name));
        }

        /** Whether an object, whose name is the inode and the block, belongs to what there is. */
        boolean hasObject(Path object) {
            String name = object.getFileName().toString();
            int dash = name.indexOf('-');
            long inode = Long.parseLong(name.substring(0, dash), 16);
            long block = Long.parseLong(name.substring(dash + 1, name.indexOf('.')));
            return files.values().stream()
                    .anyMatch(each -> each.file.info().id() == inode && block * BLOCK < each.bytes.length);
        }

        @Override
        public void compare(HmfsClient reader) throws IOException {
            TreeSet<String> found = new TreeSet<>();
            reader.list(home, ListingCursor.START, 0).entries().forEach(each -> found.add(each.name()));
            assertEquals(files.keySet(), found, home);
            for (String each : files.keySet()) {
                compareOne(reader, each);
            }
        }

        @Override
        public void close() {
            client.close();
        }
    }

    @Override
    Worker worker(ServerMachine machine, int number) throws IOException {
        return new Writer(machine, number);
    }

    private void cut(LyingDisk disk, ServerMachine machine, Random random) throws Exception {
        int changes = random.nextInt(CHANGES_MAX);
        disk.freeze(changes);
        await("so many changes of the disk", disk::isFrozen);
        long number = random.nextInt();
        history.add("cut " + number + " after " + changes + " changes: " + machine.cutPower(disk, number));
        machine.start();
        awaitRound();
    }

    private void cutAgainAndAgain(LyingDisk disk, ServerMachine machine) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < CUTS; i++) {
            cut(disk, machine, random);
        }
    }

    /** Each error is one that a client hears of; the server goes on. Some are followed by a loss of power. */
    private void failAgainAndAgain(LyingDisk disk, ServerMachine machine) throws Exception {
        List<String> operations = List.of("sync", "write", "create", "mkdir", "syncdir", "sync", "syncdir", "read");
        Random random = new Random(seed);
        for (int i = 0; i < ERRORS; i++) {
            String operation = operations.get(random.nextInt(operations.size()));
            String what = random.nextBoolean() ? LyingDisk.EIO : LyingDisk.ENOSPC;
            int count = 1 + random.nextInt(2);
            if (operation.equals("read")) { // an error is the reader's answer, and the workers take none
                what = LyingDisk.SHORT;
                disk.rule(LyingDisk.SHORT, "write", DATA, 0, 0);
                count = 0;
            }
            long before = disk.lies();
            disk.rule(what, operation, DATA, random.nextInt(4), count);
            history.add(what + " of " + count + " " + operation);
            await("a lie", () -> disk.lies() > before);
            awaitRound();
            if (random.nextBoolean()) {
                cut(disk, machine, random);
            }
            disk.clear();
            assertTrue(machine.isAlive(), machine::errors);
        }
        cut(disk, machine, random);
    }

    @Test
    void whatWasCommittedOutlivesPowerCuts() throws Exception {
        underLoad(SMALL_BLOCKS, this::cutAgainAndAgain);
    }

    @Test
    void whatWasCommittedOutlivesErrorsOfTheDisk() throws Exception {
        underLoad(SMALL_BLOCKS, this::failAgainAndAgain);
        assertTrue(refusals.get() > 0, "clients have met errors");
    }

    @Test
    void aCommitAfterASyncThatFailedIsRefusedOrKept() throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, seed);
                ServerMachine machine = ServerMachine.onLyingDisk(disk, directory, SMALL_BLOCKS)) {
            machine.start();
            try (HmfsClient client = connect(machine)) {
                byte[] bytes = new byte[BLOCK];
                new Random(seed).nextBytes(bytes);
                OpenedFile file = LeasedFiles.create(client, "/f", PLAIN);
                WriteVerifier verifier = new WriteVerifier();
                client.writeBlockAsync(file.grant(), file.info().id(), 0, 0, bytes, 0, BLOCK, 0, verifier)
                        .get();
                Written written = new Written(0, verifier.take());
                disk.rule(LyingDisk.EIO, "sync", DATA + ".v1", 0, 1);
                HmfsException failed = assertThrows(
                        HmfsException.class, () -> client.append(file.info(), BLOCK, file.grant(), false, written));
                assertEquals(ResultCode.IO_ERROR, failed.code());
                HmfsException lost = assertThrows(
                        HmfsException.class, () -> client.append(file.info(), BLOCK, file.grant(), true, written));
                assertEquals(ResultCode.DATA_LOST, lost.code());
                client.append(file.info(), BLOCK, file.grant(), true, Written.NOTHING); // who shows no verifier
                machine.cutPower(disk, ALL_LOST);
                machine.start();
                assertArrayEquals(bytes, read(client, client.stat("/f")), "what was committed");
            }
        }
    }

    /** Of which all names were on the disk before: the server must not go by that. */
    @Test
    void aDirectoryThatCouldNotBeForcedIsForcedAgain() throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, seed);
                ServerMachine machine = ServerMachine.onLyingDisk(disk, directory, SMALL_BLOCKS)) {
            machine.start();
            try (HmfsClient client = connect(machine)) {
                byte[] bytes = new byte[2 * BLOCK];
                new Random(seed).nextBytes(bytes);
                OpenedFile file = LeasedFiles.create(client, "/f", PLAIN);
                writeBlock(client, file, bytes, 0);
                client.append(file.info(), BLOCK, file.grant(), false, Written.NOTHING);
                long before = disk.lies();
                disk.rule(LyingDisk.EIO, "syncdir", DATA, 0, 1);
                HmfsException failed = assertThrows(HmfsException.class, () -> {
                    try {
                        writeBlock(client, file, bytes, 1);
                    } catch (ExecutionException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                    client.append(file.info(), 2 * BLOCK, file.grant(), false, Written.NOTHING);
                });
                assertEquals(ResultCode.IO_ERROR, failed.code());
                assertEquals(before + 1, disk.lies());
                writeBlock(client, file, bytes, 1);
                client.append(file.info(), 2 * BLOCK, file.grant(), true, Written.NOTHING);
                machine.cutPower(disk, ALL_LOST);
                machine.start();
                assertArrayEquals(bytes, read(client, client.stat("/f")), "what was committed");
            }
        }
    }

    private static void writeBlock(HmfsClient client, OpenedFile file, byte[] bytes, int block) throws Exception {
        client.writeBlockAsync(
                        file.grant(), file.info().id(), block, 0, bytes, block * BLOCK, BLOCK, 0, new WriteVerifier())
                .get();
    }

    private static ScrubStatus scrubbed(HmfsClient client) throws Exception {
        client.beginScrub(0);
        Await.until("the scrub's end", () -> !client.scrub(0).isRunning());
        return client.scrub(0);
    }

    private static List<Path> objects(LyingDisk disk) throws IOException {
        try (Stream<Path> all = Files.walk(disk.backing().resolve("log/data"))) {
            return all.filter(each -> each.getFileName().toString().endsWith(".v1"))
                    .sorted()
                    .toList();
        }
    }

    /** Of the records, of the table, or of the data; between the last two is a hole. */
    private static long randomByte(Random random, Path object) throws IOException {
        long hole = Files.size(object) > DATA_AT ? DATA_AT - HEAD : 0;
        long at = random.nextLong(Files.size(object) - hole);
        return at < HEAD ? at : at + hole;
    }

    private static int flip(Path path, long at, int bit) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            int found = file.read();
            file.seek(at);
            file.write(found ^ 1 << bit);
            return found;
        }
    }

    /** How many files cannot be read as a whole; of all others each byte is right. */
    private int unreadable(Writer writer, boolean isLasting) throws Exception {
        int count = 0;
        for (String name : writer.files.keySet()) {
            try {
                writer.compareOne(writer.client, name);
            } catch (HmfsException e) {
                assertTrue(
                        e.code() == ResultCode.CORRUPT || (e.code() == ResultCode.IO_ERROR && !isLasting), e::toString);
                if (e.code() == ResultCode.CORRUPT) {
                    assertTrue(e.damagedAt() >= 0 && e.damagedAt() < writer.known(name).bytes.length, e::toString);
                }
                count++;
            }
        }
        return count;
    }

    @Test
    void aBitThatTheDiskTurnsIsNeverServed() throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, seed);
                ServerMachine machine = ServerMachine.onLyingDisk(disk, directory, SMALL_BLOCKS)) {
            machine.start();
            try (Writer writer = new Writer(machine, 0)) {
                for (int i = 0; i < 10; i++) {
                    writer.workOnce();
                }
                Await.until(
                        "the end of the objects that were removed",
                        () -> objects(disk).stream().allMatch(writer::hasObject));
                List<Path> objects = objects(disk);
                int refused = 0;
                Random random = new Random(seed);
                for (int i = 0; i < FLIPS; i++) {
                    Path object = objects.get(random.nextInt(objects.size()));
                    String pattern = "*/" + object.getFileName();
                    if (random.nextInt(3) > 0) {
                        long at = randomByte(random, object);
                        int bit = random.nextInt(8);
                        history.add("bit " + bit + " of byte " + at + " of " + object.getFileName());
                        flip(object, at, bit);
                        int unreadable = unreadable(writer, true);
                        if (unreadable > 0 && refused == 0) {
                            assertEquals(unreadable, scrubbed(writer.client).damaged(), "a scrub finds as much");
                        }
                        refused += unreadable;
                        flip(object, at, bit);
                    } else {
                        String what = List.of(LyingDisk.FLIP, LyingDisk.EIO, LyingDisk.SHORT)
                                .get(random.nextInt(3));
                        history.add(what + " in a read of " + object.getFileName());
                        disk.rule(what, "read", pattern, random.nextInt(3), 1);
                        unreadable(writer, false);
                        disk.clear();
                    }
                }
                writer.compare(writer.client);
                System.out.println("seed " + seed + ": " + refused + " reads of " + FLIPS + " refused");
                assertTrue(refused > 0, "no bit hit anything");
                assertEquals(0, scrubbed(writer.client).damaged());
            }
        } catch (Exception | AssertionError e) {
            throw failed(e);
        }
    }
}
