package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for what another thread is about to do; a condition that never comes fails the test. */
public final class Await {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(250);
    private static final long PAUSE_MILLIS = 2;

    private Await() {}

    public static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                fail("not within 250 s: " + what);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
