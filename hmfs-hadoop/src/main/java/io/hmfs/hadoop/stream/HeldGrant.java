package io.hmfs.hadoop.stream;

import io.hmfs.client.Grant;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.GrantSource;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The grant of one open file. Halfway to its end it is asked for anew, at the path where the file is then: a stream
 * may be open for longer than a grant is good for. If the file is not there any more, or may not be opened any more,
 * the old one serves until it ends.
 */
final class HeldGrant implements GrantSource {
    private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ServerLink link;
    private final Supplier<String> path;
    private final long inode;
    private final boolean write;
    private final long renewNanos;
    private Grant grant; // guarded by this, as is the next
    private long renewAt;

    HeldGrant(ServerLink link, Supplier<String> path, long inode, boolean write, Grant grant) {
        this(link, path, inode, write, grant, TimeUnit.SECONDS.toNanos(Grant.LIFETIME_SECONDS / 2));
    }

    HeldGrant(ServerLink link, Supplier<String> path, long inode, boolean write, Grant grant, long renewNanos) {
        this.link = link;
        this.path = path;
        this.inode = inode;
        this.write = write;
        this.grant = grant;
        this.renewNanos = renewNanos;
        this.renewAt = System.nanoTime() + renewNanos;
    }

    @Override
    public Grant current() throws IOException {
        synchronized (this) {
            if (System.nanoTime() - renewAt >= 0) {
                renew();
            }
            return grant;
        }
    }

    private void renew() throws IOException {
        renewAt = System.nanoTime() + AGAIN_NANOS;
        try {
            OpenedFile again = link.repeatable(client -> client.open(path.get(), !write, write));
            if (again.info().id() == inode) {
                grant = new Grant(again.grant().grant(), again.grant().seal(), grant.lease());
                renewAt = System.nanoTime() + renewNanos;
            }
        } catch (HmfsException refused) {
            // the old one is good for some hours; after that the server refuses it
        }
    }
}
