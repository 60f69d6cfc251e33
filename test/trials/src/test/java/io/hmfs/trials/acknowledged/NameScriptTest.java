package io.hmfs.trials.acknowledged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Goal: the check accepts what a server may have after its death, and nothing else. Method: names as a server with and without faults would have them. */
final class NameScriptTest {
    private static final NameScript SCRIPT = new NameScript(3);

    @Test
    void whatWasAcknowledgedAndOneMoreOperationAreAccepted() {
        for (long steps = 0; steps < 40; steps++) {
            assertNull(SCRIPT.difference(steps, SCRIPT.after(steps)), "after " + steps);
            assertNull(SCRIPT.difference(steps, SCRIPT.after(steps + 1)), "after " + steps + " and one more");
        }
    }

    @Test
    void lostOperationsAreFound() {
        for (long steps = 1; steps < 40; steps++) {
            assertNotNull(SCRIPT.difference(steps, SCRIPT.after(steps - 1)), "one lost after " + steps);
            assertNotNull(SCRIPT.difference(steps, SCRIPT.after(steps + 2)), "two more after " + steps);
        }
    }

    @Test
    void eachNameThatIsMissingOrTooMuchIsFound() {
        long steps = 36;
        for (String name : SCRIPT.after(steps)) {
            Set<String> less = new TreeSet<>(SCRIPT.after(steps));
            less.remove(name);
            assertNotNull(SCRIPT.difference(steps, less), name);
        }
        Set<String> more = new TreeSet<>(SCRIPT.after(steps));
        more.add("d1/w03-00000001-b");
        assertEquals(
                "worker 3 after 36 acknowledged operations: missing 0 [], not expected 1 [d1/w03-00000001-b]",
                SCRIPT.difference(steps, more));
    }

    @Test
    void workersShareNoNames() {
        Set<String> others = new NameScript(4).after(90);
        assertNotEquals(Set.of(), others);
        others.retainAll(SCRIPT.after(90));
        assertEquals(Set.of(), others);
    }
}
