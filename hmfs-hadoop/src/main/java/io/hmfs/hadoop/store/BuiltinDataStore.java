package io.hmfs.hadoop.store;

import io.hmfs.client.BlockChecksums;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.WriteVerifier;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.util.functional.FutureIO;
import org.jspecify.annotations.Nullable;

/** The store that the server keeps itself: data travels on the connection of the metadata. */
public final class BuiltinDataStore implements DataStore {
    private final ServerLink link;
    private final long blockSize;

    public BuiltinDataStore(ServerLink link) {
        this.link = link;
        this.blockSize = link.server().blockSize();
    }

    @Override
    public boolean dropsBlocksItself() {
        return true;
    }

    @Override
    public DataReader reader(long inode, GrantSource grants) {
        return new Reader(inode, grants);
    }

    @Override
    public DataWriter writer(long inode, long position, boolean isDense, GrantSource grants) {
        return new Writer(inode, position, isDense, grants);
    }

    @Override
    public void delete(long inode, long firstBlock, long endBlock) {
        // the server did so when it executed the operation that made the blocks superfluous
    }

    @Override
    public void close() {
        // the connection belongs to the filesystem
    }

    private final class Reader implements DataReader {
        private final long inode;
        private final GrantSource grants;

        Reader(long inode, GrantSource grants) {
            this.inode = inode;
            this.grants = grants;
        }

        @Override
        public CompletableFuture<Integer> read(long block, long offset, byte[] target, int targetOffset, int length) {
            return grants.with(
                    grant -> link.client().readBlockAsync(grant, inode, block, offset, target, targetOffset, length));
        }

        @Override
        public @Nullable StoredChecksums checksums() {
            return blockSize % BlockChecksums.CHUNK == 0 ? new Checksums() : null;
        }

        private final class Checksums implements StoredChecksums {
            @Override
            public long max() {
                return link.client().checksumsMax();
            }

            @Override
            public CompletableFuture<BlockChecksums> read(long block, long offset, long length) {
                return grants.with(grant -> link.client().readChecksumsAsync(grant, inode, block, offset, length));
            }
        }

        @Override
        public void close() {
            // nothing is held open
        }
    }

    private final class Writer implements DataWriter {
        private final long inode;
        private final GrantSource grants;
        private final WriteVerifier verifier = new WriteVerifier();
        private long position;
        private long unsyncedFrom;
        private long there; // up to here in the file the object in question is known to have its bytes

        Writer(long inode, long position, boolean isDense, GrantSource grants) {
            this.inode = inode;
            this.grants = grants;
            this.position = position;
            this.unsyncedFrom = position;
            this.there = isDense ? position : 0;
        }

        @Override
        public CompletableFuture<Void> write(byte[] source, int sourceOffset, int length) {
            long block = position / blockSize;
            long offset = position % blockSize;
            position += length;
            long known = Math.max(0, Math.min(there - block * blockSize, offset));
            return grants.with(grant -> link.client()
                    .writeBlockAsync(grant, inode, block, offset, source, sourceOffset, length, known, verifier));
        }

        @Override
        public void publish(boolean durable) throws IOException {
            if (!durable || unsyncedFrom == position) {
                return;
            }
            HmfsClient client = link.client();
            List<CompletableFuture<Void>> syncs = new ArrayList<>();
            for (long block = unsyncedFrom / blockSize; block <= (position - 1) / blockSize; block++) {
                long each = block;
                syncs.add(grants.with(grant -> client.syncBlockAsync(grant, inode, each)));
            }
            for (CompletableFuture<Void> sync : syncs) {
                FutureIO.awaitFuture(sync);
            }
            unsyncedFrom = position;
            there = position;
        }

        @Override
        public long takeVerifier() {
            return verifier.take();
        }

        @Override
        public void abort() {
            // bytes beyond the committed size are never read, and the next writer overwrites them
        }
    }
}
