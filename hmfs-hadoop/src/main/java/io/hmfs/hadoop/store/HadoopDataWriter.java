package io.hmfs.hadoop.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the blocks of one file to {@link BlockFiles}, in the caller's thread. A block that is published before it is
 * full is written again, whole, when more bytes come: files of object stores cannot be changed.
 */
final class HadoopDataWriter implements DataWriter {
    private static final Logger LOG = LoggerFactory.getLogger(HadoopDataWriter.class);
    private static final int COPY_BUFFER = 64 * 1024;

    private final BlockFiles files;
    private final long blockSize;
    private final long inode;
    private long position;
    private final Set<Path> unsynced = new LinkedHashSet<>(); // finished, not on the disk for sure
    private @Nullable Staging staging;

    /** The block being written. */
    private record Staging(Path name, Path object, FSDataOutputStream out) {}

    HadoopDataWriter(BlockFiles files, long blockSize, long inode, long position) {
        this.files = files;
        this.blockSize = blockSize;
        this.inode = inode;
        this.position = position;
    }

    @Override
    public CompletableFuture<Void> write(byte[] source, int sourceOffset, int length) {
        try {
            Staging open = staging;
            if (open == null) {
                open = begin();
            }
            open.out.write(source, sourceOffset, length);
            position += length;
            if (position % blockSize == 0) {
                finish(open, false);
            }
            return CompletableFuture.completedFuture(null);
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Staging begin() throws IOException {
        Path object = files.nameOf(inode, position / blockSize);
        long kept = position % blockSize;
        Path name = files.stagingOf(object);
        Staging begun = new Staging(name, object, files.create(name));
        staging = begun;
        if (kept > 0) { // the old object is still there, in place too: it gives way when the staging is closed
            copyStart(object, kept, begun.out);
        }
        return begun;
    }

    private void copyStart(Path object, long length, FSDataOutputStream out) throws IOException {
        byte[] buffer = new byte[COPY_BUFFER];
        long done = 0;
        try (FSDataInputStream in = files.open(object)) {
            while (done < length) {
                int count = in.read(buffer, 0, (int) Math.min(buffer.length, length - done));
                if (count < 0) {
                    break;
                }
                out.write(buffer, 0, count);
                done += count;
            }
        } catch (FileNotFoundException e) {
            LOG.debug("{} is a hole", object);
        }
        byte[] zeros = new byte[COPY_BUFFER];
        while (done < length) { // a hole below the new bytes
            int count = (int) Math.min(zeros.length, length - done);
            out.write(zeros, 0, count);
            done += count;
        }
    }

    private void finish(Staging open, boolean durable) throws IOException {
        boolean canSync = open.out.hasCapability(StreamCapabilities.HSYNC);
        if (durable && canSync) {
            open.out.hsync();
        }
        open.out.close();
        files.finish(open.name, open.object);
        staging = null;
        if (!durable && canSync) {
            unsynced.add(open.object);
        }
    }

    @Override
    public void publish(boolean durable) throws IOException {
        Staging open = staging;
        if (open != null) {
            finish(open, durable);
        }
        if (durable) {
            for (Path object : unsynced) {
                files.sync(object);
            }
            unsynced.clear();
        }
    }

    @Override
    public void abort() {
        Staging open = staging;
        staging = null;
        if (open == null) {
            return;
        }
        try {
            if (files.inPlace()) {
                open.out.abort(); // an object store forgets an upload that was never closed
                return;
            }
            open.out.close();
            files.drop(open.name);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("Leaving {} behind", open.name, e);
        }
    }
}
