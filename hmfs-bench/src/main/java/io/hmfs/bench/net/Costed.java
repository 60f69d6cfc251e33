package io.hmfs.bench.net;

import io.hmfs.bench.net.Comparison.Probe;
import java.io.IOException;
import java.util.function.LongSupplier;

/** A load, and what each of its requests costs the processor of the server that it goes to. */
final class Costed {
    private final Probe load;
    private final LongSupplier server;
    private double micros;

    /** {@code load} gives requests per second, {@code server} for how many nanoseconds the server's threads have run. */
    Costed(Probe load, LongSupplier server) {
        this.load = load;
        this.server = server;
    }

    double perSecond() throws IOException, InterruptedException {
        long before = server.getAsLong();
        long begun = System.nanoTime();
        double rate = load.run();
        double requests = rate * (System.nanoTime() - begun) / 1e9;
        micros = (server.getAsLong() - before) / 1e3 / requests;
        return rate;
    }

    /** Microseconds of the server's processor for each request of the last load; that of all its threads. */
    double processorMicros() {
        return micros;
    }
}
