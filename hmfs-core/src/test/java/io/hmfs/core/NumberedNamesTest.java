package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: what is changed by another name of a file speaks for no numbered change that a power failure has cut off. Method: the numbered
 * change stops before each of its events, and the other one runs until it ends or waits for it; images of that moment are opened, and what
 * the record says must be there.
 */
final class NumberedNamesTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final Name ONE = Name.of("one");
    private static final Name TWO = Name.of("two");
    private static final int IMAGES = 64;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // a thread that is ended in the middle is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    record Pair(
            String name,
            NamespaceCrashTest.Action numbered,
            Predicate<Namespace> isThere,
            NamespaceCrashTest.Action other) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Pair> pairs() {
        NamespaceCrashTest.Action set = n -> n.setXattr(ROOT, TWO, Name.of("user.a"), new byte[1], XattrMode.CREATE);
        NamespaceCrashTest.Action setOther =
                n -> n.setXattr(ROOT, ONE, Name.of("user.b"), new byte[1], XattrMode.CREATE);
        NamespaceCrashTest.Action chmod = n -> n.chmod(ROOT, TWO, 0640);
        NamespaceCrashTest.Action times = n -> n.setTimes(ROOT, TWO, 77, 66);
        return Stream.of(
                new Pair("attribute, mode", set, NumberedNamesTest::hasAttribute, n -> n.chmod(ROOT, ONE, 0604)),
                new Pair("attribute, attribute", set, NumberedNamesTest::hasAttribute, setOther),
                new Pair("mode, attribute", chmod, n -> of(n).mode == 0640, setOther),
                new Pair("mode, times", chmod, n -> of(n).mode == 0640, n -> n.setTimes(ROOT, ONE, 5, 6)),
                new Pair("times, mode", times, n -> of(n).atimeNanos == 66, n -> n.chmod(ROOT, ONE, 0604)));
    }

    private static Attributes of(Namespace n) {
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.stat(ROOT, ONE, out));
        return out;
    }

    private static boolean hasAttribute(Namespace n) {
        List<Name> names = new ArrayList<>();
        assertEquals(Status.OK, n.listXattrs(ROOT, ONE, names));
        return names.toString().contains("user.a");
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void whatAnotherNameChangesSpeaksForNoRecord(Pair pair) {
        int[] seen = new int[2];
        try (Stepper numbered = new Stepper();
                Stepper other = new Stepper()) {
            boolean ends = false;
            for (int stop = 1; !ends; stop++) {
                SimPoolFile file = NumberedCases.prepare();
                SimPmem pmem = file.pmem();
                PoolNamespace n = NumberedCases.open(file);
                pmem.beforeEachEvent(() -> {
                    numbered.event();
                    other.event();
                });
                pmem.beforeEachLoad(() -> {
                    numbered.load();
                    other.load();
                });
                numbered.begin(() -> NumberedCases.numbered(n, pair.numbered));
                numbered.runTo(stop);
                ends = numbered.isDone();
                other.begin(() -> pair.other.on(n));
                other.finish();
                pmem.images(IMAGES, stop, image -> {
                    PoolNamespace next = NumberedCases.open(file.crashed(image));
                    boolean told = !NumberedCases.read(next).isEmpty();
                    assertEquals(told, pair.isThere.test(next), () -> "image " + image);
                    seen[told ? 1 : 0]++;
                });
                Stepper.killAll(new Stepper[] {numbered, other}, n, pmem);
            }
        }
        assertTrue(seen[0] > 0 && seen[1] > 0, "both were met");
    }
}
