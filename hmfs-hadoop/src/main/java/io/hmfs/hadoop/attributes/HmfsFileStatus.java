package io.hmfs.hadoop.attributes;

import io.hmfs.client.FileVersion;
import io.hmfs.client.FileView;
import io.hmfs.hadoop.link.HadoopHas;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.lang.invoke.VarHandle;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/** A file status that knows the version of the file; an {@code EtagSource} where Hadoop has that interface. */
public class HmfsFileStatus extends FileStatus {
    private static final long serialVersionUID = 1L;

    private final long inode;
    private final long mtimeNanos;
    private final @Nullable ChildPaths paths; // makes the path of an entry when it is first asked for
    private final String name; // of an entry: its name, or its path from the top of the listing

    /** {@code path}: qualified, what the program will see; {@code blockSize}: of files, in bytes. */
    public static HmfsFileStatus of(FileView info, long blockSize, Path path) {
        return of(info, blockSize, path, null);
    }

    /** The status of an entry of a listing, whose path is made when it is first asked for. */
    public static HmfsFileStatus entry(FileView info, long blockSize, ChildPaths paths) {
        return of(info, blockSize, null, paths);
    }

    private static HmfsFileStatus of(FileView info, long blockSize, @Nullable Path path, @Nullable ChildPaths paths) {
        return HadoopHas.ETAGS
                ? WithEtag.make(info, blockSize, path, paths)
                : new HmfsFileStatus(info, blockSize, path, paths);
    }

    private HmfsFileStatus(FileView info, long blockSize, @Nullable Path path, @Nullable ChildPaths paths) {
        super(
                isFile(info) ? info.size() : 0,
                info.directory(),
                isFile(info) ? 1 : 0,
                isFile(info) ? blockSize : 0,
                info.mtimeMillis(),
                info.atimeMillis(),
                Permissions.of(info.mode()),
                info.owner(),
                info.group(),
                info.symlink() ? target(info.target()) : null,
                path,
                attributes(info.acl(), false, false, false));
        this.inode = info.id();
        this.mtimeNanos = info.mtimeNanos();
        this.paths = paths;
        this.name = info.name();
    }

    /** The name, or the path from the top of the listing, of an entry. */
    public String name() {
        return name;
    }

    @Override
    public Path getPath() {
        Path made = super.getPath();
        if (made == null && paths != null) {
            made = paths.child(name);
            VarHandle.storeStoreFence(); // another thread that sees the path sees what is in it
            super.setPath(made);
        }
        return made;
    }

    // Where the superclass reads its field and does not ask getPath.

    @Override
    public String toString() {
        getPath();
        return super.toString();
    }

    @Override
    public Path getSymlink() throws IOException {
        getPath();
        return super.getSymlink();
    }

    @Override
    public void validateObject() throws InvalidObjectException {
        getPath();
        super.validateObject();
    }

    /** The target of a symbolic link as a path: a text with a colon that names no filesystem is a name. */
    public static Path target(String text) {
        try {
            return new Path(text);
        } catch (IllegalArgumentException e) {
            return new Path(null, null, text);
        }
    }

    private static boolean isFile(FileView info) {
        return !info.directory() && !info.symlink();
    }

    /** The version of a file that a status tells of; null if the status is not of this class. */
    public static @Nullable FileVersion versionOf(FileStatus status) {
        return status instanceof HmfsFileStatus own
                ? own.version()
                : status instanceof Located located ? located.version : null;
    }

    private FileVersion version() {
        return new FileVersion(inode, mtimeNanos, getLen());
    }

    /** The etag of the version; empty for what has no content of its own. */
    public String getEtag() {
        return isFile() ? version().etag() : "";
    }

    /** This status with the places of the blocks of its file. */
    public LocatedFileStatus at(BlockLocation @Nullable [] locations) {
        return new Located(this, locations);
    }

    private static class Located extends LocatedFileStatus {
        private static final long serialVersionUID = 1L;

        private final FileVersion version;

        Located(HmfsFileStatus status, BlockLocation @Nullable [] locations) {
            super(status, locations);
            this.version = status.version();
        }
    }

    /** From Hadoop 3.3.2 on. */
    private static final class WithEtag extends HmfsFileStatus implements EtagSource {
        private static final long serialVersionUID = 1L;

        private WithEtag(FileView info, long blockSize, @Nullable Path path, @Nullable ChildPaths paths) {
            super(info, blockSize, path, paths);
        }

        /** Typed so that the caller can be loaded where this class cannot. */
        static HmfsFileStatus make(FileView info, long blockSize, @Nullable Path path, @Nullable ChildPaths paths) {
            return new WithEtag(info, blockSize, path, paths);
        }

        @Override
        public LocatedFileStatus at(BlockLocation @Nullable [] locations) {
            return new LocatedWithEtag(this, locations);
        }
    }

    /** From Hadoop 3.3.2 on. */
    private static final class LocatedWithEtag extends Located implements EtagSource {
        private static final long serialVersionUID = 1L;

        LocatedWithEtag(HmfsFileStatus status, BlockLocation @Nullable [] locations) {
            super(status, locations);
        }

        @Override
        public String getEtag() {
            return isFile() ? super.version.etag() : "";
        }
    }
}
