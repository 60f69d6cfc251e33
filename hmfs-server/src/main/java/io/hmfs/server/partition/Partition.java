package io.hmfs.server.partition;

import io.hmfs.core.Hmfs;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.data.RemovalTable;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.listing.DirectoryVersions;
import io.hmfs.server.listing.Exports;
import io.hmfs.server.listing.ListingCache;
import io.hmfs.server.listing.VersionedNamespace;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.NameVersions;
import io.hmfs.server.quota.Quotas;
import io.hmfs.server.retry.RetryCaches;
import io.hmfs.server.share.LongWalks;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.server.tree.OrphanDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A pool and what belongs to it: its namespace, what requests share while they work on it, the data of its files if that is the server's
 * own, and the threads that remove what was removed. {@link #open} settles what an earlier start left half done, {@link #start} begins the
 * background work, {@link #stop} ends what requests may wait for, and {@link #close} closes the pool. Thread-safe.
 */
public final class Partition implements AutoCloseable {
    private final ServerNamespace namespace;
    private final NameVersions versions;
    private final ListingCache listings;
    private final Exports exports;
    private final OrphanDirectory orphans;
    private final KeyLocks locks = new KeyLocks();
    private final Quotas quotas;
    private final Leases leases;
    private final GrantEpochs grantEpochs;
    private final RetryCaches retries;
    private final @Nullable BuiltinData data;
    private final @Nullable RemovalTable removals;
    private final TreeReaper trees;
    private final LongWalks walks = new LongWalks();
    private final UserShares shares;
    private final @Nullable Scrubber scrubber;

    /** Of a namespace that is open, whose data is scrubbed when that is asked for. What an earlier start left half done is for {@link #recover}. */
    public Partition(
            ServerNamespace pool,
            Leases leases,
            @Nullable BuiltinData data,
            long listingCacheBytes,
            int exportedDirectoriesMax,
            UserShares shares) {
        this(pool, leases, data, ScrubLimits.ASKED, listingCacheBytes, exportedDirectoriesMax, shares);
    }

    /** Of a namespace that is open. What an earlier start left half done is for {@link #recover}. */
    public Partition(
            ServerNamespace pool,
            Leases leases,
            @Nullable BuiltinData data,
            ScrubLimits scrub,
            long listingCacheBytes,
            int exportedDirectoriesMax,
            UserShares shares) {
        this.shares = shares;
        DirectoryVersions directories = new DirectoryVersions();
        exports = new Exports(exportedDirectoriesMax, directories, System::nanoTime);
        namespace = new VersionedNamespace(pool, directories, exports);
        listings = new ListingCache(listingCacheBytes, directories);
        this.leases = leases;
        grantEpochs = new GrantEpochs(namespace.records());
        this.data = data;
        versions = new NameVersions(namespace);
        orphans = new OrphanDirectory(namespace, versions);
        quotas = new Quotas(namespace, orphans);
        retries = new RetryCaches(namespace.numbered(), shares, System::nanoTime);
        removals = data == null ? new RemovalTable(namespace, System::nanoTime) : null;
        scrubber = data == null ? null : new Scrubber(namespace, data.store(), scrub);
        trees = new TreeReaper(namespace, versions, orphans, locks, leases);
    }

    /**
     * Opens a pool, and makes it ready for its first request.
     *
     * @param ended told the name of each step that has ended
     * @throws IOException {@code PoolException} for the pool; otherwise with the directory, what is wrong and what to do
     */
    public static Partition open(PartitionConfig config, Consumer<String> ended) throws IOException {
        ServerNamespace namespace = Hmfs.openForServer(config.pool(), config.options());
        ended.accept("pool");
        return open(config, namespace, ended);
    }

    /** Makes a namespace that is open already ready for its first request; it is closed with the partition, or if the partition cannot be opened. */
    public static Partition open(PartitionConfig config, ServerNamespace namespace, Consumer<String> ended)
            throws IOException {
        BuiltinData data = null;
        try {
            Path directory = config.data();
            data = directory == null
                    ? null
                    : BuiltinData.open(directory, namespace, config.blockSize(), config.durable());
            ended.accept("data store");
            UserShares shares = new UserShares(config.bounds());
            shares.bound(Resource.LEASES, Leases.MAX);
            shares.bound(Resource.PRINCIPALS, namespace.principalRoom());
            Partition partition = new Partition(
                    namespace,
                    new Leases(namespace.records(), config.leases(), shares),
                    data,
                    config.scrub(),
                    config.listingCacheBytes(),
                    config.exportedDirectoriesMax(),
                    shares);
            partition.recover();
            ended.accept("removals");
            return partition;
        } catch (IOException | RuntimeException e) {
            if (data != null) {
                data.close();
            }
            namespace.close();
            throw e;
        }
    }

    /** Settles removals, quotas and cuts that an earlier start left half done; before the first request. */
    public void recover() {
        orphans.recover();
        quotas.recover();
        if (data != null) {
            data.recoverCuts(namespace, this::awaitDurable);
        }
    }

    /**
     * Clients can come: leases of before the start count from now. Begins to remove, in the background, the data of removed files and what
     * was taken out of the tree as a whole.
     *
     * @param failed told of an error that ends the background work
     */
    public void start(Consumer<Throwable> failed) {
        leases.begin();
        namespace.whenFull(this::isMakingRoom);
        if (data != null) {
            data.reaper().start(failed);
            data.cuts().start(namespace.records(), failed);
        }
        if (removals != null) {
            removals.start(failed);
        }
        trees.start(failed);
        if (scrubber != null) {
            scrubber.start(failed);
        }
    }

    private boolean isMakingRoom() {
        boolean entriesWent = orphans.isMakingRoom();
        return (data != null && data.reaper().isMakingRoom()) || entriesWent;
    }

    /** Ends walks of requests, and the removal of trees: what is not removed then is left for the next start. */
    public void stop() {
        if (data != null) {
            data.reaper().endWaits();
        }
        trees.stop();
        if (scrubber != null) {
            scrubber.close();
        }
    }

    /** Ends the rest of the background work and closes the pool. No request runs any more. */
    @Override
    public void close() {
        if (scrubber != null) {
            scrubber.close();
        }
        if (data != null) {
            data.close();
        }
        if (removals != null) {
            removals.close();
        }
        walks.close();
        namespace.close();
    }

    /** Removes what the orphan directory holds now, on this thread. */
    public void reapTrees() {
        trees.reap();
    }

    /** Returns when all that this thread has done so far is durable. Not on a connection's thread. */
    public void awaitDurable() {
        CompletableFuture<Void> durable = new CompletableFuture<>();
        namespace.whenDurable(namespace.logPosition(), () -> durable.complete(null), durable::completeExceptionally);
        durable.join();
    }

    public ServerNamespace namespace() {
        return namespace;
    }

    /** Shares of users in what the server has a bounded amount of. */
    public UserShares shares() {
        return shares;
    }

    /** Versions of names: what makes a resolved path wrong goes through them. */
    public NameVersions versions() {
        return versions;
    }

    /** Pages of listings that are kept. */
    public ListingCache listings() {
        return listings;
    }

    /** Stats that clients read by RDMA. */
    public Exports exports() {
        return exports;
    }

    /** The directory that holds what was removed as a whole. */
    public OrphanDirectory orphans() {
        return orphans;
    }

    /** Walks over its trees that take long. */
    public LongWalks walks() {
        return walks;
    }

    public KeyLocks locks() {
        return locks;
    }

    public Quotas quotas() {
        return quotas;
    }

    public Leases leases() {
        return leases;
    }

    /** Epochs of the grants on this pool's files. */
    public GrantEpochs grantEpochs() {
        return grantEpochs;
    }

    /** The answers to changes by client; those of the server's first partition are used for all (docs/architecture.md). */
    public RetryCaches retries() {
        return retries;
    }

    /** The data of this pool's files; null if the data store is not the server's own. */
    public @Nullable BuiltinData data() {
        return data;
    }

    /** Verifies that data; null if the data store is not the server's own. */
    public @Nullable Scrubber scrubber() {
        return scrubber;
    }

    /** What clients have to remove; null if the data store is the server's own. */
    public @Nullable RemovalTable removals() {
        return removals;
    }
}
