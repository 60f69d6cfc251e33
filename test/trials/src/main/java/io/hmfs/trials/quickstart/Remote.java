package io.hmfs.trials.quickstart;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The server's files through Hadoop's {@link FileSystem}: an instance of its own, not the cached one. */
final class Remote implements AutoCloseable {
    private static final int THREADS = 4;

    private final FileSystem files;

    Remote(String uri) throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.defaultFS", uri);
        files = FileSystem.newInstance(URI.create(uri), conf);
    }

    FileSystem files() {
        return files;
    }

    /** Everything under a directory, that directory included. */
    Expected.Listing list(String top) throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        TreeSet<String> directories = new TreeSet<>();
        List<Path> pending = new ArrayList<>(List.of(new Path(top)));
        while (!pending.isEmpty()) {
            Path directory = pending.removeLast();
            directories.add(directory.toUri().getPath());
            for (FileStatus status : files.listStatus(directory)) {
                if (status.isDirectory()) {
                    pending.add(status.getPath());
                } else {
                    sizes.put(status.getPath().toUri().getPath(), status.getLen());
                }
            }
        }
        return new Expected.Listing(sizes, directories);
    }

    String sha256(String path) throws IOException {
        try (InputStream in = files.open(new Path(path))) {
            return Digests.of(in);
        }
    }

    /** Reads every file and compares its checksum; fails with the first that differs. Returns the number of files. */
    long compareBytes(Map<String, Expected.Content> expected, Steps steps) throws Exception {
        AtomicLong done = new AtomicLong();
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> futures = new ArrayList<>();
            for (Map.Entry<String, Expected.Content> file : expected.entrySet()) {
                futures.add(pool.submit(() -> {
                    String actual = sha256(file.getKey());
                    if (!actual.equals(file.getValue().sha256())) {
                        throw new StepException(file.getKey() + " reads back with SHA-256 " + actual + " instead of "
                                + file.getValue().sha256());
                    }
                    steps.progress(done.incrementAndGet(), expected.size());
                    return null;
                }));
            }
            try {
                for (Future<?> future : futures) {
                    future.get();
                }
            } catch (ExecutionException e) {
                pool.shutdownNow();
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
        return done.get();
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
