package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a reader answers what was true at one moment of its call, wherever it is overtaken. Method: the writer stops before each
 * of its events; there the reader begins, and stops before each of its loads that the rest of the writer's work can change; then
 * the writer goes on to any later event, and there the reader to its end; of all these a sample. Then turns in which both stop several
 * times.
 */
public final class NamespaceReaderTest {
    private static final long ROOT = Namespace.ROOT_ID;
    /** More than these of one writer and reader are sampled; enough for all of one operation. */
    private static final int OVERTAKINGS = Integer.getInteger("hmfs.overtakings", 3500);

    private static final int SAMPLES = Integer.getInteger("hmfs.samples", 300);

    private static final int SAMPLED = 12;

    /** A reader that has loaded so much waits for the writer. */
    private static final int LOADS_MAX = 2500;

    /** One operation of a writer. */
    interface Action {
        Status on(PoolNamespace namespace);
    }

    record Writer(String name, List<Action> steps) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static long d;
    private static long e;
    private static long s;

    private static SimPoolFile prepare() throws PoolException {
        SimPoolFile file = new SimPoolFile(16 << 10, 14);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace n = new PoolNamespace("sim", file, false);
        d = mkdir(n, ROOT, "d");
        e = mkdir(n, ROOT, "e");
        for (String name : List.of("dead1", "a", "dead2", "b", "c")) {
            ok(n.create(d, Name.of(name), 0600 + name.charAt(0) % 64, 0, 0, new Attributes()));
        }
        s = mkdir(n, d, "s");
        ok(n.create(e, Name.of("x"), 0640, 0, 0, new Attributes()));
        for (String name : List.of("dead1", "dead2")) {
            ok(n.delete(d, Name.of(name), new Attributes()));
        }
        n.close();
        return file.killed();
    }

    private static long mkdir(PoolNamespace n, long parent, String name) {
        Attributes out = new Attributes();
        ok(n.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private static Action rename(In from, String name, In to, String newName) {
        return n -> n.rename(from.id(), Name.of(name), to.id(), Name.of(newName), true, new Attributes());
    }

    private static Action create(In in, String name) {
        return n -> n.create(in.id(), Name.of(name), 0611, 0, 0, new Attributes());
    }

    private static Action delete(In in, String name) {
        return n -> n.delete(in.id(), Name.of(name), new Attributes());
    }

    private enum In {
        D,
        E;

        long id() {
            return this == D ? d : e;
        }
    }

    private static final Action SWEEP = n -> {
        n.sweep(d);
        return Status.OK;
    };

    private static Writer writer(String name, Action... steps) {
        return new Writer(name, List.of(steps));
    }

    static Stream<Writer> writers() {
        Attributes out = new Attributes();
        Action mkdir = n -> n.mkdir(d, Name.of("n"), 0711, 0, 0, out);
        Action rmdir = n -> n.rmdir(d, Name.of("s"));
        Action replace = rename(In.D, "a", In.D, "b");
        Action replaceBack = rename(In.D, "b", In.D, "a");
        return Stream.of(
                writer("create", create(In.D, "n")),
                writer("mkdir", mkdir),
                writer("delete", delete(In.D, "a")),
                writer("rmdir", rmdir),
                writer("rmdir, mkdir", rmdir, n -> n.mkdir(d, Name.of("s"), 0711, 0, 0, out)),
                writer("delete, create", delete(In.D, "a"), create(In.D, "a")),
                writer("rename", rename(In.D, "a", In.D, "n")),
                writer("rename across", rename(In.D, "a", In.E, "n")),
                writer("rename into", rename(In.E, "x", In.D, "n")),
                writer("rename there and back", rename(In.D, "a", In.D, "n"), rename(In.D, "n", In.D, "a")),
                writer("rename across and back", rename(In.D, "a", In.E, "n"), rename(In.E, "n", In.D, "a")),
                writer(
                        "rename on and on",
                        rename(In.D, "a", In.D, "n"),
                        rename(In.D, "n", In.D, "m"),
                        rename(In.D, "m", In.D, "l")),
                writer("rename, sweep, create", rename(In.D, "a", In.D, "n"), SWEEP, create(In.D, "a")),
                writer("rename, delete", rename(In.D, "a", In.D, "n"), delete(In.D, "n")),
                writer("replace", replace),
                writer("replace the older", replaceBack),
                writer("replace across", rename(In.D, "a", In.E, "x")),
                writer("replace from across", rename(In.E, "x", In.D, "a")),
                writer("replace and again", replace, rename(In.D, "c", In.D, "b")),
                writer("replace, delete, create", replace, delete(In.D, "b"), create(In.D, "b")),
                writer("replace, create, replace", replace, create(In.D, "a"), replace),
                writer("move", rename(In.D, "s", In.D, "n")),
                writer("move across", rename(In.D, "s", In.E, "n")),
                writer("move across and back", rename(In.D, "s", In.E, "n"), rename(In.E, "n", In.D, "s")),
                writer("sweep", SWEEP),
                writer("delete, sweep, create", delete(In.D, "b"), SWEEP, create(In.D, "b")));
    }

    private static List<Reader> readers() {
        List<Reader> readers = new ArrayList<>();
        for (String name : List.of("a", "b", "n", "s")) {
            readers.add(stat(d, name));
        }
        Attributes last = new Attributes();
        readers.add(new Reader.Stat("statAll b", n -> BatchedStat.of(n, d, Name.of("b"), last), last));
        readers.add(stat(e, "n"));
        readers.add(stat(e, "x"));
        Attributes out = new Attributes();
        readers.add(new Reader.Stat("stat of directory s", n -> n.statDirectory(s, out), out));
        readers.add(new Reader.Listing(d, Integer.MAX_VALUE));
        readers.add(new Reader.Listing(d, 1));
        readers.add(new Reader.Listing(e, Integer.MAX_VALUE));
        readers.add(new Reader.Listing(s, Integer.MAX_VALUE));
        readers.add(new Reader.Counting(d));
        return readers;
    }

    private static Reader stat(long directory, String name) {
        Attributes out = new Attributes();
        return new Reader.Stat("stat " + name, n -> n.stat(directory, Name.of(name), out), out);
    }

    /** What happens while a reader reads. */
    private static final class Race {
        final SimPoolFile file;
        final PoolNamespace namespace;
        final Stepper stepper;
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();

        Race(SimPoolFile prepared, Stepper stepper, Writer writer) {
            this.file = prepared.killed();
            this.namespace = new PoolNamespace("sim", file, false);
            this.stepper = stepper;
            file.pmem().beforeEachEvent(stepper::event);
            stepper.begin(() -> writer.steps().forEach(step -> {
                begun.incrementAndGet();
                ok(step.on(namespace));
                ended.incrementAndGet();
            }));
        }

        /** Reads; before its loads the hook is called with their number. */
        void read(Reader reader, List<List<String>> states, IntConsumer beforeLoad) {
            SimPmem pmem = file.pmem();
            Thread me = Thread.currentThread();
            int from = ended.get();
            int[] loads = {0};
            pmem.beforeEachLoad(() -> {
                if (Thread.currentThread().equals(me)) {
                    int load = loads[0]++;
                    beforeLoad.accept(load);
                    if (load == LOADS_MAX) {
                        stepper.finish();
                    }
                }
            });
            List<String> answer = reader.read(namespace);
            pmem.beforeEachLoad(null);
            reader.check(answer, states.subList(from, begun.get() + 1));
        }
    }

    /** What the reader says before and after each operation of the writer, and how many events the writer has. */
    private static List<List<String>> states(SimPoolFile prepared, Writer writer, Reader reader) {
        SimPoolFile file = prepared.killed();
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        List<List<String>> states = new ArrayList<>();
        states.add(reader.read(namespace));
        for (Action step : writer.steps()) {
            ok(step.on(namespace));
            states.add(reader.read(namespace));
        }
        return states;
    }

    /** The words, by their offsets, that each event of the writer changes. */
    private static List<Set<Long>> changes(SimPoolFile prepared, Writer writer) {
        SimPoolFile file = prepared.killed();
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        List<Set<Long>> events = new ArrayList<>();
        file.pmem().beforeEachEvent(() -> events.add(new HashSet<>()));
        file.pmem().afterEachChangeOf(word -> events.getLast().add(word));
        writer.steps().forEach(step -> ok(step.on(namespace)));
        return events;
    }

    /** A reader that begins before one event, and before one of its loads sees the writer come to another event. */
    private record Overtaking(int begin, int load, int end) {}

    @ParameterizedTest
    @MethodSource("writers")
    void whereverItIsOvertaken(Writer writer) throws PoolException {
        SimPoolFile prepared = prepare();
        List<Set<Long>> changes = changes(prepared, writer);
        int overtakings = 0;
        int runs = 0;
        Sample part = new Sample(SAMPLED, writer.name());
        try (Stepper stepper = new Stepper()) {
            for (Reader reader : readers()) {
                List<List<String>> states = states(prepared, writer, reader);
                List<Overtaking> all = overtakings(prepared, stepper, writer, reader, changes);
                Collections.shuffle(all, new Random(5));
                for (Overtaking each : all.subList(0, Math.min(all.size(), OVERTAKINGS))) {
                    overtakings++;
                    if (!part.takes()) {
                        continue;
                    }
                    Race race = new Race(prepared, stepper, writer);
                    stepper.runTo(each.begin());
                    try {
                        race.read(reader, states, load -> {
                            if (load == each.load()) {
                                stepper.runTo(each.end());
                            }
                        });
                    } catch (AssertionError failed) {
                        fail(reader + " " + each, failed);
                    }
                    stepper.finish();
                    runs++;
                }
            }
        }
        assertTrue(runs >= overtakings / SAMPLED, "runs: " + runs);
        assertTrue(overtakings > changes.size(), "overtakings: " + overtakings);
    }

    /** All that can make a difference to the reader: the word that it is about to load has changed since it began. */
    private static List<Overtaking> overtakings(
            SimPoolFile prepared, Stepper stepper, Writer writer, Reader reader, List<Set<Long>> changes) {
        List<List<Long>> loads = new ArrayList<>();
        Set<Long> loaded = new HashSet<>();
        for (int begin = 0; begin < changes.size(); begin++) {
            loads.add(loads(new Race(prepared, stepper, writer), begin, reader));
            loaded.addAll(loads.getLast());
        }
        List<Overtaking> all = new ArrayList<>();
        for (int begin = 0; begin < changes.size(); begin++) {
            if (begin > 0 && Collections.disjoint(changes.get(begin - 1), loaded)) {
                continue; // it sees what it saw an event before
            }
            Set<Long> changed = new HashSet<>();
            for (int end = begin; end <= changes.size(); end++) {
                if (end == begin) {
                    all.add(new Overtaking(begin, -1, end));
                } else if (changed.addAll(changes.get(end - 1))
                        || !Collections.disjoint(changes.get(end - 1), loaded)) {
                    List<Long> words = loads.get(begin);
                    for (int load = 0; load < words.size(); load++) {
                        if (changed.contains(words.get(load))) {
                            all.add(new Overtaking(begin, load, end));
                        }
                    }
                }
            }
        }
        return all;
    }

    /** The words that a reader loads that begins before this event. */
    private static List<Long> loads(Race race, int event, Reader reader) {
        race.stepper.runTo(event);
        List<Long> loads = new ArrayList<>();
        SimPmem pmem = race.file.pmem();
        Thread me = Thread.currentThread();
        pmem.beforeEachLoadOf(word -> {
            if (Thread.currentThread().equals(me)) {
                loads.add(word);
                if (loads.size() == LOADS_MAX) {
                    race.stepper.finish();
                }
            }
        });
        reader.read(race.namespace);
        pmem.beforeEachLoadOf(null);
        race.stepper.finish();
        return loads.subList(0, Math.min(loads.size(), LOADS_MAX / 8));
    }

    /** Both stop again and again. */
    @ParameterizedTest
    @MethodSource("writers")
    void inTurns(Writer writer) throws PoolException {
        SimPoolFile prepared = prepare();
        int events = changes(prepared, writer).size();
        Sample part = new Sample(SAMPLED, writer.name());
        try (Stepper stepper = new Stepper()) {
            for (Reader reader : readers()) {
                List<List<String>> states = states(prepared, writer, reader);
                for (int sample = 0; sample < SAMPLES; sample++) {
                    if (!part.takes()) {
                        continue;
                    }
                    Random random = new Random(sample);
                    Race race = new Race(prepared, stepper, writer);
                    int[] at = {random.nextInt(events)};
                    stepper.runTo(at[0]);
                    List<String> story = new ArrayList<>(List.of("begins before event " + at[0]));
                    int every = 2 + random.nextInt(20);
                    try {
                        race.read(reader, states, load -> {
                            if (random.nextInt(every) == 0) {
                                at[0] += 1 + random.nextInt(10);
                                stepper.runTo(at[0]);
                                story.add("before load " + load + " the writer comes to event " + at[0]);
                            }
                        });
                    } catch (AssertionError failed) {
                        fail(reader + " " + story, failed);
                    }
                    stepper.finish();
                }
            }
        }
    }
}
