package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import java.io.Serializable;

/**
 * What a file was at one moment. Each commit of a size, and each truncate, is another version; a rename and a change of mode or owner are
 * none. An inode is never used again. Whoever sets a modification time back with setTimes hides what changed without changing the size.
 */
record FileVersion(long inode, long mtimeNanos, long size) implements Serializable {
    static FileVersion of(FileInfo info) {
        return new FileVersion(info.id(), info.mtimeNanos(), info.size());
    }

    /** Opaque to whoever gets it. */
    String etag() {
        return Long.toHexString(inode) + "-" + Long.toHexString(mtimeNanos) + "-" + Long.toHexString(size);
    }
}
