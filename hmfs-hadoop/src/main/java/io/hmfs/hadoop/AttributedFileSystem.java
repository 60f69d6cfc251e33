package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.hadoop.link.LinkOnPathException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FSLinkResolver;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsConstants;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;
import org.apache.hadoop.fs.permission.FsCreateModes;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link HmfsFileSystem} that is about the attributes of what a path names, and about symbolic links, which are followed
 * here and not by the server: they may lead to another filesystem.
 */
abstract class AttributedFileSystem extends FileSystem {
    private static final Pattern SLASHES_AT_END =
            Pattern.compile("(?<!^)/+$"); // those of a URI: Path leaves them there
    private static final int REPLICATION_MAX = 512; // HDFS's own bound, by default

    final OpCounts counts = new OpCounts();

    abstract Session session() throws IOException;

    /** Counts something that changes nothing. */
    final void looks(Op op) {
        statistics.incrementReadOps(1);
        counts.add(op);
    }

    /** Counts a change. */
    final void changes(Op op) {
        statistics.incrementWriteOps(1);
        counts.add(op);
    }

    abstract Path absolute(Path path);

    /** The path as the server knows it. */
    final String serverPath(Path path) {
        checkPath(path);
        String name = absolute(path).toUri().getPath();
        return name.endsWith("/") ? SLASHES_AT_END.matcher(name).replaceFirst("") : name;
    }

    /** Something to do here, at a path as the server knows it, and as Hadoop does. */
    @FunctionalInterface
    interface Here<T> {
        T at(String name, Path path) throws IOException;
    }

    /** The same on another filesystem. */
    @FunctionalInterface
    interface There<T> {
        T on(FileSystem files, Path path) throws IOException;
    }

    /** Does something at a path, or where the symbolic links on it lead: as FileSystemLinkResolver, but this filesystem stays this one. */
    final <T> T follow(Path given, Here<T> here, There<T> there) throws IOException {
        Path path = absolute(given);
        for (int links = 0; ; links++) {
            try {
                return here.at(serverPath(path), path);
            } catch (LinkOnPathException e) {
                if (!areSymlinksEnabled()) {
                    throw new IOException(
                            "Symlink resolution is disabled in this version of Hadoop: " + e.getMessage(), e);
                }
                if (links > FsConstants.MAX_PATH_LINKS) {
                    throw new IOException("Possible cyclic loop while following symbolic link " + given, e);
                }
                path = FSLinkResolver.qualifySymlinkTarget(getUri(), path, target(e.leadsTo()));
            }
            if (!isHere(path)) {
                return there.on(FileSystem.get(path.toUri(), getConf()), path);
            }
        }
    }

    /** Something that answers nothing. */
    @FunctionalInterface
    interface Action {
        void at(String name) throws IOException;
    }

    /** The same on another filesystem. */
    @FunctionalInterface
    interface ActionThere {
        void on(FileSystem files, Path path) throws IOException;
    }

    final void followAnd(Path given, Action here, ActionThere there) throws IOException {
        follow(
                given,
                (name, path) -> {
                    here.at(name);
                    return Boolean.TRUE;
                },
                (files, path) -> {
                    there.on(files, path);
                    return Boolean.TRUE;
                });
    }

    private boolean isHere(Path path) {
        URI uri = canonicalizeUri(path.toUri());
        URI own = getCanonicalUri();
        return own.getScheme().equalsIgnoreCase(uri.getScheme())
                && own.getAuthority().equalsIgnoreCase(uri.getAuthority());
    }

    @Override
    public boolean supportsSymlinks() {
        return true;
    }

    /**
     * The link keeps the target as it is given.
     *
     * @throws UnsupportedOperationException as in HDFS, where {@code FileSystem.enableSymlinks} was not called
     */
    @Override
    public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
        if (!areSymlinksEnabled()) {
            throw new UnsupportedOperationException("symbolic link " + link
                    + ": Hadoop has them switched off in this program; call FileSystem.enableSymlinks() first");
        }
        if (target.toString().isEmpty()) {
            throw new IOException("A symbolic link to \".\" cannot be made: its target is empty");
        }
        changes(Op.SYMLINK);
        int parentMode = masked(FsPermission.getDirDefault()).toShort();
        followAnd(
                link,
                name -> session().symlink(name, target.toString(), createParent, parentMode),
                (files, path) -> files.createSymlink(target, path, createParent));
    }

    /** What was masked before, by FileContext, stays as it is. */
    final FsPermission masked(FsPermission permission) {
        return FsCreateModes.applyUMask(permission, FsPermission.getUMask(getConf()));
    }

    /** What it was before, of which a default ACL may grant more than the umask. */
    static FsPermission unmasked(FsPermission permission) {
        FsPermission unmasked = permission.getUnmasked();
        return unmasked == null ? permission : unmasked;
    }

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
        looks(Op.GET_FILE_STATUS);
        FileStatus status = follow(
                path, (name, at) -> status(session().stat(name), makeQualified(at)), FileSystem::getFileLinkStatus);
        if (status.isSymlink()) {
            status.setSymlink(FSLinkResolver.qualifySymlinkTarget(getUri(), status.getPath(), status.getSymlink()));
        }
        return status;
    }

    @Override
    public Path getLinkTarget(Path path) throws IOException {
        looks(Op.GET_FILE_STATUS);
        return follow(
                path,
                (name, at) -> {
                    FileInfo info = session().stat(name);
                    if (!info.symlink()) {
                        throw new IOException("Path " + makeQualified(at) + " is not a symbolic link");
                    }
                    return target(info.target());
                },
                FileSystem::getLinkTarget);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        looks(Op.GET_FILE_STATUS);
        return follow(
                path,
                (name, at) -> {
                    FileInfo info = session().stat(name);
                    if (info.symlink()) {
                        throw new LinkOnPathException(name, info.target());
                    }
                    return status(info, makeQualified(at));
                },
                FileSystem::getFileStatus);
    }

    /** By the server. No snapshot, as a listing is none; there is one copy of each byte. */
    @Override
    public ContentSummary getContentSummary(Path path) throws IOException {
        looks(Op.GET_CONTENT_SUMMARY);
        return follow(path, (name, at) -> session().summary(name), FileSystem::getContentSummary);
    }

    /** Anybody may have made the link: a text with a colon that names no filesystem is a name. */
    private static Path target(String text) {
        try {
            return new Path(text);
        } catch (IllegalArgumentException e) {
            return new Path(null, null, text);
        }
    }

    final FileStatus status(FileInfo info, Path path) throws IOException {
        return new HmfsFileStatus(
                info, session().server().blockSize(), info.symlink() ? target(info.target()) : null, path);
    }

    private void change(Op op, Path path, Session.Change change, ActionThere there) throws IOException {
        changes(op);
        followAnd(path, name -> session().change(name, change), there);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        change(
                Op.SET_PERMISSION,
                path,
                (client, name) -> client.chmod(name, permission.toShort()),
                (files, at) -> files.setPermission(at, permission));
    }

    @Override
    public void setOwner(Path path, @Nullable String owner, @Nullable String group) throws IOException {
        if (owner == null && group == null) {
            throw new HadoopIllegalArgumentException("Both owner and group are null: nothing to set on " + path);
        }
        change(
                Op.SET_OWNER,
                path,
                (client, name) -> client.chown(name, owner, group),
                (files, at) -> files.setOwner(at, owner, group));
    }

    @Override
    public FileChecksum getFileChecksum(Path path) throws IOException {
        return getFileChecksum(path, Long.MAX_VALUE);
    }

    /** As HDFS's, by the same {@code dfs.*} settings; reads the data for it. */
    @Override
    public FileChecksum getFileChecksum(Path path, long length) throws IOException {
        if (length < 0) {
            throw new HadoopIllegalArgumentException("A length cannot be negative: " + length);
        }
        looks(Op.GET_FILE_CHECKSUM);
        Checksums checksums = Checksums.from(getConf());
        return follow(
                path,
                (name, at) -> {
                    try (InputStream file = open(at)) {
                        return checksums.of(file, length);
                    }
                },
                (files, at) -> files.getFileChecksum(at, length));
    }

    /** Replication is the data store's affair: nothing changes, but who asks for what cannot be is told so, as by HDFS. */
    @Override
    public boolean setReplication(Path path, short replication) throws IOException {
        if (replication < 1) {
            throw new IOException("Requested replication factor of " + replication
                    + " is less than the required minimum of 1 for " + serverPath(path));
        }
        if (replication > REPLICATION_MAX) {
            throw new IOException("Requested replication factor of " + replication + " exceeds maximum of "
                    + REPLICATION_MAX + " for " + serverPath(path));
        }
        return getFileStatus(path).isFile();
    }

    @Override
    public void setTimes(Path path, long modified, long accessed) throws IOException {
        change(
                Op.SET_TIMES,
                path,
                (client, name) -> client.setTimes(name, modified, accessed),
                (files, at) -> files.setTimes(at, modified, accessed));
    }

    @Override
    public void setXAttr(Path path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        changes(Op.XATTR_SET);
        followAnd(
                path,
                at -> session().xattrs().set(at, name, value, flags),
                (files, at) -> files.setXAttr(at, name, value, flags));
    }

    @Override
    public byte[] getXAttr(Path path, String name) throws IOException {
        looks(Op.XATTR_GET);
        return follow(path, (at, p) -> session().xattrs().get(at, name), (files, at) -> files.getXAttr(at, name));
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path) throws IOException {
        looks(Op.XATTR_GET);
        return follow(path, (at, p) -> session().xattrs().all(at), FileSystem::getXAttrs);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        looks(Op.XATTR_GET);
        return follow(path, (at, p) -> session().xattrs().get(at, names), (files, at) -> files.getXAttrs(at, names));
    }

    @Override
    public List<String> listXAttrs(Path path) throws IOException {
        looks(Op.XATTR_LIST);
        return follow(path, (at, p) -> session().xattrs().list(at), FileSystem::listXAttrs);
    }

    @Override
    public void removeXAttr(Path path, String name) throws IOException {
        changes(Op.XATTR_REMOVE);
        followAnd(path, at -> session().xattrs().remove(at, name), (files, at) -> files.removeXAttr(at, name));
    }

    /** True is what works for every path here; the answer for symbolic links depends on what the program has switched on. */
    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        return switch (PathCapabilitiesSupport.validatePathCapabilityArgs(makeQualified(path), capability)) {
            case CommonPathCapabilities.FS_ACLS,
                    CommonPathCapabilities.FS_APPEND,
                    CommonPathCapabilities.FS_CHECKSUMS,
                    CommonPathCapabilities.FS_PERMISSIONS,
                    CommonPathCapabilities.FS_TRUNCATE,
                    CommonPathCapabilities.FS_XATTRS,
                    CommonPathCapabilities.ABORTABLE_STREAM,
                    CommonPathCapabilities.ETAGS_AVAILABLE,
                    CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME,
                    CommonPathCapabilities.FS_CONCAT,
                    CommonPathCapabilities.LEASE_RECOVERABLE,
                    CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE,
                    CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG,
                    CommonPathCapabilities.FS_MULTIPART_UPLOADER,
                    CommonPathCapabilities.FS_PATHHANDLES -> true;
            case CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS ->
                session().locations().isVirtual();
            default -> super.hasPathCapability(path, capability);
        };
    }

    /** There is nothing to wait for: each answer is the server's own, and no older than the question. */
    @Override
    public void msync() throws IOException {
        session();
    }
}
