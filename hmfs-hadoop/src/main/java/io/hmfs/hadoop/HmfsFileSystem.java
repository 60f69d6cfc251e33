package io.hmfs.hadoop;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.FileVersion;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.TransportKind;
import io.hmfs.hadoop.attributes.DirectoryQuotas;
import io.hmfs.hadoop.attributes.HmfsFileStatus;
import io.hmfs.hadoop.link.HadoopHas;
import io.hmfs.hadoop.link.LinkOnPathException;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.listing.BatchedListing;
import io.hmfs.hadoop.listing.Flattened;
import io.hmfs.hadoop.listing.GlobView;
import io.hmfs.hadoop.listing.Listing;
import io.hmfs.hadoop.listing.Listings;
import io.hmfs.hadoop.statistics.Op;
import io.hmfs.hadoop.statistics.OpCounts;
import io.hmfs.hadoop.stream.Checksums;
import io.hmfs.hadoop.stream.FileBuilder;
import io.hmfs.hadoop.stream.HmfsOutputStream;
import io.hmfs.hadoop.stream.HmfsPathHandle;
import io.hmfs.hadoop.stream.OpenFileKeys;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BatchListingOperations;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FSLinkResolver;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsConstants;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.PartialListing;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsCreateModes;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.jspecify.annotations.Nullable;

/**
 * HMFS behind {@code hmfs://host:port/}: the semantics of HDFS except for what docs/hadoop.md names. One instance has
 * one connection and acts for the user that made it, whichever thread calls it. Each method counts itself, turns its
 * paths into the names that the server knows, and calls the class of its topic in the {@link Mount}; where a symbolic
 * link leads to another filesystem, that one. Thread-safe.
 *
 * <p>This class needs no more than Hadoop 3.3.1. What later ones have is in its subclasses, of which {@code
 * fs.hmfs.impl} names the newest that fits the Hadoop of this process, unless the program says another (ADR 0159).
 */
public class HmfsFileSystem extends FileSystem implements BatchListingOperations, IOStatisticsSource {
    /** The scheme of the addresses. */
    public static final String SCHEME = ServerLink.SCHEME;

    /** The scheme of addresses to which RDMA is the only way: {@code fs.hmfs.transport=rdma} for these addresses. */
    public static final String RDMA_SCHEME = ServerLink.RDMA_SCHEME;

    private static final Pattern SLASHES_AT_END = Pattern.compile("(?<!^)/+$"); // a Path made of a URI keeps them
    private static final int REPLICATION_MAX = 512; // HDFS's own bound, by default

    static {
        Configuration.addDefaultResource("hmfs-classes.xml"); // goes before core-site.xml, so it names classes only
        if (HadoopHas.LEASES) {
            Configuration.addDefaultResource(
                    HadoopHas.BULK_DELETE ? "hmfs-classes-3.4.1.xml" : "hmfs-classes-3.3.6.xml"); // before the first
        }
    }

    private String scheme;
    private URI uri;
    private Path workingDirectory = new Path("/");
    private String user = "";
    private OpCounts counts = new OpCounts(null);
    private volatile @Nullable Mount mount;

    /** Called by Hadoop, which calls {@link #initialize} next. */
    public HmfsFileSystem() {
        this(SCHEME);
    }

    /** A filesystem for addresses of this scheme, which need not be {@code hmfs}. */
    HmfsFileSystem(String scheme) {
        this.scheme = scheme;
        uri = URI.create(scheme + ":///");
    }

    // --- Life cycle ---

    @Override
    public String getScheme() {
        return scheme;
    }

    /**
     * Connects to the server that {@code name} tells.
     *
     * @throws IOException a wrong {@code fs.hmfs.*} setting, an address without a host, or no server there
     */
    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
        super.initialize(name, conf);
        setConf(conf);
        if (name.getHost() == null) {
            throw new IOException("No host in " + name + ": an HMFS address is hmfs://host:port/, port "
                    + HmfsClient.DEFAULT_PORT + " if none is given");
        }
        HmfsOptions options = HmfsOptions.from(conf, name.getHost());
        if (RDMA_SCHEME.equals(name.getScheme())) {
            scheme = RDMA_SCHEME; // one class for both, for Hadoop's versions have a class each
            options = options.withTransport(TransportKind.RDMA);
        }
        // Here and not when it is used: on JDK 25 a thread started inside doAs no longer inherits its user.
        UserGroupInformation caller = UserGroupInformation.getCurrentUser();
        user = caller.getShortUserName();
        uri = URI.create(scheme + "://" + name.getAuthority());
        workingDirectory = getHomeDirectory();
        counts = new OpCounts(statistics);
        mount = Mount.open(name, options, caller, conf, counts);
    }

    OpCounts counts() {
        return counts;
    }

    Mount mount() throws IOException {
        Mount current = mount;
        if (current == null) {
            throw new IOException("Filesystem closed");
        }
        return current;
    }

    @Override
    public void close() throws IOException {
        Mount current = mount;
        try {
            super.close(); // deletes what was marked for it, so the connection must still be there
        } finally {
            mount = null;
            if (current != null) {
                current.close();
            }
        }
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    protected int getDefaultPort() {
        return HmfsClient.DEFAULT_PORT;
    }

    /** Null: there are no delegation tokens to ask for. */
    @Override
    public @Nullable String getCanonicalServiceName() {
        return null;
    }

    /**
     * The figures of this filesystem; those of all filesystems of this process are StorageStatistics and a source of
     * metrics2.
     */
    @Override
    public IOStatistics getIOStatistics() {
        return counts.statistics();
    }

    // --- Paths ---

    @Override
    public Path getHomeDirectory() {
        return makeQualified(new Path(USER_HOME_PREFIX + "/" + user));
    }

    @Override
    public Path getWorkingDirectory() {
        return workingDirectory;
    }

    @Override
    public void setWorkingDirectory(Path directory) {
        workingDirectory = absolute(directory);
    }

    private Path absolute(Path path) {
        return path.isAbsolute() ? path : new Path(workingDirectory, path);
    }

    /** The path as the server knows it. */
    private String serverPath(Path path) {
        checkPath(path);
        String name = absolute(path).toUri().getPath();
        return name.endsWith("/") ? SLASHES_AT_END.matcher(name).replaceFirst("") : name;
    }

    /**
     * Refuses the path of something new, as HDFS does, if it has a colon, for it could not be read back as a {@link
     * Path}, or if it is reserved. What the client library has made under such a path can be read, renamed and deleted.
     *
     * @throws IOException of the class that HDFS throws: {@code .reserved} in the root, or {@code .snapshot} anywhere
     */
    private static String checkNew(String name) throws IOException {
        if (name.indexOf(':') >= 0) {
            throw new InvalidPathException(name, "a name has a colon, which Hadoop takes for the end of a scheme");
        }
        ReservedNames.check(name);
        return name;
    }

    /** An operation of this filesystem at a path: as the server knows it, and as Hadoop does. */
    @FunctionalInterface
    private interface Here<T> {
        T at(Mount mount, String name, Path path) throws IOException;
    }

    /** An operation of another filesystem, where a symbolic link leads. */
    @FunctionalInterface
    private interface There<T> {
        T on(FileSystem files, Path path) throws IOException;
    }

    /** A {@link Here} that answers nothing. */
    @FunctionalInterface
    private interface ChangeHere {
        void at(Mount mount, String name) throws IOException;
    }

    /** A {@link There} that answers nothing. */
    @FunctionalInterface
    private interface ChangeThere {
        void on(FileSystem files, Path path) throws IOException;
    }

    private <T> T read(Op op, Path path, Here<T> here, There<T> there) throws IOException {
        counts.read(op);
        return follow(path, here, there);
    }

    private <T> T write(Op op, Path path, Here<T> here, There<T> there) throws IOException {
        counts.write(op);
        return follow(path, here, there);
    }

    private void change(Op op, Path path, ChangeHere here, ChangeThere there) throws IOException {
        counts.write(op);
        followAnd(path, here, there);
    }

    /**
     * Runs an operation at a path, or where the symbolic links on it lead. FileSystemLinkResolver does the same, but
     * makes a new filesystem for a link that stays in this one.
     */
    private <T> T follow(Path given, Here<T> here, There<T> there) throws IOException {
        Path path = absolute(given);
        for (int links = 0; ; links++) {
            try {
                return here.at(mount(), serverPath(path), path);
            } catch (LinkOnPathException e) {
                if (!areSymlinksEnabled()) {
                    throw new IOException(
                            "Symlink resolution is disabled in this version of Hadoop: " + e.getMessage(), e);
                }
                if (links > FsConstants.MAX_PATH_LINKS) {
                    throw new IOException("Possible cyclic loop while following symbolic link " + given, e);
                }
                path = FSLinkResolver.qualifySymlinkTarget(getUri(), path, HmfsFileStatus.target(e.leadsTo()));
            }
            if (!isHere(path)) {
                return there.on(FileSystem.get(path.toUri(), getConf()), path);
            }
        }
    }

    private void followAnd(Path given, ChangeHere here, ChangeThere there) throws IOException {
        follow(
                given,
                (m, name, path) -> {
                    here.at(m, name);
                    return Boolean.TRUE;
                },
                (fs, path) -> {
                    there.on(fs, path);
                    return Boolean.TRUE;
                });
    }

    private boolean isHere(Path path) {
        URI target = canonicalizeUri(path.toUri());
        URI own = getCanonicalUri();
        return own.getScheme().equalsIgnoreCase(target.getScheme())
                && own.getAuthority().equalsIgnoreCase(target.getAuthority());
    }

    // --- Streams ---

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return read(
                Op.OPEN,
                path,
                (m, name, at) -> new FSDataInputStream(m.streams().open(name)),
                (fs, at) -> fs.open(at, bufferSize));
    }

    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(Path path, OpenFileParameters parameters)
            throws IOException {
        rejectUnknown(parameters, path.toString());
        FileStatus known = parameters.getStatus();
        if (known != null && !known.getPath().getName().equals(path.getName())) {
            throw new IllegalArgumentException(
                    "The status is of " + known.getPath() + ", the file to open is " + path + ": give it its own");
        }
        return LambdaUtils.eval(new CompletableFuture<>(), () -> {
            if (known != null && known.isDirectory()) {
                throw new FileNotFoundException("Path is not a file: " + path);
            }
            return read(
                    Op.OPEN,
                    path,
                    (m, name, at) -> new FSDataInputStream(m.streams().open(name, parameters.getOptions())),
                    (fs, at) -> fs.open(at, parameters.getBufferSize()));
        });
    }

    private static void rejectUnknown(OpenFileParameters parameters, String about) {
        AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
                parameters.getMandatoryKeys(), OpenFileKeys.STANDARD, "for " + about);
    }

    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(PathHandle handle, OpenFileParameters parameters)
            throws IOException {
        rejectUnknown(parameters, handle.toString());
        return LambdaUtils.eval(new CompletableFuture<>(), () -> open(handle, parameters.getOptions()));
    }

    @Override
    public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
        return open(handle, new Configuration(false));
    }

    private FSDataInputStream open(PathHandle handle, Configuration options) throws IOException {
        counts.read(Op.OPEN);
        return new FSDataInputStream(mount().streams().open(HmfsPathHandle.of(handle), options));
    }

    @Override
    protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
        return HmfsPathHandle.of(serverPath(status.getPath()), status, options);
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress)
            throws IOException {
        return create(path, masked(permission), overwrite, true);
    }

    @Override
    @SuppressWarnings("deprecation") // of the method, which Hadoop's builder still calls
    public FSDataOutputStream createNonRecursive(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress)
            throws IOException {
        return create(path, masked(permission), flags.contains(CreateFlag.OVERWRITE), false);
    }

    /** Called by FileContext, which has applied its own umask. */
    @Override
    @SuppressWarnings("deprecation")
    protected FSDataOutputStream primitiveCreate(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress,
            Options.@Nullable ChecksumOpt checksums)
            throws IOException {
        return create(path, permission, flags, true);
    }

    /** Creates, replaces or appends to a file as the flags say; the umask has been applied. */
    FSDataOutputStream create(Path path, FsPermission mode, EnumSet<CreateFlag> flags, boolean parents)
            throws IOException {
        CreateFlag.validate(flags);
        if (flags.contains(CreateFlag.APPEND) || !flags.contains(CreateFlag.CREATE)) {
            boolean exists = exists(path);
            CreateFlag.validate(path, exists, flags);
            if (exists && flags.contains(CreateFlag.APPEND)) {
                return append(path);
            }
        }
        return create(path, mode, flags.contains(CreateFlag.OVERWRITE), parents);
    }

    private FSDataOutputStream create(Path path, FsPermission mode, boolean overwrite, boolean parents)
            throws IOException {
        CreateOptions how = options(mode, overwrite, parents);
        return write(
                Op.CREATE,
                path,
                (m, name, at) -> counted(m.streams().create(checkNew(name), how)),
                (fs, at) -> fs.create(
                        at,
                        mode,
                        overwrite,
                        getConf()
                                .getInt(
                                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_KEY,
                                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_DEFAULT),
                        fs.getDefaultReplication(at),
                        fs.getDefaultBlockSize(at),
                        null));
    }

    /** As in HDFS, missing parents inherit their mode: the umask is not asked. */
    private static CreateOptions options(FsPermission mode, boolean overwrite, boolean parents) {
        return new CreateOptions(
                mode.toShort(),
                overwrite,
                parents,
                CreateOptions.INHERITED,
                unmasked(mode).toShort());
    }

    /** A permission behind the umask; FileContext has applied its own already, and such a permission stays as it is. */
    private FsPermission masked(FsPermission permission) {
        return FsCreateModes.applyUMask(permission, FsPermission.getUMask(getConf()));
    }

    /** A permission before the umask: a default ACL may grant more of it than the umask. */
    private static FsPermission unmasked(FsPermission permission) {
        FsPermission unmasked = permission.getUnmasked();
        return unmasked == null ? permission : unmasked;
    }

    private FSDataOutputStream counted(HmfsOutputStream stream) throws IOException {
        return new FSDataOutputStream(stream, statistics, stream.start());
    }

    @Override
    public FSDataOutputStreamBuilder<?, ?> createFile(Path path) {
        return new FileBuilder(this, path, this::replace).create().overwrite(true);
    }

    /** Puts an empty file in the place of one version of a file. */
    private FSDataOutputStream replace(Path path, FsPermission permission, FileVersion version, boolean parents)
            throws IOException {
        CreateOptions how = options(masked(permission), true, parents).replacing(version);
        return write(
                Op.CREATE,
                path,
                (m, name, at) -> counted(m.streams().create(name, how)),
                (fs, at) -> (FSDataOutputStream) fs.createFile(at)
                        .must(CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG, version.etag())
                        .build());
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, @Nullable Progressable progress) throws IOException {
        return write(
                Op.APPEND,
                path,
                (m, name, at) -> counted(m.streams().append(name)),
                (fs, at) -> fs.append(at, bufferSize, progress));
    }

    /** True: the truncation is done when this returns. */
    @Override
    public boolean truncate(Path path, long newLength) throws IOException {
        return write(
                Op.TRUNCATE,
                path,
                (m, name, at) -> {
                    m.streams().truncate(name, newLength);
                    return true;
                },
                (fs, at) -> fs.truncate(at, newLength));
    }

    /**
     * Ends the lease of a file that is being written; its writer's commits stay.
     *
     * @return true: the lease has ended when this returns
     */
    public boolean recoverLease(Path path) throws IOException {
        return write(
                Op.RECOVER_LEASE,
                path,
                (m, name, at) -> {
                    m.streams().recoverLease(name);
                    return true;
                },
                this::recoverLeaseOf);
    }

    /** Whether no client has a file open for writing. */
    public boolean isFileClosed(Path path) throws IOException {
        return read(Op.IS_FILE_CLOSED, path, (m, name, at) -> m.streams().isFileClosed(name), this::isFileClosedOf);
    }

    /** Recovers a lease in the filesystem where a link leads. */
    boolean recoverLeaseOf(FileSystem files, Path path) throws IOException {
        if (files instanceof HmfsFileSystem other) {
            return other.recoverLease(path);
        }
        throw withoutLeases(files);
    }

    /** As {@link #isFileClosed}, in the filesystem where a link leads. */
    boolean isFileClosedOf(FileSystem files, Path path) throws IOException {
        if (files instanceof HmfsFileSystem other) {
            return other.isFileClosed(path);
        }
        throw withoutLeases(files);
    }

    private static UnsupportedOperationException withoutLeases(FileSystem files) {
        return new UnsupportedOperationException(files.getUri() + ", where a link leads, has no leases");
    }

    @Override
    public FileChecksum getFileChecksum(Path path) throws IOException {
        return getFileChecksum(path, Long.MAX_VALUE);
    }

    /** The checksum that HDFS would give, by the same {@code dfs.*} settings. */
    @Override
    public FileChecksum getFileChecksum(Path path, long length) throws IOException {
        if (length < 0) {
            throw new HadoopIllegalArgumentException("A length cannot be negative: " + length);
        }
        Checksums checksums = Checksums.from(getConf());
        return read(
                Op.GET_FILE_CHECKSUM,
                path,
                (m, name, at) -> m.streams().checksum(name, checksums, length),
                (fs, at) -> fs.getFileChecksum(at, length));
    }

    // --- Names ---

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        return mkdir(path, masked(permission), true);
    }

    /** Called by FileContext, which has applied its own umask. */
    @Override
    @SuppressWarnings("deprecation")
    protected boolean primitiveMkdir(Path path, FsPermission permission) throws IOException {
        return mkdir(path, permission, true);
    }

    @Override
    @SuppressWarnings("deprecation")
    protected void primitiveMkdir(Path path, FsPermission permission, boolean createParent) throws IOException {
        mkdir(path, permission, createParent);
    }

    private boolean mkdir(Path path, FsPermission mode, boolean parents) throws IOException {
        return write(
                Op.MKDIRS,
                path,
                (m, name, at) -> {
                    m.creation()
                            .mkdir(
                                    checkNew(name),
                                    mode.toShort(),
                                    unmasked(mode).toShort(),
                                    parents);
                    return true;
                },
                (fs, at) -> fs.mkdirs(at, mode));
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
        change(
                Op.SYMLINK,
                link,
                (m, name) -> m.creation().symlink(checkNew(name), target.toString(), createParent),
                (fs, path) -> fs.createSymlink(target, path, createParent));
    }

    @Override
    public boolean rename(Path source, Path target) throws IOException {
        counts.write(Op.RENAME);
        try {
            return mount().rename().into(serverPath(source), serverPath(target), HmfsFileSystem::checkNew);
        } catch (LinkOnPathException e) {
            String from = withoutLinks(source);
            return follow(
                    target,
                    (m, name, at) -> m.rename().into(from, name, HmfsFileSystem::checkNew),
                    (fs, at) -> across(source, at));
        }
    }

    @Override
    @SuppressWarnings("deprecation") // FileContext calls it
    public void rename(Path source, Path target, Options.Rename... options) throws IOException {
        counts.write(Op.RENAME);
        boolean overwrite = List.of(options).contains(Options.Rename.OVERWRITE);
        try {
            mount().rename().exactly(serverPath(source), checkNew(serverPath(target)), overwrite);
        } catch (LinkOnPathException e) {
            String from = withoutLinks(source);
            followAnd(
                    target,
                    (m, name) -> m.rename().exactly(from, checkNew(name), overwrite),
                    (fs, at) -> across(source, at));
        }
    }

    /** Where the symbolic links on a path lead; one at its end is kept. */
    private String withoutLinks(Path path) throws IOException {
        Path real = getFileLinkStatus(path).getPath();
        checkPath(real);
        return real.toUri().getPath();
    }

    private static boolean across(Path source, Path target) throws IOException {
        throw new IOException("Renames across filesystems are not supported: " + source + " to " + target);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return write(
                Op.DELETE,
                path,
                (m, name, at) -> m.removal().run(name, recursive),
                (fs, at) -> fs.delete(at, recursive));
    }

    /** As in HDFS, symbolic links on the way to the files are followed, and one in a file's place is refused. */
    @Override
    public void concat(Path target, Path[] sources) throws IOException {
        counts.write(Op.CONCAT);
        try {
            concatHere(target, sources);
        } catch (LinkOnPathException e) {
            Path there = behindLinks(target, "target");
            Path[] from = new Path[sources.length];
            for (int i = 0; i < sources.length; i++) {
                from[i] = behindLinks(sources[i], "src");
            }
            concatHere(there, from);
        }
    }

    private Path behindLinks(Path path, String role) throws IOException {
        FileStatus found = getFileLinkStatus(path);
        if (found.isSymlink()) {
            throw new IOException("Cannot concat with a symlink " + role + ": " + path + " -> " + found.getPath());
        }
        return found.getPath();
    }

    private void concatHere(Path target, Path[] sources) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path source : sources) {
            names.add(serverPath(source));
        }
        mount().concat().run(serverPath(target), names);
    }

    /** Hadoop's own uploader, on concat and rename: parts are files in a directory beside the target. */
    @Override
    public MultipartUploaderBuilder<?, ?> createMultipartUploader(Path base) throws IOException {
        return new FileSystemMultipartUploaderBuilder(this, base);
    }

    // --- Listings ---

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return Listings.sorted(list(path, false));
    }

    /** Lists page by page, each by name. */
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        return list(path, true);
    }

    private RemoteIterator<FileStatus> list(Path path, boolean sorted) throws IOException {
        return read(
                Op.LIST_STATUS,
                path,
                (m, name, at) -> m.listings().list(name, makeQualified(at), sorted),
                FileSystem::listStatusIterator);
    }

    /** Lists page by page; the statuses know their version. */
    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        return RemoteIterators.mappingRemoteIterator(
                RemoteIterators.filteringRemoteIterator(
                        listStatusIterator(path), status -> filter.accept(status.getPath())),
                this::located);
    }

    private LocatedFileStatus located(FileStatus status) throws IOException {
        BlockLocation[] locations = status.isFile() ? getFileBlockLocations(status, 0, status.getLen()) : null;
        return status instanceof HmfsFileStatus own ? own.at(locations) : new LocatedFileStatus(status, locations);
    }

    /** Lists a whole tree by parts of it: with a request for each part and not for each directory. */
    @Override
    public RemoteIterator<LocatedFileStatus> listFiles(Path path, boolean recursive) throws IOException {
        return recursive ? filesBelow(path, 0) : super.listFiles(path, false);
    }

    /** {@code links}: symbolic links that the listing has been led over from one directory to the next. */
    private RemoteIterator<LocatedFileStatus> filesBelow(Path path, int links) throws IOException {
        return read(
                Op.LIST_FILES,
                path,
                (m, name, at) -> {
                    Listing tree = m.listings().tree(name, makeQualified(at));
                    return tree == null
                            ? super.listFiles(at, false)
                            : new Flattened<>(tree, entry -> filesAt(entry, links));
                },
                (fs, at) -> fs.listFiles(at, true));
    }

    /**
     * The file of an entry, or all files below a directory or a link; null where a directory has gone or a link leads
     * nowhere.
     */
    private @Nullable RemoteIterator<LocatedFileStatus> filesAt(FileStatus entry, int links) throws IOException {
        if (entry.isFile()) {
            return RemoteIterators.remoteIteratorFromSingleton(located(entry));
        }
        if (entry.isSymlink() && links == FsConstants.MAX_PATH_LINKS) {
            throw new IOException("Possible cyclic loop while following symbolic link " + entry.getPath());
        }
        try {
            return filesBelow(entry.getPath(), entry.isSymlink() ? links + 1 : links);
        } catch (FileNotFoundException gone) {
            return null;
        }
    }

    /**
     * Lists several paths, part by part, with one request for many: in their order, each part by name, each with an
     * outcome of its own. A path that leads over a symbolic link is listed where it leads.
     */
    @Override
    public RemoteIterator<PartialListing<FileStatus>> batchedListStatusIterator(List<Path> paths) throws IOException {
        return batched(paths, status -> status);
    }

    /** The same; the statuses know the places of their files' blocks. */
    @Override
    public RemoteIterator<PartialListing<LocatedFileStatus>> batchedListLocatedStatusIterator(List<Path> paths)
            throws IOException {
        return batched(paths, this::located);
    }

    private <T extends FileStatus> BatchedListing<T> batched(List<Path> paths, BatchedListing.Status<T> status)
            throws IOException {
        counts.read(Op.LIST_STATUS);
        if (paths.isEmpty()) {
            throw new FileNotFoundException("There are no paths to list.");
        }
        List<Path> absolute = new ArrayList<>(paths.size());
        List<String> names = new ArrayList<>(paths.size());
        for (Path path : paths) {
            absolute.add(absolute(path));
            names.add(serverPath(path));
        }
        return mount().listings().batched(names, absolute, this::makeQualified, status, this::listStatus);
    }

    @Override
    public FileStatus[] globStatus(Path pattern) throws IOException {
        return globView(pattern).globStatus(pattern);
    }

    @Override
    public FileStatus[] globStatus(Path pattern, PathFilter filter) throws IOException {
        return globView(pattern).globStatus(pattern, filter);
    }

    private GlobView globView(Path pattern) throws IOException {
        Mount current = mount();
        return new GlobView(this, pattern, current.attributes(), current.listings(), counts);
    }

    // --- Attributes ---

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return read(
                Op.GET_FILE_STATUS,
                path,
                (m, name, at) -> m.attributes().status(name, makeQualified(at)),
                FileSystem::getFileStatus);
    }

    /** FileSystem's own method makes and catches an exception for each path that does not exist; this one makes none. */
    @Override
    public boolean exists(Path path) throws IOException {
        try {
            return read(
                    Op.GET_FILE_STATUS, path, (m, name, at) -> m.attributes().exists(name), FileSystem::exists);
        } catch (FileNotFoundException e) { // a link on the path was replaced during the look-up
            return false;
        }
    }

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
        FileStatus status = read(
                Op.GET_FILE_STATUS,
                path,
                (m, name, at) -> m.attributes().linkStatus(name, makeQualified(at)),
                FileSystem::getFileLinkStatus);
        if (status.isSymlink()) {
            status.setSymlink(FSLinkResolver.qualifySymlinkTarget(getUri(), status.getPath(), status.getSymlink()));
        }
        return status;
    }

    @Override
    public Path getLinkTarget(Path path) throws IOException {
        return read(
                Op.GET_FILE_STATUS,
                path,
                (m, name, at) -> {
                    FileInfo info = m.attributes().statLink(name);
                    if (!info.symlink()) {
                        throw new IOException("Path " + makeQualified(at) + " is not a symbolic link");
                    }
                    return HmfsFileStatus.target(info.target());
                },
                FileSystem::getLinkTarget);
    }

    /** Summed up by the server. No snapshot, as a listing is none; there is one copy of each byte. */
    @Override
    public ContentSummary getContentSummary(Path path) throws IOException {
        return read(
                Op.GET_CONTENT_SUMMARY,
                path,
                (m, name, at) -> m.attributes().summary(name),
                FileSystem::getContentSummary);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        change(
                Op.SET_PERMISSION,
                path,
                (m, name) -> m.attributes().setPermission(name, permission),
                (fs, at) -> fs.setPermission(at, permission));
    }

    /**
     * Asks for a permission to be set. What comes of it is told in the terms of the client, and a symbolic link is not followed: {@link #setPermission},
     * called again, tells of a failure in Hadoop's terms.
     *
     * @return ends when the permission is durable
     */
    public CompletableFuture<Void> setPermissionAsync(Path path, FsPermission permission) throws IOException {
        counts.write(Op.SET_PERMISSION);
        return mount().attributes().setPermissionAsync(serverPath(path), permission);
    }

    /** Asks for owner and group to be set, null for one that stays; otherwise as {@link #setPermissionAsync}. */
    public CompletableFuture<Void> setOwnerAsync(Path path, @Nullable String owner, @Nullable String group)
            throws IOException {
        counts.write(Op.SET_OWNER);
        return mount().attributes().setOwnerAsync(serverPath(path), owner, group);
    }

    @Override
    public void setOwner(Path path, @Nullable String owner, @Nullable String group) throws IOException {
        if (owner == null && group == null) {
            throw new IOException("Both owner and group are null: nothing to set on " + path);
        }
        change(
                Op.SET_OWNER,
                path,
                (m, name) -> m.attributes().setOwner(name, owner, group),
                (fs, at) -> fs.setOwner(at, owner, group));
    }

    @Override
    public void setTimes(Path path, long modified, long accessed) throws IOException {
        change(
                Op.SET_TIMES,
                path,
                (m, name) -> m.attributes().setTimes(name, modified, accessed),
                (fs, at) -> fs.setTimes(at, modified, accessed));
    }

    /**
     * Changes nothing, for the data store decides on replication; a factor that HDFS would refuse is refused, and so is
     * a user that may not write.
     *
     * @return whether a file is there
     */
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
        try {
            return read(
                    Op.GET_FILE_STATUS,
                    path,
                    (m, name, at) -> {
                        FileStatus status = m.attributes().status(name, at);
                        m.acls().access(name, FsAction.WRITE);
                        return status.isFile();
                    },
                    (fs, at) -> fs.setReplication(at, replication));
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    // --- Snapshots: there are none, and HDFS refuses a directory that has none with another exception ---

    @Override
    public Path createSnapshot(Path path, @Nullable String name) {
        throw withoutSnapshots(path);
    }

    @Override
    public void renameSnapshot(Path path, String from, String to) {
        throw withoutSnapshots(path);
    }

    @Override
    public void deleteSnapshot(Path path, String name) {
        throw withoutSnapshots(path);
    }

    private static UnsupportedOperationException withoutSnapshots(Path path) {
        return new UnsupportedOperationException("HMFS has no snapshots, so none of " + path);
    }

    @Override
    public void setXAttr(Path path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        change(
                Op.XATTR_SET,
                path,
                (m, at) -> m.xattrs().set(at, name, value, flags),
                (fs, at) -> fs.setXAttr(at, name, value, flags));
    }

    @Override
    public byte[] getXAttr(Path path, String name) throws IOException {
        return read(Op.XATTR_GET, path, (m, at, p) -> m.xattrs().get(at, name), (fs, at) -> fs.getXAttr(at, name));
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path) throws IOException {
        return read(Op.XATTR_GET, path, (m, at, p) -> m.xattrs().all(at), FileSystem::getXAttrs);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        return read(Op.XATTR_GET, path, (m, at, p) -> m.xattrs().get(at, names), (fs, at) -> fs.getXAttrs(at, names));
    }

    @Override
    public List<String> listXAttrs(Path path) throws IOException {
        return read(Op.XATTR_LIST, path, (m, at, p) -> m.xattrs().list(at), FileSystem::listXAttrs);
    }

    @Override
    public void removeXAttr(Path path, String name) throws IOException {
        change(Op.XATTR_REMOVE, path, (m, at) -> m.xattrs().remove(at, name), (fs, at) -> fs.removeXAttr(at, name));
    }

    @Override
    public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
        change(
                Op.MODIFY_ACL_ENTRIES,
                path,
                (m, name) -> m.acls().modify(name, entries),
                (fs, at) -> fs.modifyAclEntries(at, entries));
    }

    @Override
    public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
        change(
                Op.REMOVE_ACL_ENTRIES,
                path,
                (m, name) -> m.acls().removeEntries(name, entries),
                (fs, at) -> fs.removeAclEntries(at, entries));
    }

    @Override
    public void removeDefaultAcl(Path path) throws IOException {
        change(Op.REMOVE_DEFAULT_ACL, path, (m, name) -> m.acls().removeDefault(name), FileSystem::removeDefaultAcl);
    }

    @Override
    public void removeAcl(Path path) throws IOException {
        change(Op.REMOVE_ACL, path, (m, name) -> m.acls().remove(name), FileSystem::removeAcl);
    }

    @Override
    public void setAcl(Path path, List<AclEntry> entries) throws IOException {
        change(Op.SET_ACL, path, (m, name) -> m.acls().set(name, entries), (fs, at) -> fs.setAcl(at, entries));
    }

    @Override
    public AclStatus getAclStatus(Path path) throws IOException {
        return read(Op.GET_ACL_STATUS, path, (m, name, at) -> m.acls().get(name), FileSystem::getAclStatus);
    }

    @Override
    public void access(Path path, FsAction wanted) throws IOException {
        counts.read(Op.ACCESS);
        followAnd(path, (m, name) -> m.acls().access(name, wanted), (fs, at) -> fs.access(at, wanted));
    }

    /**
     * Limits, for superusers, the names below a directory, itself included, and the bytes of files; {@link
     * Long#MAX_VALUE}: as it is, -1: no limit.
     */
    @Override
    public void setQuota(Path path, long names, long space) throws IOException {
        DirectoryQuotas.check(names, space);
        change(
                Op.SET_QUOTA,
                path,
                (m, name) -> m.quotas().set(name, names, space),
                (fs, at) -> fs.setQuota(at, names, space));
    }

    /** Is refused: there is one kind of storage. */
    @Override
    public void setQuotaByStorageType(Path path, StorageType type, long quota) {
        throw new UnsupportedOperationException(
                "Failed to set quota by storage type: HMFS has no storage types; setQuota limits the bytes of all");
    }

    /** Known at once for a directory that has a quota; else summed up. */
    @Override
    public QuotaUsage getQuotaUsage(Path path) throws IOException {
        return read(
                Op.GET_QUOTA_USAGE,
                path,
                (m, name, at) -> {
                    QuotaUsage usage = quotaUsage(m, name);
                    return usage == null ? m.attributes().summary(name) : usage;
                },
                FileSystem::getQuotaUsage);
    }

    /**
     * Null if there is no quota, or a symbolic link stands on the path: the summary counts one that ends it, as HDFS
     * does, and is led on by others.
     */
    private static @Nullable QuotaUsage quotaUsage(Mount mount, String name) throws IOException {
        try {
            return mount.quotas().usage(name);
        } catch (LinkOnPathException e) {
            return null;
        }
    }

    /** Told by the data store if it can; else one block on {@code localhost}, which schedulers take for no place. */
    @Override
    public BlockLocation[] getFileBlockLocations(@Nullable FileStatus file, long start, long length)
            throws IOException {
        FileVersion version = file == null ? null : HmfsFileStatus.versionOf(file);
        if (version == null || start < 0 || length < 0 || mount().locations().isVirtual()) {
            return super.getFileBlockLocations(file, start, length);
        }
        BlockLocation[] told = mount().locations().of(version, start, length);
        return told == null ? super.getFileBlockLocations(file, start, length) : told;
    }

    /** True for what works at every path; the answer for symbolic links depends on what the program has switched on. */
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
                    CommonPathCapabilities.FS_CONCAT,
                    CommonPathCapabilities.FS_EXPERIMENTAL_BATCH_LISTING,
                    CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE,
                    CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG,
                    CommonPathCapabilities.FS_MULTIPART_UPLOADER,
                    CommonPathCapabilities.FS_PATHHANDLES -> true;
            case CommonPathCapabilities.ETAGS_AVAILABLE, CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME ->
                HadoopHas.ETAGS;
            case CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS ->
                mount().locations().isVirtual();
            default -> super.hasPathCapability(path, capability);
        };
    }

    // --- The server ---

    /** The space of the metadata pool; the space of the file data is known to the data store alone. */
    @Override
    public FsStatus getStatus(@Nullable Path path) throws IOException {
        counts.read(Op.GET_STATUS);
        return mount().server().space();
    }

    /** Does nothing: each answer is the server's own, and no older than its request. */
    @Override
    public void msync() throws IOException {
        mount();
    }

    @Override
    @SuppressWarnings("deprecation") // the variant with a path calls it
    public long getDefaultBlockSize() {
        Mount current = mount;
        return current == null
                ? super.getDefaultBlockSize()
                : current.link().server().blockSize();
    }

    @Override
    @SuppressWarnings("deprecation")
    public short getDefaultReplication() {
        return 1;
    }
}
