package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.KillChild.Operation;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.log.LogMemory;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: every prefix of the log is an image that a power failure could have left: the engine opens it, all that was acknowledged up
 * to there is in it, and nothing is half there (I1, I3 to I5). Method: short histories, by one thread and by several, on a log in
 * memory; the image of each prefix is built line by line, opened as a pool of its own, and compared with the model.
 */
final class LoggedPrefixTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long REGION = 32 << 10;
    private static final int REGIONS = 40;
    private static final long SIZE = REGION * (REGIONS + 1);

    /** An operation with where the log stood before and after it. */
    private record Done(Operation operation, Status status, long id, long from, long to) {}

    private final LogMemory log = new LogMemory(SIZE);
    private final List<Long> directories = new ArrayList<>();
    private final ReferenceNamespace start = new ReferenceNamespace();

    private PoolNamespace prepare() throws IOException {
        MemoryPoolFile file = new MemoryPoolFile(log.pmem(), REGION, REGIONS);
        Superblock.format(Path.of("memory"), file, new UUID(1, 2), 42, 2);
        PoolNamespace namespace = new PoolNamespace("memory", file, false);
        Attributes out = new Attributes();
        for (String name : List.of("shared", "own0", "own1", "own2")) {
            assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
            start.make(FileType.DIRECTORY, ROOT, name, 0755, 0, 0, out.id);
            directories.add(out.id);
        }
        return namespace;
    }

    private void work(int thread, Random random, Namespace namespace, int count, List<Done> done) {
        List<Long> mine = new ArrayList<>(List.of(directories.getFirst(), directories.get(1 + thread)));
        Attributes out = new Attributes();
        for (int i = 0; i < count; i++) {
            Operation operation = KillChild.choose(thread, random, mine);
            out.id = 0;
            long from = log.position();
            Status status = operation.on(namespace, out);
            done.add(new Done(operation, status, out.id, from, log.position()));
            if (operation.verb().equals("mkdir") && status == Status.OK) {
                mine.add(out.id);
            }
        }
    }

    /** What the pool must show after this prefix: all that was done, and, of each thread's open operation, all or nothing. */
    private List<Map<String, String>> expected(long prefix, List<List<Done>> threads) {
        ReferenceNamespace model = new ReferenceNamespace(start);
        List<Done> open = new ArrayList<>();
        for (List<Done> done : threads) {
            for (Done each : done) {
                if (each.to <= prefix) {
                    assertEquals(each.status, each.operation.on(model, each.id), each.toString());
                } else if (each.from <= prefix) {
                    open.add(each);
                }
            }
        }
        List<ReferenceNamespace> outcomes = new ArrayList<>(List.of(model));
        for (Done each : open) {
            for (ReferenceNamespace before : List.copyOf(outcomes)) {
                ReferenceNamespace after = new ReferenceNamespace(before);
                if (each.operation.on(after, each.id) == Status.OK) {
                    outcomes.add(after);
                }
            }
        }
        return outcomes.stream().map(ReferenceNamespace::snapshot).toList();
    }

    private void check(MappedPmem image, long prefix, List<List<Done>> threads, boolean scanFirst) {
        PoolNamespace namespace =
                new PoolNamespace("prefix", new MemoryPoolFile(LogMemory.copy(image), REGION, REGIONS), false);
        if (scanFirst) {
            namespace.scanInBackground();
        }
        Map<String, String> seen = Snapshot.of(namespace);
        List<Map<String, String>> expected = expected(prefix, threads);
        assertTrue(expected.contains(seen), () -> "prefix " + prefix + ": expected " + expected + ", pool " + seen);
        if (!scanFirst) {
            namespace.scanInBackground();
        }
        assertEquals(List.of(), namespace.problems(), "prefix " + prefix);
        assertEquals(seen, Snapshot.of(namespace), "prefix " + prefix);
    }

    /** Builds the image of each prefix after {@code from}, and opens every {@code step}-th. */
    private int checkPrefixes(MappedPmem base, long from, int step, List<List<Done>> threads) {
        MappedPmem image = LogMemory.copy(base);
        int checked = 0;
        for (long prefix = from; prefix <= log.position(); prefix++) {
            if (prefix > from) {
                log.replay(prefix, image);
            }
            if ((prefix - from) % step == 0 || prefix == log.position()) {
                check(image, prefix, threads, checked++ % 2 == 0);
            }
        }
        return checked;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyPrefixOfOneThreadsLogIsAPool(long seed) throws IOException {
        Namespace namespace = prepare();
        MappedPmem base = replayed();
        long from = log.position();
        List<Done> done = new ArrayList<>();
        work(0, new Random(seed + Long.getLong("hmfs.seed", 0)), namespace, 60, done);
        int checked = checkPrefixes(base, from, 1, List.of(done));
        assertTrue(checked > 100, "prefixes: " + checked);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void everyPrefixOfSeveralThreadsLogIsAPool(long seed) throws Exception {
        Namespace namespace = prepare();
        MappedPmem base = replayed();
        long from = log.position();
        List<List<Done>> done = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int thread = i;
            List<Done> mine = new ArrayList<>();
            done.add(mine);
            threads.add(Thread.ofPlatform()
                    .start(() -> work(
                            thread,
                            new Random(seed * 3 + thread + Long.getLong("hmfs.seed", 0)),
                            namespace,
                            300,
                            mine)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(900, done.stream().mapToInt(List::size).sum());
        checkPrefixes(base, from, 7, done);
    }

    /** Image and log alone: what the memory holds and the log does not is not in it. */
    private MappedPmem replayed() {
        MappedPmem image = MappedPmem.inMemory(SIZE);
        for (long lsn = 1; lsn <= log.position(); lsn++) {
            log.replay(lsn, image);
        }
        return image;
    }

    @Test
    void whatADeadProcessHadStoredIsLoggedByTheNextStart() throws IOException {
        Namespace namespace = prepare();
        List<Done> done = new ArrayList<>();
        work(0, new Random(5), namespace, 200, done);
        LogMemory next = log.afterDeath();
        MappedPmem image = MappedPmem.inMemory(SIZE);
        for (long lsn = 1; lsn <= next.position(); lsn++) {
            next.replay(lsn, image);
        }
        for (long at = 0; at < image.size(); at += 8) {
            assertEquals(next.memory().get(at), image.get(at), "word at " + at);
        }
    }
}
