package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.client.FileVersion;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/** A file status that knows which version of the file it tells of. */
final class HmfsFileStatus extends FileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final long inode;
    private final long mtimeNanos;

    HmfsFileStatus(FileInfo info, long blockSize, @Nullable Path target, Path path) {
        super(
                isFile(info) ? info.size() : 0,
                info.directory(),
                isFile(info) ? 1 : 0,
                isFile(info) ? blockSize : 0,
                info.mtimeMillis(),
                info.atimeMillis(),
                FsPermission.createImmutable((short) info.mode()),
                info.owner(),
                info.group(),
                target,
                path,
                attributes(info.acl(), false, false, false));
        this.inode = info.id();
        this.mtimeNanos = info.mtimeNanos();
    }

    private static boolean isFile(FileInfo info) {
        return !info.directory() && !info.symlink();
    }

    /** Which version of a file a status tells of; null if it is not one of ours. */
    static @Nullable FileVersion versionOf(FileStatus status) {
        return status instanceof HmfsFileStatus own
                ? own.version()
                : status instanceof Located located ? located.version : null;
    }

    private FileVersion version() {
        return new FileVersion(inode, mtimeNanos, getLen());
    }

    /** Empty for what has no content of its own. */
    @Override
    public String getEtag() {
        return isFile() ? version().etag() : "";
    }

    LocatedFileStatus at(BlockLocation @Nullable [] locations) {
        return new Located(this, locations);
    }

    /** The same with the places of its blocks. */
    private static final class Located extends LocatedFileStatus implements EtagSource {
        private static final long serialVersionUID = 1L;

        private final FileVersion version;

        Located(HmfsFileStatus status, BlockLocation @Nullable [] locations) {
            super(status, locations);
            this.version = status.version();
        }

        @Override
        public String getEtag() {
            return isFile() ? version.etag() : "";
        }
    }
}
