package io.hmfs.trials.quickstart;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;

/** Writes small files one after the other until the server dies; every file that was closed without an error must survive. */
final class WriterUnderKill implements AutoCloseable {
    private static final int WAIT_SECONDS = 60;
    private static final int JOIN_SECONDS = 90;

    private final Remote remote;
    private final String directory;
    private final Expected acknowledged = new Expected();
    private final CountDownLatch warm;
    private final Thread thread = new Thread(this::write, "writer-under-kill");
    private volatile boolean stop;
    private volatile String unfinished = "";

    /** Writes into {@code directory}; {@link #awaitFiles} returns after the first {@code files}. */
    WriterUnderKill(String uri, String directory, int files) throws IOException {
        this.remote = new Remote(uri);
        this.directory = directory;
        this.warm = new CountDownLatch(files);
        thread.setDaemon(true);
    }

    void start() throws IOException {
        remote.files().mkdirs(new Path(directory));
        thread.start();
    }

    void awaitFiles() throws InterruptedException, StepException {
        if (!warm.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
            throw new StepException(
                    "after " + WAIT_SECONDS + " s only " + acknowledged.fileCount() + " files were written");
        }
    }

    /** Ends the writing and returns the files whose close was answered. */
    Expected stop() throws InterruptedException {
        stop = true;
        thread.interrupt();
        thread.join(TimeUnit.SECONDS.toMillis(JOIN_SECONDS));
        return acknowledged;
    }

    /** The file that was being written when the writing ended. */
    String unfinished() {
        return unfinished;
    }

    @Override
    public void close() {
        try {
            remote.close();
        } catch (IOException e) {
            // its server is dead: there is nothing to close properly
        }
    }

    private void write() {
        try {
            for (int i = 0; !stop; i++) {
                String path = directory + "/file-" + i;
                unfinished = path;
                byte[] bytes = ("the content of " + path).getBytes(StandardCharsets.UTF_8);
                try (OutputStream out = remote.files().create(new Path(path), false)) {
                    out.write(bytes);
                }
                String sha256 = Digests.hex(updated(bytes));
                acknowledged.addFile(path, new Expected.Content(bytes.length, sha256));
                warm.countDown();
            }
        } catch (IOException e) {
            // the server was killed: what was answered until now is what counts
            stop = true;
        }
    }

    private static java.security.MessageDigest updated(byte[] bytes) {
        java.security.MessageDigest digest = Digests.sha256();
        digest.update(bytes);
        return digest;
    }
}
