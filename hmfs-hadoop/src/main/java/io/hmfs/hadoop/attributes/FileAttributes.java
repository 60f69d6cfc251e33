package io.hmfs.hadoop.attributes;

import io.hmfs.client.FileInfo;
import io.hmfs.client.FileView;
import io.hmfs.client.HmfsException;
import io.hmfs.client.TreeSummary;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.LinkOnPathException;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that each file and directory has, of absolute paths. Failures are the exceptions of HDFS.
 * Thread-safe.
 */
public final class FileAttributes {
    private final ServerLink link;

    public FileAttributes(ServerLink link) {
        this.link = link;
    }

    /** What stands at a path; a symbolic link at its end is not followed. */
    public FileInfo statLink(String path) throws IOException {
        return link.ask(path, client -> client.stat(path));
    }

    /** What stands at a path. @throws LinkOnPathException a symbolic link stands there */
    private FileInfo stat(String path) throws IOException {
        FileInfo info = statLink(path);
        if (info.symlink()) {
            throw new LinkOnPathException(path, info.target());
        }
        return info;
    }

    /** Whether something stands at a path. @throws LinkOnPathException a symbolic link stands there */
    public boolean exists(String path) throws IOException {
        FileInfo info;
        try {
            info = link.repeatable(client -> client.stat(path));
        } catch (HmfsException e) {
            if (HadoopErrors.isAbsence(e)) {
                return false;
            }
            throw HadoopErrors.translateLookup(path, e);
        }
        if (info.symlink()) {
            throw new LinkOnPathException(path, info.target());
        }
        return true;
    }

    /** The status of what stands at a path; {@code path}: qualified, what the program will see. */
    public HmfsFileStatus status(String name, Path path) throws IOException {
        return status(stat(name), path);
    }

    /** As {@link #status(String, Path)}, but a symbolic link at the end of the path is not followed. */
    public HmfsFileStatus linkStatus(String name, Path path) throws IOException {
        return status(statLink(name), path);
    }

    /** Asks what stands at a path; a symbolic link at its end is not followed. */
    public CompletableFuture<FileInfo> statLinkAsync(String path) {
        return link.client().statAsync(path);
    }

    /** The status of an entry. {@code path}: qualified, what the program will see. */
    public HmfsFileStatus status(FileInfo info, Path path) {
        return HmfsFileStatus.of(info, link.server().blockSize(), path);
    }

    /** The status of an entry of a listing; {@code paths}: of its directory. */
    public HmfsFileStatus entry(FileView entry, ChildPaths paths) {
        return HmfsFileStatus.entry(entry, link.server().blockSize(), paths);
    }

    /** Counts and bytes of a tree, which the server sums up; one byte of a file is one byte consumed. No snapshot. */
    public ContentSummary summary(String path) throws IOException {
        TreeSummary sum = link.ask(path, client -> client.trees().summary(path));
        return new ContentSummary.Builder()
                .length(sum.bytes())
                .fileCount(sum.files())
                .directoryCount(sum.directories())
                .spaceConsumed(sum.bytes())
                .quota(sum.nameQuota())
                .spaceQuota(sum.spaceQuota())
                .erasureCodingPolicy("") // what HDFS says of a directory that has none
                .build();
    }

    public void setPermission(String path, FsPermission permission) throws IOException {
        link.change(path, client -> client.chmod(path, permission.toShort()));
    }

    /** Asks for a permission to be set; a symbolic link at the end of the path refuses it. */
    public CompletableFuture<Void> setPermissionAsync(String path, FsPermission permission) {
        return link.client().chmodAsync(path, permission.toShort());
    }

    /** Sets owner and group; null leaves one as it is. */
    public void setOwner(String path, @Nullable String owner, @Nullable String group) throws IOException {
        link.change(path, client -> client.chown(path, owner, group));
    }

    /** Asks for owner and group to be set; a symbolic link at the end of the path refuses it. */
    public CompletableFuture<Void> setOwnerAsync(String path, @Nullable String owner, @Nullable String group) {
        return link.client().chownAsync(path, owner, group);
    }

    /** Sets both times, in milliseconds since 1970; -1 leaves one as it is. */
    public void setTimes(String path, long modified, long accessed) throws IOException {
        link.change(path, client -> client.setTimes(path, modified, accessed));
    }
}
