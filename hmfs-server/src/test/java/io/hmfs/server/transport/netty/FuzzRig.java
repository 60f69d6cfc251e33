package io.hmfs.server.transport.netty;

import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.access.Authenticators;
import io.hmfs.server.access.Callers;
import io.hmfs.server.access.FixedGrants;
import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.data.Reaper;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.pipeline.Pipelines;
import io.hmfs.server.pipeline.Service;
import io.hmfs.server.pipeline.ServiceChanges;
import io.hmfs.server.protocol.ReplyCompression;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.transport.ConnectionLimits;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.rdma.RdmaServerTransport;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All of a server but its sockets and its threads: what it would hand to others runs on the thread that asks. Two of them that were
 * asked the same have the same ids.
 */
final class FuzzRig implements AutoCloseable {
    static final int FRAME_MAX = ServerSetting.FRAME_MAX_MIN;

    /** Some listings are long enough, and some are not. */
    private static final int COMPRESS_FROM = 256;

    static final int CHUNK_SIZE = 64 << 10;
    static final UUID CLUSTER = new UUID(0x4849_4d46, 0x5353);
    static final String SUPERUSER = "alice";

    /** Of all pools: sessions have ids in them, and mean the same whenever they are run. */
    private static final long FIRST_ID = 2;

    static final ConnectionLimits LIMITS = new ConnectionLimits(1_000, FRAME_MAX, 0, 256, TimeUnit.SECONDS.toNanos(60));

    static final long DISK_MAX = 64 << 20;

    private static final int BLOCK_SIZE = 256 << 10;
    private static final long SIZE = 70_000;
    private static final byte[] CONTENT = {7, 7, 7};
    private static final byte[] LARGE = new byte[2 * CHUNK_SIZE];

    /** An object of the tree that each session begins with. */
    record Known(String path, long parent, long id, boolean directory) {
        String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }

    final CountingAllocator allocator = new CountingAllocator();
    final ServerNamespace namespace;
    final Grants grants = FixedGrants.make();
    private final UserShares shares = new UserShares(Map.of());
    private final BlockStore store;
    private final Partition partition;
    private final ServerMetrics metrics;
    private final Callers callers;
    private final Service service;
    private final EventLoopBatch batch;
    private boolean byHand;
    private final List<Known> known = new ArrayList<>();
    private @Nullable Throwable failure;

    /** On a new pool in an empty directory. */
    FuzzRig(Path directory) throws IOException {
        this(directory, Runnable::run);
    }

    /** The same with a disk that works when it is told to. */
    FuzzRig(Path directory, Executor disk) throws IOException {
        Files.createDirectories(directory);
        Path pool = directory.resolve("fuzz.pool");
        try (PoolFile file = PoolFiles.create(pool, FormatOptions.SIZE_MIN, Backing.MAPPED, false)) {
            Superblock.format(pool, file, CLUSTER, 42, FIRST_ID);
        }
        namespace = Hmfs.openForServer(pool, OpenOptions.process().keepingDataElsewhere());
        Path data = directory.resolve("data");
        store = new BlockStore(data, BLOCK_SIZE, 64, false);
        BuiltinData builtin = new BuiltinData(store, new Reaper(store, namespace));
        partition = new Partition(
                namespace,
                new Leases(namespace.records(), ServerConfig.of(Path.of("p")).leases(), shares),
                builtin,
                1 << 20,
                0,
                shares);
        partition.recover();
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "fuzz");
        AccessConfig access = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, SUPERUSER)
                .set(ServerSetting.GROUP_SOURCE, AccessConfig.Source.STATIC)
                .set(ServerSetting.STATIC_GROUPS, "bob=staff;eve=")
                .build()
                .access();
        callers = new Callers(namespace, access, access.groups(), Runnable::run, 1, () -> 0);
        WelcomeInfo info = new WelcomeInfo(
                CLUSTER, 1, "fuzz", "process", "builtin", BLOCK_SIZE, CHUNK_SIZE, FRAME_MAX, false, false);
        service = new Service(
                new Partitions(List.of(partition)),
                info,
                new ReplyCompression(COMPRESS_FROM, true),
                Authenticators.SIMPLE,
                callers,
                grants,
                new FairQueue(disk, Integer.MAX_VALUE, DISK_MAX),
                new Observation(meters, metrics, null, Long.MAX_VALUE),
                cause -> failure = cause);
        // Not the thread that removes orphans: how far it is would show in replies.
        builtin.reaper().start(cause -> failure = cause);
        namespace.chown(
                Namespace.ROOT_PARENT_ID, new Name(), namespace.principalId(SUPERUSER), namespace.principalId("staff"));
        batch = new EventLoopBatch(new Pipelines(service).newPipeline());
    }

    /** An unexpected error ends an operation. */
    void fail(Throwable cause) {
        ServiceChanges.fail(service, cause);
    }

    /** The unexpected error that has ended the service. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The batches of all its connections, which end only by hand from now on. */
    EventLoopBatch batchesByHand() {
        byHand = true;
        return batch;
    }

    /** Serves RDMA, too, on a thread of its own, which ends with it. */
    RdmaServerTransport rdma(Verbs verbs) {
        return new RdmaServerTransport(
                new Pipelines(service)::newPipeline, new Connections(LIMITS, shares), List.of(verbs), 0);
    }

    FuzzChannel connect() {
        return FuzzChannel.open(new Connections(LIMITS, shares), batch, () -> byHand, allocator);
    }

    /** What a user's requests about the data of an inode show. */
    long seal(long inode, String user, long grant) {
        long epoch =
                partition.grantEpochs().of(inode, Grants.has(grant, Grants.OWNER), Grants.has(grant, Grants.WRITE));
        return grants.seal(inode, callers.of(user, "host").join().mark(), grant, epoch);
    }

    // ---- the tree

    /** Makes the tree that sessions begin with; nothing else is there then. */
    void reset() throws IOException {
        removeAll(Namespace.ROOT_ID);
        while (namespace.removedFiles().count() > 0) {
            Thread.onSpinWait(); // removals of the last session
        }
        Attributes root = new Attributes();
        namespace.stat(Namespace.ROOT_PARENT_ID, new Name(), root);
        check(ServiceChanges.chmod(service, Namespace.ROOT_PARENT_ID, new Name(), 0755));
        check(ServiceChanges.chown(
                service,
                Namespace.ROOT_PARENT_ID,
                new Name(),
                namespace.principalId(SUPERUSER),
                namespace.principalId("staff")));
        check(ServiceChanges.changeAcl(service, Namespace.ROOT_PARENT_ID, new Name(), object -> {
            object.acl = Acl.NONE;
            return Status.OK;
        }));
        List<Name> attributes = new ArrayList<>();
        check(namespace.listXattrs(Namespace.ROOT_PARENT_ID, new Name(), attributes));
        for (Name attribute : attributes) {
            check(namespace.removeXattr(Namespace.ROOT_PARENT_ID, new Name(), attribute));
        }
        known.clear();
        Known all = directory("", Namespace.ROOT_ID, "all", "bob", 0777);
        directory(all.path(), all.id(), "sub", "bob", 0755);
        file(all.path(), all.id(), "mine", "bob", 0644);
        file(all.path(), all.id(), "open", "eve", 0666);
        link(all.path(), all.id(), "here", "sub");
        link("", Namespace.ROOT_ID, "away", "/closed");
        Known sticky = directory("", Namespace.ROOT_ID, "tmp", SUPERUSER, 01777);
        file(sticky.path(), sticky.id(), "bobs", "bob", 0664);
        Known closed = directory("", Namespace.ROOT_ID, "closed", SUPERUSER, 0700);
        file(closed.path(), closed.id(), "secret", SUPERUSER, 0600);
        file("", Namespace.ROOT_ID, "f", SUPERUSER, 0644);
        long large = known.getLast().id();
        store.write(large, 0, 0, 0, Unpooled.wrappedBuffer(LARGE), 0, LARGE.length);
        store.write(large, 1, 0, 0, Unpooled.wrappedBuffer(LARGE), 0, LARGE.length);
    }

    /** What is in the tree. */
    List<Known> known() {
        return known;
    }

    private Known directory(String above, long parent, String name, String owner, int mode) {
        Attributes made = new Attributes();
        int uid = namespace.principalId(owner);
        check(namespace.mkdir(parent, Name.of(name), mode, uid, namespace.principalId("staff"), made));
        return keep(above, parent, name, made);
    }

    private void file(String above, long parent, String name, String owner, int mode) throws IOException {
        Attributes made = new Attributes();
        int uid = namespace.principalId(owner);
        check(namespace.create(parent, Name.of(name), mode, uid, namespace.principalId("staff"), made));
        check(namespace.append(parent, Name.of(name), made.id, SIZE));
        store.write(made.id, 0, 0, 0, Unpooled.wrappedBuffer(CONTENT), 0, CONTENT.length);
        keep(above, parent, name, made);
    }

    private void link(String above, long parent, String name, String target) {
        Attributes made = new Attributes();
        byte[] bytes = target.getBytes(StandardCharsets.UTF_8);
        check(namespace.symlink(
                parent, Name.of(name), bytes, namespace.principalId("bob"), namespace.principalId("staff"), made));
        keep(above, parent, name, made);
    }

    private Known keep(String above, long parent, String name, Attributes made) {
        Known object = new Known(above + "/" + name, parent, made.id, made.isDirectory());
        known.add(object);
        return object;
    }

    private static void check(Status status) {
        if (status != Status.OK) {
            throw new IllegalStateException("the tree cannot be made: " + status);
        }
    }

    private void removeAll(long directory) throws IOException {
        List<byte[]> names = new ArrayList<>();
        List<Attributes> objects = new ArrayList<>();
        check(namespace.list(directory, new ListCursor(), (name, attributes) -> {
            Attributes object = new Attributes();
            object.id = attributes.id;
            object.type = attributes.type;
            objects.add(object);
            return names.add(name.toBytes());
        }));
        Name name = new Name();
        for (int i = 0; i < names.size(); i++) {
            name.set(names.get(i), 0, names.get(i).length);
            if (objects.get(i).isDirectory()) {
                removeAll(objects.get(i).id);
                check(ServiceChanges.rmdir(service, directory, name));
            } else {
                check(namespace.delete(directory, name, objects.get(i)));
                store.remove(objects.get(i).id, objects.get(i).size);
            }
        }
    }

    /** All that requests can change: names, attributes, principals; with {@code data} what files begin with, too. */
    List<String> snapshot(boolean data) throws IOException {
        return new FuzzSnapshot(namespace, data ? store : null).lines();
    }

    /** What of it stands in directories in which the superuser alone may change something. */
    List<String> superusers() throws IOException {
        List<String> others = List.of("principal", "/" + FuzzSnapshot.step("all"), "/" + FuzzSnapshot.step("tmp"));
        List<String> files = known.stream()
                .filter(each -> each.path().equals("/f") || each.path().startsWith("/closed/"))
                .map(each -> FuzzSnapshot.data(each.id()))
                .toList();
        return snapshot(true).stream()
                .filter(line -> line.startsWith(FuzzSnapshot.DATA)
                        ? files.stream().anyMatch(line::startsWith)
                        : others.stream().noneMatch(line::startsWith))
                .toList();
    }

    @Override
    public void close() throws IOException {
        metrics.close();
        partition.stop();
        partition.close();
    }
}
