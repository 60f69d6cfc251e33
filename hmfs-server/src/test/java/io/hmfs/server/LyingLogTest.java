package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListingCursor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a power cut at any moment takes nothing away that a server with a log has acknowledged, and adds nothing. Method: clients work on the names of a server
 * process whose log is on a {@link LyingDisk}; after a number of changes that the seed decides the disk does no more, the process is killed, what it has
 * not synced is lost by halves, the memory of the machine is lost, and the next start goes on from what is left, unless its power is cut, too. A
 * client has its call again until it is answered, and compares what is there with what it was answered, so each lost, doubled or foreign change shows.
 * The same with a disk that fails in one of all operations that a log needs, also short reads and writes: the server ends by itself, or goes on. And bits that the disk
 * turns, for ever or in one read: the next start after the loss of memory shows what was acknowledged, or refuses and names the file.
 */
@Timeout(600)
class LyingLogTest extends LyingLoad {
    private static final Duration LONG = Duration.ofSeconds(500);
    private static final Duration SOON = Duration.ofMillis(1);
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final int TOGETHER = 12;
    private static final int NAMES_MAX = 60;
    private static final int CUTS = Integer.getInteger("hmfs.cuts", 4);
    private static final int CHANGES_MAX = 400; // of the disk, before its power is cut
    private static final int CHANGES_OF_START_MAX = 40;
    private static final int ERRORS = Integer.getInteger("hmfs.errors", 3);
    private static final int BLOCKS_MAX = 20; // writes or syncs of the log that go well before one fails
    private static final int FILES_MAX = 4; // of what comes once with a log file, of hundreds of changes
    private static final int FAIL_STOP = 70; // what a server says at its end
    private static final int FLIPS = Integer.getInteger("hmfs.flips", 7);
    private static final int ZEROS_MAX = 1_000; // then it is one of these
    private static final String LOG = "/log/";

    /** Operation, file, and how many fail in a row: of writes one could be that of space ahead, which a log can do without. */
    private record Fault(String operation, String file, int count) {
        boolean isOfABlock() {
            return file.startsWith("log") && (operation.equals("write") || operation.equals("sync"));
        }
    }

    private static final List<Fault> FAULTS = List.of(
            new Fault("write", "log-*", 3),
            new Fault("sync", "log-*", 1),
            new Fault("create", "log-*", 1),
            new Fault("truncate", "log-*", 1),
            new Fault("unlink", "log-*", 1),
            new Fault("read", "log-*", 1),
            new Fault("write", "control", 1),
            new Fault("sync", "control", 1),
            new Fault("write", "image*", 1),
            new Fault("sync", "image*", 1),
            new Fault("read", "image*", 1),
            new Fault("syncdir", "", 1));

    @Override
    HmfsClient connect(ServerMachine machine) throws IOException {
        return HmfsClient.connect(
                machine.host(),
                machine.port(),
                new ClientOptions(ServerMachine.USER, LONG, LONG, TOGETHER, SOON, Duration.ofMillis(20)));
    }

    /** What a name has that was acknowledged. */
    private record Known(long id, int mode) {}

    /** A client that has a directory for itself. */
    private final class Namer implements Worker {
        private final HmfsClient client;
        private final String home;
        private final Random random;
        private final TreeMap<String, Known> names = new TreeMap<>();
        private int next;

        Namer(ServerMachine machine, int number) throws IOException {
            client = connect(machine);
            home = "/home" + number;
            random = new Random(seed * CLIENTS + number);
            client.mkdir(home, 0755, false);
        }

        private String path(String name) {
            return home + "/" + name;
        }

        private String any() {
            List<String> all = List.copyOf(names.keySet());
            return all.get(random.nextInt(all.size()));
        }

        @Override
        public void workOnce() throws Exception {
            createSome();
            for (int i = 0; i < TOGETHER / 2; i++) {
                changeOne();
            }
            removeSome();
            compare(client);
        }

        private void createSome() throws Exception {
            Map<String, CompletableFuture<FileInfo>> made = new TreeMap<>();
            for (int i = 0; i < TOGETHER; i++) {
                String name = "f" + next++;
                made.put(name, client.createAsync(path(name), PLAIN));
            }
            for (Map.Entry<String, CompletableFuture<FileInfo>> each : made.entrySet()) {
                names.put(each.getKey(), new Known(each.getValue().get().id(), 0644));
            }
        }

        private void changeOne() throws IOException {
            String name = any();
            Known known = known(name);
            switch (random.nextInt(4)) {
                case 0 -> {
                    String target = "r" + next++;
                    client.rename(path(name), path(target), false);
                    names.remove(name);
                    names.put(target, known);
                }
                case 1 -> {
                    String target = any();
                    if (!target.equals(name)) {
                        client.rename(path(name), path(target), true);
                        names.remove(name);
                        names.put(target, known);
                    }
                }
                case 2 -> {
                    int mode = 0600 + random.nextInt(0100);
                    client.chmod(path(name), mode);
                    names.put(name, new Known(known.id(), mode));
                }
                default -> {
                    FileInfo over = client.create(path(name), new CreateOptions(0640, true, false, 0755));
                    names.put(name, new Known(over.id(), 0640));
                }
            }
        }

        private Known known(String name) {
            Known known = names.get(name);
            if (known == null) {
                throw new IllegalArgumentException(name);
            }
            return known;
        }

        private void removeSome() throws Exception {
            List<CompletableFuture<Void>> removed = new ArrayList<>();
            while (names.size() > NAMES_MAX) {
                String name = any();
                removed.add(client.deleteAsync(path(name)));
                names.remove(name);
            }
            for (CompletableFuture<Void> each : removed) {
                each.get();
            }
        }

        @Override
        public void compare(HmfsClient reader) throws IOException {
            TreeMap<String, Known> found = new TreeMap<>();
            reader.list(home, ListingCursor.START, 0)
                    .entries()
                    .forEach(each -> found.put(each.name(), new Known(each.id(), each.mode())));
            assertEquals(names, found, home);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    @Override
    Worker worker(ServerMachine machine, int number) throws IOException {
        return new Namer(machine, number);
    }

    private void cut(LyingDisk disk, ServerMachine machine, long number, String when) throws Exception {
        history.add("cut " + number + " " + when + ": " + machine.cutPower(disk, number));
    }

    /** Starts the server, with its power cut while it does so, perhaps several times over. */
    private void start(LyingDisk disk, ServerMachine machine, Random random) throws Exception {
        while (random.nextInt(3) == 0) {
            disk.freeze(random.nextInt(CHANGES_OF_START_MAX));
            machine.begin();
            CompletableFuture<Boolean> started = CompletableFuture.supplyAsync(() -> {
                try {
                    machine.awaitStarted();
                    return true;
                } catch (IOException e) {
                    return false;
                }
            });
            Await.until("a start, or no more changes", () -> disk.isFrozen() || started.isDone());
            if (started.isDone() && !started.get() && !disk.isFrozen()) {
                throw new IOException("the server refuses to start: " + machine.errors());
            }
            cut(disk, machine, random.nextInt(), "in a start");
        }
        machine.start();
    }

    private void cutAgainAndAgain(LyingDisk disk, ServerMachine machine) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < CUTS; i++) {
            if (random.nextInt(4) == 0) {
                awaitRound();
                machine.kill(); // and the machine goes on
                history.add("kill");
                machine.start();
            }
            int changes = random.nextInt(CHANGES_MAX);
            disk.freeze(changes);
            await("so many changes of the disk", disk::isFrozen);
            cut(disk, machine, random.nextInt(), "after " + changes + " changes");
            start(disk, machine, random);
            awaitRound();
        }
    }

    /** The disk fails once, or is full: the server ends, and says of which log. */
    private void fail(LyingDisk disk, ServerMachine machine, Random random) throws Exception {
        String what;
        if (random.nextInt(FAULTS.size() + 1) == 0) {
            int room = random.nextInt(200_000);
            disk.command("room " + room);
            what = "room for " + room + " bytes";
        } else {
            Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
            String pattern = fault.file().isEmpty() ? "/log" : LOG + fault.file();
            int skip = random.nextInt(fault.isOfABlock() ? BLOCKS_MAX : FILES_MAX);
            disk.rule(
                    random.nextBoolean() ? LyingDisk.EIO : LyingDisk.ENOSPC,
                    fault.operation(),
                    pattern,
                    skip,
                    fault.count());
            what = fault + " after " + skip;
        }
        history.add(what);
        await("the end of the server after " + what, () -> !machine.isAlive());
        assertEquals(FAIL_STOP, machine.awaitEnd(), machine::errors);
        assertTrue(machine.errors().contains(disk.path() + LOG), machine::errors);
        disk.clear();
    }

    /** A rebuild that cannot read does not guess. */
    private void failToRead(LyingDisk disk, ServerMachine machine, Random random) throws Exception {
        String file = List.of("log-*", "control", "image", "image.sums").get(random.nextInt(4));
        disk.rule(LyingDisk.EIO, "read", LOG + file, 0, 1);
        history.add("a read of " + file + " in a rebuild");
        IOException refused = assertThrows(IOException.class, machine::start);
        assertTrue(String.valueOf(refused.getMessage()).contains(disk.path() + "/log"), refused::toString);
        machine.awaitEnd();
        disk.clear();
    }

    private void failAgainAndAgain(LyingDisk disk, ServerMachine machine) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < ERRORS; i++) {
            fail(disk, machine, random);
            if (random.nextBoolean()) {
                cut(disk, machine, random.nextInt(), "after that");
                if (random.nextBoolean()) {
                    failToRead(disk, machine, random);
                }
            }
            if (random.nextBoolean()) {
                history.add("all of it short");
                disk.rule(LyingDisk.SHORT, "read", LOG + "*", 0, 0);
                disk.rule(LyingDisk.SHORT, "write", LOG + "*", 0, 0);
            }
            machine.start();
            awaitRound();
            disk.clear(); // a log file is folded in its time again
        }
        cut(disk, machine, seed, "at the end");
        machine.start();
        awaitRound();
    }

    @Test
    void whatWasAcknowledgedOutlivesErrorsOfTheDisk() throws Exception {
        underLoad(List.of(), this::failAgainAndAgain);
    }

    /** Holes stay holes: an image is mostly that. */
    private static void copy(Path from, Path to) throws IOException, InterruptedException {
        String script = "rm -rf \"$1\" && cp -a --sparse=always \"$0\" \"$1\"";
        Process copy = new ProcessBuilder("sh", "-c", script, from.toString(), to.toString())
                .inheritIO()
                .start();
        assertEquals(0, copy.waitFor(), "cp " + from + " " + to);
    }

    /** Turns a bit of a file where something stands, for most of an image is zeros. */
    private static String flip(Path path, Random random) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            int tries = 0;
            int found;
            long at;
            do {
                at = random.nextLong(file.length());
                file.seek(at);
                found = file.read();
            } while (found == 0 && tries++ < ZEROS_MAX);
            int bit = random.nextInt(8);
            file.seek(at);
            file.write(found ^ 1 << bit);
            return "bit " + bit + " of byte " + at + " of " + path.getFileName();
        }
    }

    /** Starts a server on a disk that turns a bit, after the loss of memory. Whether it starts. */
    private boolean startsRight(LyingDisk disk, ServerMachine machine, Worker worker) throws Exception {
        machine.begin();
        try {
            machine.awaitStarted();
        } catch (IOException refused) {
            machine.awaitEnd();
            assertTrue(machine.errors().contains(disk.path() + "/log"), machine::errors); // a file, or its directory
            return false;
        }
        try (HmfsClient client = connect(machine)) {
            worker.compare(client);
        }
        machine.kill();
        return true;
    }

    @Test
    void aBitThatTheDiskTurnsIsNeverServed() throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, seed);
                ServerMachine machine = ServerMachine.onLyingDisk(disk, directory, List.of())) {
            machine.start();
            Worker worker = new Namer(machine, 0);
            try (worker) {
                for (int i = 0; i < 10; i++) {
                    worker.workOnce();
                }
            }
            machine.stop(); // a bit in what was written last is not told from the end that a power cut left
            Path log = disk.backing().resolve("log");
            Path copy = directory.resolve("copy");
            copy(log, copy);
            int refused = 0;
            Random random = new Random(seed);
            for (int i = 0; i < FLIPS; i++) {
                List<Path> files;
                try (Stream<Path> all = Files.list(log)) {
                    files = all.filter(file -> file.getFileName().toString().matches("log-.*|control|image.*")
                                    && file.toFile().length() > 0)
                            .sorted()
                            .toList();
                }
                Path file = files.get(random.nextInt(files.size()));
                if (random.nextBoolean()) {
                    history.add(flip(file, random));
                } else {
                    disk.rule(LyingDisk.FLIP, "read", LOG + file.getFileName(), random.nextInt(2), 1);
                    history.add("a read of " + file.getFileName());
                }
                machine.loseMemory();
                boolean starts = startsRight(disk, machine, worker);
                refused += starts ? 0 : 1;
                history.add(starts ? "starts" : "is refused");
                disk.clear();
                copy(copy, log);
            }
            machine.loseMemory();
            assertTrue(startsRight(disk, machine, worker), "the disk is as it was");
            System.out.println("seed " + seed + ", refused " + refused + ": " + history);
            assertTrue(refused > 0, "no bit hit anything");
        } catch (Exception | AssertionError e) {
            throw failed(e);
        }
    }

    @Test
    void whatWasAcknowledgedOutlivesPowerCuts() throws Exception {
        underLoad(List.of(), this::cutAgainAndAgain);
    }
}
