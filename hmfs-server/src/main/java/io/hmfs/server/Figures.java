package io.hmfs.server;

import io.hmfs.server.exec.Service;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.transport.netty.NettyTransport;
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
                "Of the data that waits for the disk, that of the user who has most",
                service::diskBytesOfOne);
        metrics.gauge(
                "hmfs.disk.queue.users", null, "Users who have requests that wait for the disk", service::diskUsers);
        metrics.gauge(
                "hmfs.connections.held.up",
                null,
                "Connections that are not read until there is room at the disk for their client",
                service::connectionsHeldUp);
        metrics.gauge("hmfs.quota.directories", null, "Directories that have a quota", service::quotaDirectories);
        metrics.counter("hmfs.quota.refusals", null, "Changes that were refused for a quota", service::quotaRefusals);
        metrics.gauge("hmfs.leases", null, "Files that somebody has a lease on, to write them", service::leases);
        metrics.gauge(
                "hmfs.removals.recorded",
                null,
                "Removed files whose objects clients have still to remove",
                service::removalsRecorded);
        metrics.counter(
                "hmfs.removals.unrecorded",
                null,
                "Removed files that found no room on the record, and whose objects hmfs gc finds if their client dies",
                service::removalsUnrecorded);
        metrics.truth(
                "hmfs.reaping", "1 while directories that were removed as a whole are taken apart", service::isReaping);
        metrics.truth("hmfs.healthy", "What /health says: 1 for 200, 0 for 503", healthy);
    }

    static void bind(ServerMetrics metrics, NettyTransport transport) {
        metrics.gauge(
                "hmfs.replies.waiting", "bytes", "Replies that their peers have not taken", transport::waitingBytes);
        metrics.transport(transport.sockets().label());
    }
}
