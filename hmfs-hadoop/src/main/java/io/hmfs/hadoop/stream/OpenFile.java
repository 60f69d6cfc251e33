package io.hmfs.hadoop.stream;

import io.hmfs.client.ClientLeases;
import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.client.Written;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.GrantSource;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.util.functional.FutureIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that is open for writing: where a commit of its size goes. The server finds a file by directory and name, so
 * a rename through the same filesystem tells the file its new place; a rename by another client makes the next commit
 * fail. Thread-safe.
 */
final class OpenFile {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFile.class);

    /** How long a close waits for the server to know that the file is closed; its data is safe by then. */
    private static final long END_SECONDS = 10;

    private final ServerLink link;
    private String path; // guarded by this, as all fields below
    private FileInfo info;
    private final GrantSource grants;
    private final Grant lease;

    OpenFile(ServerLink link, String path, OpenedFile opened) {
        this.link = link;
        this.path = path;
        this.info = opened.info();
        this.lease = opened.grant();
        this.grants = new HeldGrant(link, this::path, info.id(), true, opened.grant());
    }

    /** The grants to write the data of the file. */
    GrantSource grants() {
        return grants;
    }

    long inode() {
        synchronized (this) {
            return info.id();
        }
    }

    /** Whether every byte that the file had when it was opened was written. */
    boolean isDense() {
        synchronized (this) {
            return info.dense();
        }
    }

    String path() {
        synchronized (this) {
            return path;
        }
    }

    /** Makes {@code size} bytes visible, which must be in the data store: all behind the size that was committed is {@code written}. {@code last}: ends the lease. */
    void commit(long size, boolean last, Written written) throws IOException {
        FileInfo target = place();
        try {
            append(target, size, last, written);
        } catch (HmfsException e) {
            FileInfo now = place();
            boolean moved = e.code() == ResultCode.STALE || e.code() == ResultCode.NOT_FOUND;
            if (!moved || now.equals(target)) {
                throw HadoopErrors.translate(path(), judged(e));
            }
            try {
                append(now, size, last, written);
            } catch (HmfsException again) {
                throw HadoopErrors.translate(path(), judged(again));
            }
        }
    }

    private void append(FileInfo target, long size, boolean last, Written written) throws IOException {
        Grant grant = grants.current();
        for (int left = GrantSource.ATTEMPTS_MAX; ; left--) {
            Grant shown = grant;
            try {
                link.repeat(client -> client.append(target, size, shown, last, written));
                return;
            } catch (HmfsException e) {
                boolean mayHaveEnded = left > 1 && e.code() == ResultCode.ACCESS_DENIED;
                Grant another = mayHaveEnded ? FutureIO.awaitFuture(grants.another(shown)) : null;
                if (another == null) {
                    throw e;
                }
                grant = another;
            }
        }
    }

    /** A refusal as a writer understands it: a lost lease whose file is gone is a missing file. Asks the server. */
    HmfsException judged(HmfsException refusal) {
        return refusal.code() == ResultCode.LEASE_LOST && isGone(path())
                ? new HmfsException(ResultCode.STALE, String.valueOf(refusal.getMessage()))
                : refusal;
    }

    private boolean isGone(String named) {
        try {
            return link.client().stat(named).id() != inode();
        } catch (HmfsException e) {
            return e.code() == ResultCode.NOT_FOUND || e.code() == ResultCode.NOT_DIRECTORY;
        } catch (IOException e) {
            return false; // it is unknown
        }
    }

    /**
     * Ends the lease after the last write.
     *
     * @param told whether the server knows already
     * @param awaited whether to wait, for a bounded time, until it knows; else it hears of it later
     */
    void release(boolean told, boolean awaited) {
        ClientLeases leases = link.client().leases();
        if (told) {
            leases.ended();
            return;
        }
        CompletableFuture<Void> ended = leases.end(inode(), lease);
        if (awaited) {
            try {
                FutureIO.awaitFuture(ended, END_SECONDS, TimeUnit.SECONDS);
            } catch (IOException | TimeoutException e) {
                LOG.debug("The server is told later that {} is not written any more", path(), e);
            }
        }
    }

    private FileInfo place() {
        synchronized (this) {
            return info;
        }
    }

    /** Whether a rename of {@code source} may have renamed this file. */
    boolean isAt(String source) {
        synchronized (this) {
            return path.equals(source);
        }
    }

    /** Takes a new place after a rename, if the file that stands there now has the inode of this one. */
    void moved(String target, FileInfo there) {
        synchronized (this) {
            if (there.id() == info.id()) {
                path = target;
                info = there;
            }
        }
    }

    /** Takes a new path after a rename of a directory above; the place does not change, only messages do. */
    void parentMoved(String source, String target) {
        synchronized (this) {
            if (path.startsWith(source + "/")) {
                path = target + path.substring(source.length());
            }
        }
    }
}
