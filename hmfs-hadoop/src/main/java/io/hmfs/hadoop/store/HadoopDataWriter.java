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
 * Writes one file's objects to {@link HadoopDataStore}, in the caller's thread. A block that is published before it is full is
 * written again, whole, when more bytes come: objects of such stores cannot be changed.
 */
final class HadoopDataWriter implements DataWriter {
    private static final Logger LOG = LoggerFactory.getLogger(HadoopDataWriter.class);
    private static final int COPY_BUFFER = 64 * 1024;

    private final HadoopDataStore store;
    private final long inode;
    private long position;
    private final Set<Path> unsynced = new LinkedHashSet<>(); // finished, not on the disk for sure
    private @Nullable Draft draft;

    /** The block being written. */
    private record Draft(Path name, Path object, FSDataOutputStream out) {}

    HadoopDataWriter(HadoopDataStore store, long inode, long position) {
        this.store = store;
        this.inode = inode;
        this.position = position;
    }

    @Override
    public CompletableFuture<Void> write(byte[] source, int sourceOffset, int length) {
        try {
            Draft open = draft;
            if (open == null) {
                open = begin();
            }
            open.out.write(source, sourceOffset, length);
            position += length;
            if (position % store.blockSize() == 0) {
                finish(open, false);
            }
            return CompletableFuture.completedFuture(null);
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Draft begin() throws IOException {
        Path object = store.nameOf(inode, position / store.blockSize());
        long kept = position % store.blockSize();
        Path name = store.draftOf(object);
        Draft begun = new Draft(name, object, store.create(name));
        draft = begun;
        if (kept > 0) { // the old object is still there, in place too: it gives way when the draft is closed
            copyStart(object, kept, begun.out);
        }
        return begun;
    }

    private void copyStart(Path object, long length, FSDataOutputStream out) throws IOException {
        byte[] buffer = new byte[COPY_BUFFER];
        long done = 0;
        try (FSDataInputStream in = store.open(object)) {
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

    private void finish(Draft open, boolean durable) throws IOException {
        boolean canSync = open.out.hasCapability(StreamCapabilities.HSYNC);
        if (durable && canSync) {
            open.out.hsync();
        }
        open.out.close();
        store.finish(open.name, open.object);
        draft = null;
        if (!durable && canSync) {
            unsynced.add(open.object);
        }
    }

    @Override
    public void publish(boolean durable) throws IOException {
        Draft open = draft;
        if (open != null) {
            finish(open, durable);
        }
        if (durable) {
            for (Path object : unsynced) {
                store.sync(object);
            }
            unsynced.clear();
        }
    }

    @Override
    public void abort() {
        Draft open = draft;
        draft = null;
        if (open == null) {
            return;
        }
        try {
            if (store.inPlace()) {
                open.out.abort(); // an object store forgets an upload that was never closed
                return;
            }
            open.out.close();
            store.drop(open.name);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("Leaving {} behind", open.name, e);
        }
    }
}
