package io.hmfs.hadoop.stream;

import io.hmfs.client.Grant;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.GrantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The grant of one open file. It is asked for anew, at the path where the file is then, halfway to its end, for a stream
 * may be open for longer than a grant is good for, and when the server has refused it. If the file is not there any more,
 * or may not be opened any more, the old one serves until it ends. No thread waits for the answer here, and least of all
 * under the lock, which the client's loop takes too.
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
    private @Nullable CompletableFuture<@Nullable Grant> asked; // under way

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
    public Grant current() {
        synchronized (this) {
            if (System.nanoTime() - renewAt >= 0) {
                renewAt = System.nanoTime() + AGAIN_NANOS;
                var unused = ask();
            }
            return grant;
        }
    }

    @Override
    public CompletableFuture<@Nullable Grant> another(Grant refused) {
        synchronized (this) {
            return grant.equals(refused) ? ask() : CompletableFuture.completedFuture(grant);
        }
    }

    /** Asks for a new one, unless that is under way: requests that are refused together have one answer. */
    private CompletableFuture<@Nullable Grant> ask() {
        CompletableFuture<@Nullable Grant> now = asked;
        if (now == null) {
            now = link.client().openAsync(path.get(), !write, write).handle(this::take);
            asked = now.isDone() ? null : now;
        }
        return now;
    }

    /** Null: the server refuses it, or another file is there. */
    private @Nullable Grant take(@Nullable OpenedFile again, @Nullable Throwable failure) {
        synchronized (this) {
            asked = null;
            if (again == null) {
                return refused(failure);
            }
            if (again.info().id() != inode) {
                return null;
            }
            grant = new Grant(again.grant().grant(), again.grant().seal(), grant.lease());
            renewAt = System.nanoTime() + renewNanos;
            return grant;
        }
    }

    private static @Nullable Grant refused(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof HmfsException) {
            return null;
        }
        throw new CompletionException(cause);
    }
}
