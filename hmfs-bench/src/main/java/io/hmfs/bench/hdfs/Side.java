package io.hmfs.bench.hdfs;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/** One of the two filesystems, with its servers in JVMs of their own. */
public abstract class Side implements AutoCloseable {
    private static final int MAKERS = 64;

    private final String name;
    private @Nullable Configuration conf;
    private @Nullable String way;

    Side(String name) {
        this.name = name;
    }

    /** As figures are called by. */
    public final String name() {
        return name;
    }

    /** Of its root, without the slash. */
    abstract String uri();

    /** Clients that are made from now on ask over such links. */
    final void through(Links links) throws IOException {
        URI straight = URI.create(uri());
        way = straight.getScheme() + "://" + straight.getHost() + ":" + links.to(straight.getPort());
    }

    /** Of its root, where clients ask. */
    private String way() {
        return way == null ? uri() : way;
    }

    /** The class of the shell that its users have. */
    abstract String shell();

    /** What a client has to be told, by name and value; all else is the default. */
    abstract List<String> settings();

    /** Settings of a client whose default filesystem this is; a copy of its own. */
    final Configuration conf() {
        return new Configuration(shared());
    }

    /** The filesystem that all parts share, as programs do. */
    final FileSystem files() throws IOException {
        return FileSystem.get(URI.create(way()), shared());
    }

    /** Read from its files once. */
    private synchronized Configuration shared() {
        if (conf == null) {
            conf = new Configuration();
            conf.set("fs.defaultFS", way());
            List<String> settings = settings();
            for (int i = 0; i < settings.size(); i += 2) {
                conf.set(settings.get(i), settings.get(i + 1));
            }
        }
        return conf;
    }

    /** An absolute path here. */
    final Path path(String path) {
        return new Path(way() + path);
    }

    /** Makes an empty file in a directory that is there; by many threads at once, each with a number of its own below {@link #MAKERS}. */
    abstract void make(String path, int thread) throws IOException;

    /** Makes empty files, so many in each directory, by many threads. The path of a directory is {@code path} and its number. */
    final void tree(String path, int number, int ofDirectory) throws IOException, InterruptedException {
        int directories = (number + ofDirectory - 1) / ofDirectory;
        each(MAKERS, thread -> {
            for (int i = thread; i < directories; i += MAKERS) {
                String directory = path + i;
                files().mkdirs(path(directory));
                int last = Math.min(number, (i + 1) * ofDirectory);
                for (int file = i * ofDirectory; file < last; file++) {
                    make(directory + "/part-" + file, thread);
                }
            }
        });
    }

    interface Body {
        void run(int thread) throws Exception;
    }

    /** Runs it in so many threads, each with its number. */
    static void each(int threads, Body body) throws IOException, InterruptedException {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                Callable<Void> task = () -> {
                    body.run(thread);
                    return null;
                };
                all.add(executor.submit(task));
            }
            try {
                for (Future<?> one : all) {
                    one.get();
                }
            } catch (ExecutionException e) {
                executor.shutdownNow();
                throw new IOException(e.getCause());
            }
        }
    }

    @Override
    public abstract void close() throws IOException;
}
