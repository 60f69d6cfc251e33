package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PatienceTest {
    private final Patience patience = new Patience();

    /** Calls that do not try, until one does. */
    private int pause() {
        int calls = 0;
        while (!patience.isWorthWhile()) {
            calls++;
        }
        return calls;
    }

    @Test
    void aWaitInVainMakesThePauseLonger() {
        assertEquals(0, pause());
        for (int expected : new int[] {1, 3, 7, 15, 31, 63, 127, 255, 255}) {
            patience.learn(false);
            assertEquals(expected, pause());
            assertEquals(0, pause(), "a pause ends once");
        }
    }

    @Test
    void aWaitThatWasNotMakesTheNextPauseShorter() {
        for (int i = 0; i < 5; i++) {
            patience.learn(false);
        }
        assertEquals(31, pause());
        patience.learn(true); // 15
        patience.learn(true); // 7
        assertEquals(0, pause());
        patience.learn(false);
        assertEquals(15, pause());
        for (int i = 0; i < 4; i++) {
            patience.learn(true);
        }
        patience.learn(false);
        assertEquals(1, pause());
    }
}
