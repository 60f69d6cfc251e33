package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/** The part of {@link HmfsFileSystem} that is about the attributes of what a path names. */
abstract class AttributedFileSystem extends FileSystem {
    abstract Session session() throws IOException;

    abstract Path absolute(Path path);

    /** The path as the server knows it. */
    final String serverPath(Path path) {
        checkPath(path);
        return absolute(path).toUri().getPath();
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return status(session().stat(serverPath(path)), makeQualified(absolute(path)));
    }

    final FileStatus status(FileInfo info, Path path) throws IOException {
        return new FileStatus(
                info.size(),
                info.directory(),
                info.directory() ? 0 : 1,
                info.directory() ? 0 : session().server().blockSize(),
                info.mtimeMillis(),
                info.atimeMillis(),
                FsPermission.createImmutable((short) info.mode()),
                info.owner(),
                info.group(),
                path);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        statistics.incrementWriteOps(1);
        session().change(serverPath(path), (client, name) -> client.chmod(name, permission.toShort()));
    }

    @Override
    public void setOwner(Path path, @Nullable String owner, @Nullable String group) throws IOException {
        if (owner == null && group == null) {
            throw new HadoopIllegalArgumentException("Both owner and group are null: nothing to set on " + path);
        }
        statistics.incrementWriteOps(1);
        session().change(serverPath(path), (client, name) -> client.chown(name, owner, group));
    }

    @Override
    public void setTimes(Path path, long modified, long accessed) throws IOException {
        statistics.incrementWriteOps(1);
        session().change(serverPath(path), (client, name) -> client.setTimes(name, modified, accessed));
    }

    @Override
    public void setXAttr(Path path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        statistics.incrementWriteOps(1);
        session().xattrs().set(serverPath(path), name, value, flags);
    }

    @Override
    public byte[] getXAttr(Path path, String name) throws IOException {
        statistics.incrementReadOps(1);
        return session().xattrs().get(serverPath(path), name);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return session().xattrs().all(serverPath(path));
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        statistics.incrementReadOps(1);
        return session().xattrs().get(serverPath(path), names);
    }

    @Override
    public List<String> listXAttrs(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return session().xattrs().list(serverPath(path));
    }

    @Override
    public void removeXAttr(Path path, String name) throws IOException {
        statistics.incrementWriteOps(1);
        session().xattrs().remove(serverPath(path), name);
    }
}
