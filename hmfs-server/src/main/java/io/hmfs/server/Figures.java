package io.hmfs.server;

import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Scrubber;
import io.hmfs.server.pipeline.Service;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.ServerTransport;
import java.util.function.BooleanSupplier;

/** What the parts of a server tell its metrics. */
final class Figures {
    private Figures() {}

    static void bind(ServerMetrics metrics, Service service, BooleanSupplier healthy) {
        metrics.gauge("hmfs.connections", null, "Open connections", service::connections);
        metrics.gauge(
                "hmfs.requests.in.flight",
                null,
                "Requests that wait for the disk or are executed there",
                service::diskRequests);
        metrics.gauge(
                "hmfs.disk.queue", "bytes", "Data that waits for the disk, and for its replies", service::diskBytes);
        metrics.gauge(
                "hmfs.disk.queue.largest",
                "bytes",
                "Of the data that waits for the disk, that of the user that has most",
                service::diskBytesOfOne);
        metrics.gauge(
                "hmfs.disk.queue.users", null, "Users that have requests that wait for the disk", service::diskUsers);
        metrics.gauge(
                "hmfs.connections.held.up",
                null,
                "Connections that are not read until there is room at the disk for their client",
                service::connectionsHeldUp);
        metrics.truth("hmfs.healthy", "What /health says: 1 for 200, 0 for 503", healthy);
    }

    static void bind(ServerMetrics metrics, Partition partition) {
        metrics.gauge("hmfs.quota.directories", null, "Directories that have a quota", partition.quotas()::size);
        metrics.counter(
                "hmfs.quota.refusals", null, "Changes that were refused for a quota", partition.quotas()::refusals);
        metrics.gauge(
                "hmfs.leases", null, "Files that a client has a lease on, to write them", partition.leases()::count);
        metrics.gauge(
                "hmfs.removals.recorded",
                null,
                "Removed files whose objects have still to be removed, by the server or by clients",
                partition.namespace().removedFiles()::count);
        BuiltinData data = partition.data();
        if (data != null) {
            metrics.counter(
                    "hmfs.data.corrupt",
                    null,
                    "Requests that met damaged data in the builtin store",
                    data.store()::corrupt);
        }
        Scrubber scrubber = partition.scrubber();
        if (scrubber != null) {
            bind(metrics, scrubber);
        }
        metrics.gauge("hmfs.listing.cache", "bytes", "Pages of listings that are kept", partition.listings()::bytes);
        metrics.counter(
                "hmfs.listing.cache.hits", null, "Pages of listings that were kept", partition.listings()::hits);
        metrics.counter(
                "hmfs.listing.cache.misses",
                null,
                "Pages of listings that were asked for and not kept, or no longer true",
                partition.listings()::misses);
        metrics.gauge(
                "hmfs.remote.stat.directories",
                null,
                "Directories whose files' attributes clients may read by RDMA",
                partition.exports()::size);
        metrics.counter(
                "hmfs.remote.stat.records",
                null,
                "Attributes that were put where clients may read them by RDMA",
                partition.exports()::published);
        metrics.truth(
                "hmfs.reaping",
                "1 while directories that were removed as a whole are taken apart",
                partition.orphans()::isBusy);
    }

    private static void bind(ServerMetrics metrics, Scrubber scrubber) {
        metrics.truth(
                "hmfs.scrub.running",
                "1 while the builtin store is scrubbed",
                () -> scrubber.figures().isRunning());
        metrics.counter(
                "hmfs.scrub.objects",
                null,
                "Objects that scrubs have read",
                () -> scrubber.total().objects());
        metrics.counter(
                "hmfs.scrub.read",
                "bytes",
                "Bytes that scrubs have read",
                () -> scrubber.total().bytes());
        metrics.counter(
                "hmfs.scrub.unread",
                null,
                "Objects that scrubs could not open, or that have no checksums yet",
                () -> scrubber.total().unread());
        metrics.counter(
                "hmfs.scrub.damaged",
                null,
                "Damaged parts of files that scrubs have found; one that is found again counts again",
                () -> scrubber.total().damaged());
        metrics.gauge(
                "hmfs.scrub.completed",
                "seconds",
                "When the last scrub came to its end, since 1970; 0: none has since the start",
                () -> scrubber.completedMillis() / 1e3);
    }

    static void bind(ServerMetrics metrics, UserShares shares) {
        for (Resource each : Resource.values()) {
            String resource = each.label();
            metrics.gaugeOf(resource, "hmfs.share.used", "What all users hold", () -> shares.used(each));
            metrics.gaugeOf(resource, "hmfs.share.max", "Bound of what all users may hold", () -> shares.max(each));
            metrics.gaugeOf(
                    resource, "hmfs.share.largest", "What the user holds that has most", () -> shares.largest(each));
            metrics.gaugeOf(
                    resource, "hmfs.share.waiting", "Connections that wait for room", () -> shares.waiting(each));
            metrics.counterOf(
                    resource, "hmfs.share.refusals", "Refusals because a share was full", () -> shares.refusals(each));
        }
    }

    static void bind(ServerMetrics metrics, Connections connections, ServerTransport transport) {
        metrics.gauge(
                "hmfs.replies.waiting", "bytes", "Replies that their peers have not taken", connections::waitingBytes);
        metrics.gauge("hmfs.connections.rdma", null, "Open connections by RDMA", connections::byRdma);
        metrics.transport(transport.label());
    }
}
