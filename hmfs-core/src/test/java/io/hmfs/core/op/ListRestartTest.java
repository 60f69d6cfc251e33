package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Goal: a cursor survives restarts and losses of power: what is in the directory all the while shows exactly once, and what comes or
 * goes meanwhile at most once. Method: seeded random changes, sweeps, closes, deaths and power losses between the pages of a listing;
 * each change was acknowledged, so each of them survives.
 */
final class ListRestartTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final int ROUNDS = Integer.getInteger("hmfs.rounds", 500);
    private static final int NAMES = 12;

    private final Attributes out = new Attributes();
    private SimPoolFile file = format();
    private ServerNamespace namespace = TestPool.open(file);
    private long directory;

    private static SimPoolFile format() {
        SimPoolFile file = new SimPoolFile(256 << 10, 30, Persistence.PMEM);
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return file;
    }

    @Test
    void whatStaysShowsOnceOverRestarts() {
        int restarts = 0;
        for (int i = 0; i < ROUNDS; i++) {
            long seed = SEED * 1_000_000 + i;
            String name = "round" + i;
            assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of(name), 0755, 0, 0, out));
            directory = out.id;
            Round round = new Round(seed);
            round.run();
            restarts += round.restarts;
            for (String left : List.copyOf(round.there.keySet())) {
                assertEquals(Status.OK, namespace.delete(directory, Name.of(left), out));
            }
            assertEquals(Status.OK, namespace.rmdir(Namespace.ROOT_ID, Name.of(name)));
        }
        assertTrue(restarts > ROUNDS / 4, restarts + " restarts in the middle of a listing");
        assertEquals(List.of(), TestPool.problems(namespace));
        namespace.close();
    }

    /** One listing. */
    private final class Round {
        private final long seed;
        private final Random random;
        private final Map<String, Long> there = new HashMap<>();

        /** Objects that have been there, under one name, since the listing began. */
        private final Set<Long> stayed = new HashSet<>();

        private final List<Long> shown = new ArrayList<>();
        private final StringBuilder story = new StringBuilder();
        private int restarts;

        Round(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            for (int i = random.nextInt(30); i > 0; i--) {
                change();
            }
            stayed.addAll(there.values());
            story.append("| ");
            ListCursor cursor = new ListCursor();
            while (!cursor.atEnd()) {
                int limit = shown.size() + 1 + random.nextInt(3);
                assertEquals(Status.OK, namespace.list(directory, cursor, (name, attributes) -> {
                    if (shown.size() >= limit) {
                        return false;
                    }
                    shown.add(attributes.id);
                    story.append("shows ").append(name).append(attributes.id).append(", ");
                    return true;
                }));
                for (int i = random.nextInt(4); i > 0 && !cursor.atEnd(); i--) {
                    change();
                    if (random.nextInt(4) == 0) {
                        restart();
                    }
                }
            }
            for (long object : stayed) {
                assertEquals(1, shown.stream().filter(each -> each == object).count(), () -> object + told());
            }
            assertEquals(shown.size(), new HashSet<>(shown).size(), () -> "an object shows twice" + told());
        }

        private String told() {
            return ", seed " + seed + ": " + story;
        }

        private void restart() {
            restarts++;
            switch (random.nextInt(3)) {
                case 0 -> {
                    story.append("close, ");
                    namespace.close();
                    file = file.died();
                }
                case 1 -> {
                    story.append("kill, ");
                    file = file.killed();
                }
                default -> {
                    story.append("power, ");
                    file = file.crashed(random, 1);
                }
            }
            namespace = TestPool.open(file);
            if (random.nextBoolean()) {
                TestPool.scan(namespace);
            }
        }

        private void change() {
            String name = "" + (char) ('a' + random.nextInt(NAMES));
            String other = "" + (char) ('a' + random.nextInt(NAMES));
            int what = random.nextInt(10);
            if (what < 5 && !there.containsKey(name)) {
                assertEquals(Status.OK, namespace.create(directory, Name.of(name), 0644, 0, 0, out));
                there.put(name, out.id);
                story.append("create ").append(name).append(out.id).append(", ");
            } else if (what < 7 && there.containsKey(name)) {
                assertEquals(Status.OK, namespace.delete(directory, Name.of(name), out));
                stayed.remove(there.remove(name));
                story.append("delete ").append(name).append(", ");
            } else if (what == 7) {
                TestPool.sweep(namespace, directory);
                story.append("sweep, ");
            } else if (what > 7 && there.containsKey(name) && !there.containsKey(other)) {
                assertEquals(
                        Status.OK, namespace.rename(directory, Name.of(name), directory, Name.of(other), false, out));
                long object = Objects.requireNonNull(there.remove(name));
                there.put(other, object);
                stayed.remove(object);
                story.append("rename ").append(name).append(other).append(", ");
            }
        }
    }
}
