package io.hmfs.server.data;

import io.hmfs.core.PoolStatus;
import io.hmfs.core.Records;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The data store that is the server's own, beside the pool, and what keeps it clean. */
public record BuiltinData(BlockStore store, Reaper reaper, OpenCuts cuts) implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(BuiltinData.class.getName());
    private static final int HANDLES_MAX = 512;

    public BuiltinData(BlockStore store, Reaper reaper) {
        this(store, reaper, new OpenCuts(store));
    }

    /**
     * Opens it, or makes it; {@code durable}: what was answered must survive the machine.
     *
     * @throws IOException also if the directory is another cluster's
     */
    public static BuiltinData open(Path directory, ServerNamespace namespace, long blockSize, boolean durable)
            throws IOException {
        BlockStore store;
        try {
            store = new BlockStore(directory, blockSize, HANDLES_MAX, durable);
        } catch (IOException e) {
            throw new IOException(
                    "cannot open the data directory " + directory + ": " + e
                            + "; make it writable or choose another one",
                    e);
        }
        PoolStatus pool = namespace.poolStatus();
        store.claim(pool.clusterId(), pool.idsMayRepeat());
        return new BuiltinData(store, new Reaper(store, namespace));
    }

    /**
     * Brings each cut that an earlier start has begun to its end, unless the file has gone since, and its objects with it.
     *
     * @param awaitDurable returns when what this thread has seen of the pool is durable
     */
    public void recoverCuts(ServerNamespace namespace, Runnable awaitDurable) {
        Records records = namespace.records();
        List<Runnable> begun = new ArrayList<>();
        Name name = new Name();
        Attributes found = new Attributes();
        records.each(
                Records.Kind.CUT,
                (at, inode, parent, hash, before) -> begun.add(() -> {
                    if (!records.find(parent, hash, inode, name, found) || hasCut(found, before, awaitDurable)) {
                        records.clear(at);
                    } else {
                        cuts.add(found.id, at, found.size, before);
                    }
                }));
        begun.forEach(Runnable::run);
        records.fence();
    }

    /** Cuts the objects of a file at its size, whether that had changed or not; false: they cannot be cut. */
    private boolean hasCut(Attributes file, long before, Runnable awaitDurable) {
        try {
            awaitDurable.run(); // as the truncate itself
            store.truncate(file.id, file.size, before);
            return true;
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "cannot cut the data of inode " + Long.toHexString(file.id)
                            + "; it is tried again before the file is written",
                    e);
            return false;
        }
    }

    @Override
    public void close() {
        cuts.close();
        reaper.close();
        try {
            store.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "cannot close the data store", e);
        }
    }
}
