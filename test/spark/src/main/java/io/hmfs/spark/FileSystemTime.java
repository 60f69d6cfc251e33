package io.hmfs.spark;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.RemoteIterator;

/** What all threads have spent in the filesystem: driver and tasks are threads of one JVM here. */
final class FileSystemTime {
    private static final LongAdder NANOS = new LongAdder();

    interface Call<T> {
        T get() throws IOException;
    }

    private FileSystemTime() {}

    static long nanos() {
        return NANOS.sum();
    }

    static <T> T of(Call<T> call) throws IOException {
        long start = System.nanoTime();
        try {
            return call.get();
        } finally {
            NANOS.add(System.nanoTime() - start);
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
