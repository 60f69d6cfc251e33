package io.hmfs.hadoop.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.hadoop.fs.FSDataInputStream;
import org.jspecify.annotations.Nullable;

/** Reads the blocks of one file from {@link BlockFiles}; keeps the block it read last open. */
final class HadoopDataReader implements DataReader {
    private final BlockFiles files;
    private final long inode;
    private final Executor executor;
    private final Object opening = new Object();
    private @Nullable OpenBlock last; // guarded by opening
    private boolean closed; // guarded by opening

    /** An open block with the number of its users, the last of which closes it. */
    private static final class OpenBlock {
        final long block;
        final FSDataInputStream in;
        int users = 1; // guarded by opening; one is the reader itself while this is its last block

        OpenBlock(long block, FSDataInputStream in) {
            this.block = block;
            this.in = in;
        }
    }

    HadoopDataReader(BlockFiles files, long inode, Executor executor) {
        this.files = files;
        this.inode = inode;
        this.executor = executor;
    }

    @Override
    public CompletableFuture<Integer> read(long block, long offset, byte[] target, int targetOffset, int length) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return readNow(block, offset, target, targetOffset, length);
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                executor);
    }

    private int readNow(long block, long offset, byte[] target, int targetOffset, int length) throws IOException {
        OpenBlock open;
        try {
            open = acquire(block);
        } catch (FileNotFoundException e) {
            return -1; // a hole, or a file that is gone: the caller finds out which
        }
        try {
            int done = 0;
            while (done < length) {
                int count = open.in.read(offset + done, target, targetOffset + done, length - done);
                if (count <= 0) {
                    break;
                }
                done += count;
            }
            return done;
        } finally {
            release(open);
        }
    }

    private OpenBlock acquire(long block) throws IOException {
        synchronized (opening) {
            if (closed) {
                throw new IOException("Stream is closed!");
            }
            if (last != null && last.block == block) {
                last.users++;
                return last;
            }
            OpenBlock fresh = new OpenBlock(block, files.open(files.nameOf(inode, block)));
            fresh.users++;
            OpenBlock previous = last;
            last = fresh;
            if (previous != null) {
                release(previous);
            }
            return fresh;
        }
    }

    private void release(OpenBlock open) throws IOException {
        synchronized (opening) {
            if (--open.users == 0) {
                open.in.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (opening) {
            closed = true;
            OpenBlock previous = last;
            last = null;
            if (previous != null) {
                release(previous);
            }
        }
    }
}
