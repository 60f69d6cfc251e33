package io.hmfs.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** How long each step of a start took, in their order. */
final class StartSteps {
    private final SequencedMap<String, Long> nanos = new LinkedHashMap<>();
    private long last = System.nanoTime();

    /** A step ends now. */
    void ended(String step) {
        long now = System.nanoTime();
        nanos.merge(step, now - last, Long::sum);
        last = now;
    }

    Map<String, Long> nanos() {
        return new LinkedHashMap<>(nanos);
    }
}
