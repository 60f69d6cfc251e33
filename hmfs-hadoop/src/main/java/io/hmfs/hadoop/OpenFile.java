package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.Grants;
import java.io.IOException;

/**
 * A file that is open for writing: where a commit of its size goes. The server finds a file by directory and name, so a rename
 * through the same filesystem tells the file its new place; a rename by somebody else makes the next commit fail. Thread-safe.
 */
final class OpenFile {
    private final ServerLink link;
    private String path; // guarded by this, as all fields below
    private FileInfo info;
    private final Grants grants;

    OpenFile(ServerLink link, String path, OpenedFile opened) {
        this.link = link;
        this.path = path;
        this.info = opened.info();
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

    /** Makes {@code size} bytes visible; they must be in the data store. */
    void commit(long size) throws IOException {
        FileInfo target = place();
        try {
            link.repeat(client -> client.append(target, size, grants.current()));
        } catch (HmfsException e) {
            FileInfo now = place();
            boolean moved = e.code() == ResultCode.STALE || e.code() == ResultCode.NOT_FOUND;
            if (!moved || now.equals(target)) {
                throw HadoopErrors.translate(path(), e);
            }
            try {
                link.repeat(client -> client.append(now, size, grants.current()));
            } catch (HmfsException again) {
                throw HadoopErrors.translate(path(), again);
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
