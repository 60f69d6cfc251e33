package io.hmfs.server.request;

import io.hmfs.core.type.Change;
import io.hmfs.server.access.Access;
import io.hmfs.server.listing.PageLookup;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.path.PrefixCache;
import io.hmfs.server.path.SymbolicLinks;
import io.hmfs.server.quota.QuotaAccounting;

/** What the requests of one thread use again and again while they work on one partition. */
final class Workspace {
    final Partition partition;
    final SymbolicLinks links;
    final QuotaAccounting accounting;
    final PathResolver path;
    final PathResolver otherPath;
    final PageLookup listings;

    /**
     * Makes one for a thread and a partition.
     *
     * @param mayWait whether the thread may wait for locks that are held while another one waits for the disk
     */
    Workspace(Partition partition, Access access, WorkerMeter meter, boolean mayWait) {
        this.partition = partition;
        links = new SymbolicLinks(partition.namespace(), access);
        accounting = new QuotaAccounting(
                partition.namespace(), partition.versions(), partition.quotas(), partition.orphans(), access, mayWait);
        PrefixCache prefixes = new PrefixCache(partition.versions(), meter);
        path = newResolver(prefixes, access, meter, mayWait);
        otherPath = newResolver(prefixes, access, meter, mayWait);
        listings = new PageLookup(partition.listings());
    }

    private PathResolver newResolver(PrefixCache prefixes, Access access, WorkerMeter meter, boolean mayWait) {
        return new PathResolver(
                partition.namespace(),
                partition.versions(),
                partition.orphans()::holds,
                prefixes,
                meter,
                access,
                links,
                (parent, name, mode, uid, gid, acl, out) ->
                        accounting.mkdir(parent, name, mode, uid, gid, acl, Change.NONE, out),
                mayWait);
    }
}
