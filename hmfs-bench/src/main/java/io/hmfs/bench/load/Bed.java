package io.hmfs.bench.load;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** An open pool to measure on, and what one thread needs to work on it. */
final class Bed implements AutoCloseable {
    static final int FILE_MODE = 0644;
    static final int DIRECTORY_MODE = 0755;

    final ServerNamespace namespace;

    Bed(ServerNamespace namespace) {
        this.namespace = namespace;
    }

    /** A new pool with room for so many files with names of so many bytes. */
    static Bed make(Path pool, long files, int nameLength, Persistence mode) throws IOException {
        long perLongName = nameLength > 64 ? 192 : 0;
        Hmfs.format(pool, new FormatOptions(PoolSize.of(files) + files * perLongName, Backing.MAPPED, true));
        return new Bed(Hmfs.openForServer(pool, new OpenOptions(mode, mode == Persistence.PMEM)));
    }

    /** A directory of the root. */
    long directory(String name) {
        Attributes out = new Attributes();
        Status status = namespace.mkdir(Namespace.ROOT_ID, Name.of(name), DIRECTORY_MODE, 0, 0, out);
        require(status);
        return out.id;
    }

    static void require(Status status) {
        if (status != Status.OK) {
            throw new IllegalStateException("an operation was answered " + status);
        }
    }

    @Override
    public void close() {
        namespace.close();
    }

    /** How names are made of numbers. */
    enum Names {
        /** Digits of the number: neighbours differ at their end. */
        COUNTED,
        /** Digits of a scattered number: neighbours differ from their beginning. */
        SCATTERED
    }

    /** One thread's names and buffers; nothing is allocated between two calls. */
    static final class Hand {
        private static final long SCATTER = 0x9E3779B97F4A7C15L;
        private static final int DIGITS = 16;

        final Name name = new Name();
        final Name other = new Name();
        final Attributes out = new Attributes();
        private final byte[] bytes;
        private final Names names;

        Hand(int nameLength, Names names) {
            this.bytes = "x".repeat(nameLength).getBytes(StandardCharsets.US_ASCII);
            this.names = names;
        }

        Hand() {
            this(DIGITS, Names.SCATTERED);
        }

        /** The name of a number; its digits stand at the end of a longer name. */
        Name name(long number) {
            return fill(name, number);
        }

        /** The same in the other buffer. */
        Name other(long number) {
            return fill(other, number);
        }

        private Name fill(Name into, long number) {
            long rest = names == Names.COUNTED ? number : (number + 1) * SCATTER;
            for (int i = bytes.length - 1; i >= bytes.length - DIGITS; i--) {
                bytes[i] = (byte) "0123456789abcdef".charAt((int) rest & 15);
                rest >>>= 4;
            }
            into.set(bytes, 0, bytes.length);
            return into;
        }
    }

    /** Runs so many steps on each of some threads at once; each gets numbers of its own. Operations per second. */
    static double run(int threads, long steps, Work work, Latencies[] latencies, int sampleEvery)
            throws InterruptedException {
        Thread[] all = new Thread[threads];
        Throwable[] failed = new Throwable[1];
        long start = System.nanoTime();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            all[t] = Thread.ofPlatform().start(() -> {
                try {
                    loop(work.of(thread), steps, latencies[thread], sampleEvery);
                } catch (RuntimeException | Error e) {
                    failed[0] = e;
                }
            });
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (failed[0] != null) {
            throw new IllegalStateException("a measuring thread failed", failed[0]);
        }
        return threads * steps * 1e9 / (System.nanoTime() - start);
    }

    private static void loop(LongConsumer step, long steps, Latencies latencies, int sampleEvery) {
        for (long i = 0; i < steps; i++) {
            if (i % sampleEvery == 0) {
                long before = System.nanoTime();
                step.accept(i);
                latencies.add(System.nanoTime() - before);
            } else {
                step.accept(i);
            }
        }
    }

    /** What a thread does, by its number. */
    interface Work {
        LongConsumer of(int thread);
    }
}
