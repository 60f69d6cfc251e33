package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsException;
import io.hmfs.client.Leases;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.Grants;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.util.functional.FutureIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that is open for writing: where a commit of its size goes. The server finds a file by directory and name, so a rename
 * through the same filesystem tells the file its new place; a rename by somebody else makes the next commit fail. Thread-safe.
 */
final class OpenFile {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFile.class);

    /** How long a close waits for a server that has all of the file and only does not know yet that it is closed. */
    private static final long END_SECONDS = 10;

    private final ServerLink link;
    private String path; // guarded by this, as all fields below
    private FileInfo info;
    private final Grants grants;
    private final Grant lease;

    OpenFile(ServerLink link, String path, OpenedFile opened) {
        this.link = link;
        this.path = path;
        this.info = opened.info();
        this.lease = opened.grant();
        this.grants = new HeldGrant(link, this::path, info.id(), true, opened.grant());
    }

    /** What allows to write the file. */
    Grants grants() {
        return grants;
    }

    long inode() {
        synchronized (this) {
            return info.id();
        }
    }

    String path() {
        synchronized (this) {
            return path;
        }
    }

    /** Makes {@code size} bytes visible; they must be in the data store. With {@code last} the lease is over then. */
    void commit(long size, boolean last) throws IOException {
        FileInfo target = place();
        try {
            link.repeat(client -> client.append(target, size, grants.current(), last));
        } catch (HmfsException e) {
            FileInfo now = place();
            boolean moved = e.code() == ResultCode.STALE || e.code() == ResultCode.NOT_FOUND;
            if (!moved || now.equals(target)) {
                throw refusal(e);
            }
            try {
                link.repeat(client -> client.append(now, size, grants.current(), last));
            } catch (HmfsException again) {
                throw refusal(again);
            }
        }
    }

    /** What a writer is told who may not write any more. A lease goes with its file: then it is the file that is missed. */
    IOException refusal(HmfsException failure) {
        String named = path();
        return HadoopErrors.translate(
                named,
                failure.code() == ResultCode.LEASE_LOST && isGone(named)
                        ? new HmfsException(ResultCode.STALE, String.valueOf(failure.getMessage()))
                        : failure);
    }

    private boolean isGone(String named) {
        try {
            return link.client().stat(named).id() != inode();
        } catch (HmfsException e) {
            return e.code() == ResultCode.NOT_FOUND || e.code() == ResultCode.NOT_DIRECTORY;
        } catch (IOException e) {
            return false; // nobody knows
        }
    }

    /**
     * Nobody writes it here any more. {@code told}: the server knows; {@code awaited}: it does when this returns, or does not answer, and hears
     * of it later.
     */
    void release(boolean told, boolean awaited) {
        Leases leases = link.client().leases();
        if (told) {
            leases.ended();
            return;
        }
        CompletableFuture<Void> ended = leases.end(inode(), lease);
        if (awaited) {
            try {
                FutureIO.awaitFuture(ended, END_SECONDS, TimeUnit.SECONDS);
            } catch (IOException | TimeoutException e) {
                LOG.debug("The server is told later that nobody writes {} any more", path(), e);
            }
        }
    }

    private FileInfo place() {
        synchronized (this) {
            return info;
        }
    }

    /** After a rename of {@code source} to {@code target}: whether it may have been this file. */
    boolean isAt(String source) {
        synchronized (this) {
            return path.equals(source);
        }
    }

    /** The file now at {@code target}: ours, if the inode says so. */
    void moved(String target, FileInfo there) {
        synchronized (this) {
            if (there.id() == info.id()) {
                path = target;
                info = there;
            }
        }
    }

    /** A directory above the file was renamed: only messages change. */
    void parentMoved(String source, String target) {
        synchronized (this) {
            if (path.startsWith(source + "/")) {
                path = target + path.substring(source.length());
            }
        }
    }
}
