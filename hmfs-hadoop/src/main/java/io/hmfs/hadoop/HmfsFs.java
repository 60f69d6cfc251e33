package io.hmfs.hadoop;

import io.hmfs.hadoop.link.HadoopHas;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.UnresolvedLinkException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/** HMFS for {@code FileContext}: {@link HmfsFileSystem} behind Hadoop's other interface. */
public final class HmfsFs extends DelegateToFileSystem {
    private final HmfsFileSystem files;

    /** Called by Hadoop, by reflection. */
    public HmfsFs(URI address, Configuration conf) throws IOException, URISyntaxException {
        this(address, of(address), conf);
    }

    private static HmfsFileSystem of(URI address) {
        return HdfsSchemeFileSystem.HDFS.equals(address.getScheme()) ? new HdfsSchemeFileSystem() : newest();
    }

    /** Each class is loaded only where Hadoop has what it names. */
    private static HmfsFileSystem newest() {
        if (HadoopHas.BULK_DELETE) {
            return HmfsFileSystemSince341.make();
        }
        return HadoopHas.LEASES ? HmfsFileSystemSince336.make() : new HmfsFileSystem();
    }

    private static String schemeOf(URI address, HmfsFileSystem files) {
        return HmfsFileSystem.RDMA_SCHEME.equals(address.getScheme()) ? HmfsFileSystem.RDMA_SCHEME : files.getScheme();
    }

    private HmfsFs(URI address, HmfsFileSystem files, Configuration conf) throws IOException, URISyntaxException {
        super(address, files, conf, schemeOf(address, files), true);
        this.files = files;
    }

    /**
     * Asks for parents at the place of the file, where the superclass would look at the parent of the path given: that of
     * a link is not the one of what it leads to.
     */
    @Override
    public FSDataOutputStream createInternal(
            Path path,
            EnumSet<CreateFlag> flags,
            FsPermission permission,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress,
            Options.@Nullable ChecksumOpt checksums,
            boolean createParent)
            throws IOException {
        checkPath(path);
        return files.create(path, permission, flags, createParent);
    }

    /** Renames atomically, where the superclass would delete first. */
    @Override
    public void renameInternal(Path source, Path target, boolean overwrite) throws IOException {
        checkPath(source);
        checkPath(target);
        files.rename(source, target, overwrite ? Options.Rename.OVERWRITE : Options.Rename.NONE);
    }

    /**
     * As it is, target too. {@code FileContext} takes a relative target from the path that it gave; where other links
     * lead to this one, it is told to resolve them first.
     */
    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
        FileStatus status = files.getFileLinkStatus(path);
        if (status.isSymlink()) {
            if (isBehindLinks(status, path)) {
                throw new UnresolvedLinkException(path + " leads over other symbolic links");
            }
            status.setSymlink(files.getLinkTarget(path));
        }
        return status;
    }

    /** Where the link stands, if other links lead to it; else its target. */
    @Override
    public Path getLinkTarget(Path path) throws IOException {
        FileStatus status = files.getFileLinkStatus(path);
        return isBehindLinks(status, path) ? status.getPath() : files.getLinkTarget(path);
    }

    private boolean isBehindLinks(FileStatus status, Path path) {
        return !status.getPath().equals(files.makeQualified(path));
    }

    /** Lists page by page, where the superclass would hold all entries. */
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path directory) throws IOException {
        checkPath(directory);
        return files.listStatusIterator(directory);
    }

    /** Lists with versions, which the superclass would drop. */
    @Override
    public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path directory) throws IOException {
        return files.listLocatedStatus(directory);
    }

    @Override
    public MultipartUploaderBuilder<?, ?> createMultipartUploader(Path base) throws IOException {
        return files.createMultipartUploader(base);
    }

    @Override
    public void setXAttr(Path path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        files.setXAttr(path, name, value, flags);
    }

    @Override
    public byte[] getXAttr(Path path, String name) throws IOException {
        return files.getXAttr(path, name);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path) throws IOException {
        return files.getXAttrs(path);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        return files.getXAttrs(path, names);
    }

    @Override
    public List<String> listXAttrs(Path path) throws IOException {
        return files.listXAttrs(path);
    }

    @Override
    public void removeXAttr(Path path, String name) throws IOException {
        files.removeXAttr(path, name);
    }

    @Override
    public void access(Path path, FsAction wanted) throws IOException {
        files.access(path, wanted);
    }

    @Override
    public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
        files.modifyAclEntries(path, entries);
    }

    @Override
    public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
        files.removeAclEntries(path, entries);
    }

    @Override
    public void removeDefaultAcl(Path path) throws IOException {
        files.removeDefaultAcl(path);
    }

    @Override
    public void removeAcl(Path path) throws IOException {
        files.removeAcl(path);
    }

    @Override
    public void setAcl(Path path, List<AclEntry> entries) throws IOException {
        files.setAcl(path, entries);
    }

    @Override
    public AclStatus getAclStatus(Path path) throws IOException {
        return files.getAclStatus(path);
    }

    @Override
    public boolean isValidName(String path) {
        return true; // the server judges names, and refuses with an exception of its own
    }

    @Override
    public void msync() throws IOException {
        files.msync();
    }
}
