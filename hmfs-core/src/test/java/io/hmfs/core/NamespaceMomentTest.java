package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: of two changes of one object none is lost, whatever the one had read when the other came. Method: before each load and each
 * event of the one the other runs whole; or both stop at events, in threads of their own, and a reader comes by.
 */
public final class NamespaceMomentTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int MOMENTS_MAX = 2000;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Two operations on one pool, and what must be there after both. */
    record Pair(String name, Consumer<PoolNamespace> outer, Consumer<PoolNamespace> inner, String both) {
        @Override
        public String toString() {
            return name;
        }
    }

    private final Attributes out = new Attributes();

    @BeforeEach
    void hush() {
        ENGINE.setLevel(Level.OFF); // a death is an error within an operation
    }

    @AfterEach
    void speak() {
        ENGINE.setLevel(null);
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private static void set(PoolNamespace n, String attribute, int size) {
        ok(n.setXattr(ROOT, Name.of("x"), Name.of(attribute), Values.of(size, size), XattrMode.CREATE_OR_REPLACE));
    }

    private static long id(PoolNamespace n) {
        Attributes found = new Attributes();
        ok(n.stat(ROOT, Name.of("x"), found));
        return found.id;
    }

    static Stream<Pair> pairs() {
        Name x = Name.of("x");
        Consumer<PoolNamespace> chmod = n -> ok(n.chmod(ROOT, x, 0600));
        Consumer<PoolNamespace> chown = n -> ok(n.chown(ROOT, x, 7, 8));
        Consumer<PoolNamespace> append = n -> ok(n.append(ROOT, x, id(n), 100));
        Consumer<PoolNamespace> appendMore = n -> ok(n.append(ROOT, x, id(n), 200));
        return Stream.of(
                new Pair("chmod, chown", chmod, chown, "600 7:8 0"),
                new Pair("chown, chmod", chown, chmod, "600 7:8 0"),
                new Pair("append, append more", append, appendMore, "644 0:0 200"),
                new Pair("append, chmod", append, chmod, "600 0:0 100"),
                new Pair("set a, set b", n -> set(n, "user.a", 50), n -> set(n, "user.b", 60), "644 0:0 0 a b"),
                new Pair("set b, set a", n -> set(n, "user.b", 60), n -> set(n, "user.a", 50), "644 0:0 0 a b"));
    }

    private static String look(PoolNamespace n) {
        Attributes a = new Attributes();
        ok(n.stat(ROOT, Name.of("x"), a));
        StringBuilder text =
                new StringBuilder(Integer.toOctalString(a.mode) + " " + a.uid + ":" + a.gid + " " + a.size);
        List<Name> names = new ArrayList<>();
        ok(n.listXattrs(ROOT, Name.of("x"), names));
        names.stream()
                .map(name -> name.toString().replace("user.", " "))
                .sorted()
                .forEach(text::append);
        return text.toString();
    }

    public static SimPoolFile prepare(Consumer<ServerNamespace> fill) throws PoolException {
        SimPoolFile file = new SimPoolFile(32 << 10, 14);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace n = open(file);
        fill.accept(n);
        n.close();
        return file.killed();
    }

    public static void inAnotherThread(Runnable work) {
        FutureTask<Void> task = new FutureTask<>(work, null);
        Thread.ofPlatform().daemon().start(task);
        try {
            task.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** The number of moments at which the inner one came. */
    private static int atEachMoment(
            SimPoolFile prepared,
            Consumer<PoolNamespace> outer,
            Consumer<PoolNamespace> inner,
            Consumer<PoolNamespace> check) {
        for (int moment = 0; moment < MOMENTS_MAX; moment++) {
            SimPoolFile file = prepared.killed();
            PoolNamespace n = open(file);
            int[] left = {moment};
            Thread thread = Thread.currentThread();
            Runnable hook = () -> {
                boolean mine = Thread.currentThread().equals(thread);
                if (mine && left[0] >= 0 && !NamespaceInterleaveTest.holdsLatch() && left[0]-- == 0) {
                    inAnotherThread(() -> inner.accept(n)); // a thread has buffers of its own
                }
            };
            file.pmem().beforeEachEvent(hook);
            file.pmem().beforeEachLoad(hook);
            outer.accept(n);
            file.pmem().beforeEachEvent(null);
            file.pmem().beforeEachLoad(null);
            if (left[0] >= 0) {
                return moment;
            }
            try {
                check.accept(n);
            } catch (AssertionError e) {
                throw new AssertionError("moment " + moment + ": " + e.getMessage(), e);
            }
        }
        throw new AssertionError("an operation has no end");
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void noneOfTwoIsLost(Pair pair) throws PoolException {
        SimPoolFile prepared = prepare(n -> ok(n.create(ROOT, Name.of("x"), 0644, 0, 0, out)));
        int moments = atEachMoment(prepared, pair.outer(), pair.inner(), n -> assertEquals(pair.both(), look(n)));
        assertTrue(moments > 10, "moments: " + moments);
    }

    static Stream<Pair> units() {
        Name x = Name.of("x");
        return Stream.of(
                new Pair("truncate", n -> {}, n -> ok(n.truncate(ROOT, x, 77)), ""),
                new Pair("chmod", n -> {}, n -> ok(n.chmod(ROOT, x, 0600)), ""),
                new Pair("chown", n -> {}, n -> ok(n.chown(ROOT, x, 7, 8)), ""),
                new Pair(
                        "times",
                        n -> ok(n.setTimes(ROOT, x, 12345, Namespace.KEEP)),
                        n -> ok(n.setTimes(ROOT, x, 777, Namespace.KEEP)),
                        ""));
    }

    /** What changes with the time of change changes with it, for a thread that looks from outside. */
    @ParameterizedTest
    @MethodSource("units")
    void aReaderSeesAUnitChangeAtOnce(Pair unit) throws PoolException {
        SimPoolFile file = prepare(n -> {
            ok(n.create(ROOT, Name.of("x"), 0644, 0, 0, out));
            unit.outer().accept((PoolNamespace) n);
        });
        PoolNamespace n = open(file);
        List<String> seen = new ArrayList<>();
        Runnable look = () -> {
            Attributes a = new Attributes();
            ok(n.stat(ROOT, Name.of("x"), a));
            String state = a.size + " " + a.mode + " " + a.uid + " " + a.mtimeNanos + " " + a.ctimeNanos;
            if (seen.isEmpty() || !seen.getLast().equals(state)) {
                seen.add(state);
            }
        };
        look.run();
        Thread thread = Thread.currentThread();
        file.pmem().beforeEachEvent(() -> {
            if (Thread.currentThread().equals(thread)) {
                inAnotherThread(look);
            }
        });
        unit.inner().accept(n);
        file.pmem().beforeEachEvent(null);
        look.run();
        assertEquals(2, seen.size(), seen.toString());
    }

    /** Whether a process died that far into an operation. */
    public static boolean diesBefore(SimPoolFile file, int event, Consumer<ServerNamespace> operation) {
        PoolNamespace n = open(file);
        int[] left = {event};
        file.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        try {
            operation.accept(n);
            return false;
        } catch (Death e) {
            file.pmem().processDied();
            return true;
        } finally {
            file.pmem().beforeEachEvent(null);
        }
    }

    /** A name dies in flight, a sweep counts it, and another name goes at the same time. */
    @Test
    void aNameIsCountedOnce() throws PoolException {
        SimPoolFile prepared = prepare(n -> {
            ok(n.create(ROOT, Name.of("x"), 0644, 0, 0, out));
            ok(n.link(ROOT, Name.of("x"), ROOT, Name.of("y"), out));
            ok(n.link(ROOT, Name.of("x"), ROOT, Name.of("z"), out));
        });
        int deaths = 0;
        int moments = 0;
        for (boolean died = true; died; deaths++) {
            SimPoolFile file = prepared.killed();
            died = diesBefore(file, deaths, n -> n.delete(ROOT, Name.of("z"), out));
            int names = died && open(file.killed()).stat(ROOT, Name.of("z"), out) == Status.OK ? 2 : 1;
            moments += atEachMoment(
                    file.killed(), next -> next.sweep(ROOT), next -> ok(next.delete(ROOT, Name.of("y"), out)), next -> {
                        ok(next.stat(ROOT, Name.of("x"), out));
                        assertEquals(names, out.nlink);
                        next.scanInBackground();
                        assertEquals(List.of(), next.problems());
                    });
        }
        assertTrue(deaths > 5 && moments > 20, deaths + " deaths, " + moments + " moments");
    }

    /** Each takes its own mark off, not that of the other, whose change is not durable yet; and a reader shows no such change. */
    @Test
    void theMarkOfAnotherStays() throws PoolException {
        Name x = Name.of("x");
        SimPoolFile prepared = prepare(n -> ok(n.create(ROOT, x, 0644, 0, 0, out)));
        long id = id(open(prepared.killed()));
        Map<String, Consumer<PoolNamespace>> changes = Map.of(
                "chmod", n -> n.chmod(ROOT, x, 0600),
                "chown", n -> n.chown(ROOT, x, 7, 8),
                "append", n -> n.append(ROOT, x, id, 100),
                "append more", n -> n.append(ROOT, x, id, 200));
        for (List<String> two : List.of(
                List.of("chmod", "chown"),
                List.of("chown", "chmod"),
                List.of("append", "append more"),
                List.of("append more", "append"))) {
            int shown = 0;
            for (int first = 0; first < 8; first++) {
                for (int second = 0; second < 8; second++) {
                    SimPoolFile file = prepared.killed();
                    shown += bothThenAReader(
                            file,
                            Objects.requireNonNull(changes.get(two.getFirst())),
                            Objects.requireNonNull(changes.get(two.getLast())),
                            first,
                            second,
                            two.toString());
                }
            }
            assertTrue(shown > 5, two + " were shown half done " + shown + " times");
        }
    }

    private static int bothThenAReader(
            SimPoolFile file,
            Consumer<PoolNamespace> one,
            Consumer<PoolNamespace> other,
            int first,
            int second,
            String what) {
        PoolNamespace n = open(file);
        String before = look(n);
        try (Stepper a = new Stepper();
                Stepper b = new Stepper()) {
            file.pmem().beforeEachEvent(() -> {
                a.event();
                b.event();
            });
            a.begin(() -> one.accept(n));
            b.begin(() -> other.accept(n));
            a.runTo(first);
            b.runTo(second);
            a.finish();
            boolean half = !b.isDone();
            String seen = look(n);
            file.pmem().images(16, 1, image -> {
                String after = look(open(file.crashed(image)));
                assertEquals(seen, after, () -> what + " at events " + first + ", " + second + ", image " + image);
            });
            b.finish();
            file.pmem().beforeEachEvent(null);
            return half && !seen.equals(before) ? 1 : 0;
        }
    }
}
