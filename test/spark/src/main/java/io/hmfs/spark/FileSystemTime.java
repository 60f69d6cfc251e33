package io.hmfs.spark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.RemoteIterator;

/** What all threads have spent in the filesystem, and what of it they had a processor: driver and tasks are threads of one JVM here. */
final class FileSystemTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final LongAdder NANOS = new LongAdder();
    private static final LongAdder PROCESSOR_NANOS = new LongAdder();

    interface Call<T> {
        T get() throws IOException;
    }

    private FileSystemTime() {}

    static long nanos() {
        return NANOS.sum();
    }

    static long processorNanos() {
        return PROCESSOR_NANOS.sum();
    }

    static <T> T of(Call<T> call) throws IOException {
        long processor = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        try {
            return call.get();
        } finally {
            NANOS.add(System.nanoTime() - start);
            PROCESSOR_NANOS.add(THREADS.getCurrentThreadCpuTime() - processor);
        }
    }

    static <T> RemoteIterator<T> ofEach(RemoteIterator<T> each) {
        return new RemoteIterator<>() {
            @Override
            public boolean hasNext() throws IOException {
                return of(each::hasNext);
            }

            @Override
            public T next() throws IOException {
                return of(each::next);
            }
        };
    }
}
