package io.hmfs.bench.net;

import io.hmfs.bench.net.Comparison.Probe;
import java.io.IOException;

/** A load, and what each of its requests costs the processor of the server that it goes to. */
final class Costed {
    /** How long a server's threads have run, in nanoseconds. */
    @FunctionalInterface
    interface ProcessorTime {
        long nanos() throws IOException;
    }

    private final Probe load;
    private final ProcessorTime server;
    private double micros;

    /** {@code load} gives requests per second. */
    Costed(Probe load, ProcessorTime server) {
        this.load = load;
        this.server = server;
    }

    double perSecond() throws IOException, InterruptedException {
        long before = server.nanos();
        long begun = System.nanoTime();
        double rate = load.run();
        double requests = rate * (System.nanoTime() - begun) / 1e9;
        micros = (server.nanos() - before) / 1e3 / requests;
        return rate;
    }

    /** Microseconds of the server's processor for each request of the last load; that of all its threads. */
    double processorMicros() {
        return micros;
    }
}
