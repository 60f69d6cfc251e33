package io.hmfs.server;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.access.Callers;
import io.hmfs.server.share.BackgroundThreads;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The users of a server, with the threads that look up their groups. */
final class Users implements AutoCloseable {
    private static final int THREADS = Math.max(
            4, Runtime.getRuntime().availableProcessors()); // an address has half of those that no other one holds

    private final Namespace namespace;
    private final AccessConfig config;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(), // callers bound it
            BackgroundThreads.named("hmfs-groups"));
    private final ScheduledExecutorService ticks =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("hmfs-group-expiry", true));
    private final Callers callers;

    Users(Namespace namespace, AccessConfig config) {
        this.namespace = namespace;
        this.config = config;
        threads.allowCoreThreadTimeOut(true);
        callers = new Callers(namespace, config, config.groups(), threads, THREADS, System::nanoTime);
        long period = config.groupExpiry().toMillis();
        var _ = ticks.scheduleWithFixedDelay(callers::refresh, period, period, TimeUnit.MILLISECONDS);
    }

    Callers callers() {
        return callers;
    }

    /** Gives the root of a new pool, which is root's and empty, to the superuser and the supergroup. */
    void ownRoot() {
        Attributes root = new Attributes();
        Name empty = new Name();
        boolean[] children = new boolean[1];
        boolean fresh = namespace.stat(Namespace.ROOT_PARENT_ID, empty, root) == Status.OK
                && root.uid == 0
                && root.gid == 0
                && namespace.list(Namespace.ROOT_ID, new ListCursor(), (name, attributes) -> {
                            children[0] = true;
                            return false;
                        })
                        == Status.OK
                && !children[0];
        int uid = fresh ? namespace.principalId(config.superuser()) : -1;
        int gid = fresh ? namespace.principalId(config.supergroup()) : -1;
        if (uid >= 0 && gid >= 0) {
            namespace.chown(Namespace.ROOT_PARENT_ID, empty, uid, gid);
        }
    }

    @Override
    public void close() {
        ticks.shutdownNow();
        threads.shutdownNow();
    }
}
