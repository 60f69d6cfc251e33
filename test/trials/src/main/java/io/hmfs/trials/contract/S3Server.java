package io.hmfs.trials.contract;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** versitygw: an S3 server that keeps each object as a file, in a process of its own, with one bucket. */
final class S3Server implements AutoCloseable {
    private static final String BUCKET = "blocks";
    private static final String KEY = "hmfs-contract";
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;

    private final Process process;
    private final Path bucket;
    private final int port;

    /**
     * Starts it, and waits until it takes connections.
     *
     * @param program of versitygw
     * @param directory a new one, where the objects go
     */
    S3Server(Path program, Path directory, Path log) throws IOException, InterruptedException {
        bucket = Files.createDirectories(directory.resolve(BUCKET));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        process = new ProcessBuilder(
                        program.toString(),
                        "--port",
                        "127.0.0.1:" + port,
                        "--access",
                        KEY,
                        "--secret",
                        KEY,
                        "posix",
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (process.isAlive() && System.nanoTime() < deadline) {
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (ConnectException e) {
                process.waitFor(50, TimeUnit.MILLISECONDS);
            }
        }
        close();
        throw new IOException("versitygw did not start: " + Files.readString(log));
    }

    /** For {@code --data-store}. */
    String uri() {
        return "s3a://" + BUCKET + "/";
    }

    /** What S3A must know of it. */
    String[] settings() {
        return new String[] {
            "fs.s3a.endpoint",
            "http://127.0.0.1:" + port,
            "fs.s3a.endpoint.region",
            "us-east-1",
            "fs.s3a.path.style.access",
            "true",
            "fs.s3a.connection.ssl.enabled",
            "false",
            "fs.s3a.access.key",
            KEY,
            "fs.s3a.secret.key",
            KEY
        };
    }

    /** Objects in the bucket, and parts of those that were not finished. */
    long objects() throws IOException {
        try (Stream<Path> all = Files.walk(bucket)) {
            return all.filter(Files::isRegularFile).count();
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
