package io.hmfs.hadoop;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileVersion;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ServerStatus;
import io.hmfs.hadoop.link.LinkOnPathException;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * HMFS behind {@code hmfs://host:port/}: the semantics of HDFS except for what docs/hadoop.md names. One instance has one
 * connection and acts for the user who made it, whoever calls it. Thread-safe.
 */
public final class HmfsFileSystem extends ExtendedFileSystem {
    /** The scheme of the addresses. */
    public static final String SCHEME = "hmfs";

    static {
        Configuration.addDefaultResource("hmfs-classes.xml"); // goes before core-site.xml, so it has no setting
    }

    private URI uri = URI.create(SCHEME + ":///");
    private Path workingDirectory = new Path("/");
    private String user = "";
    private volatile @Nullable Session session;

    /** Made by Hadoop, which calls {@link #initialize} next. */
    public HmfsFileSystem() {}

    @Override
    public String getScheme() {
        return SCHEME;
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
        // Here and not when it is used: on JDK 25 a thread started inside doAs no longer inherits its user.
        UserGroupInformation caller = UserGroupInformation.getCurrentUser();
        user = caller.getShortUserName();
        uri = URI.create(SCHEME + "://" + name.getAuthority());
        workingDirectory = getHomeDirectory();
        session = Session.open(name, options, caller, conf, counts, statistics);
    }

    @Override
    Session session() throws IOException {
        Session current = session;
        if (current == null) {
            throw new IOException("Filesystem closed");
        }
        return current;
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    protected int getDefaultPort() {
        return HmfsClient.DEFAULT_PORT;
    }

    /** There are no delegation tokens to ask for. */
    @Override
    public @Nullable String getCanonicalServiceName() {
        return null;
    }

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

    @Override
    Path absolute(Path path) {
        return path.isAbsolute() ? path : new Path(workingDirectory, path);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        looks(Op.OPEN);
        return follow(
                path,
                (name, at) ->
                        new FSDataInputStream(session().reader(name, session().readAhead())),
                (files, at) -> files.open(at, bufferSize));
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

    /** From FileContext, which has applied its own umask already. */
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
        boolean exists = exists(path);
        CreateFlag.validate(path, exists, flags);
        if (exists && flags.contains(CreateFlag.APPEND)) {
            return append(path, bufferSize, progress);
        }
        return create(path, permission, flags.contains(CreateFlag.OVERWRITE), true);
    }

    @Override
    public FSDataOutputStreamBuilder<?, ?> createFile(Path path) {
        return new FileBuilder(this, path).create().overwrite(true);
    }

    private CreateOptions options(FsPermission mode, boolean overwrite, boolean parents) {
        short parentMode = masked(FsPermission.getDirDefault()).toShort();
        return new CreateOptions(
                mode.toShort(), overwrite, parents, parentMode, unmasked(mode).toShort());
    }

    /** Puts an empty file in the place of one version of a file. */
    FSDataOutputStream replace(Path path, FsPermission permission, FileVersion version, boolean parents)
            throws IOException {
        changes(Op.CREATE);
        CreateOptions how = options(masked(permission), true, parents).replacing(version);
        return follow(
                path,
                (name, at) -> new FSDataOutputStream(session().create(name, how), statistics),
                (files, at) -> (FSDataOutputStream) files.createFile(at)
                        .must(Options.CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG, version.etag())
                        .build());
    }

    private FSDataOutputStream create(Path path, FsPermission mode, boolean overwrite, boolean parents)
            throws IOException {
        changes(Op.CREATE);
        CreateOptions how = options(mode, overwrite, parents);
        return follow(
                path,
                (name, at) -> new FSDataOutputStream(session().create(name, how), statistics),
                (files, at) -> files.create(
                        at,
                        mode,
                        overwrite,
                        getConf()
                                .getInt(
                                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_KEY,
                                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_DEFAULT),
                        files.getDefaultReplication(at),
                        files.getDefaultBlockSize(at),
                        null));
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, @Nullable Progressable progress) throws IOException {
        changes(Op.APPEND);
        return follow(
                path,
                (name, at) -> {
                    Session.AppendStart start = session().appender(name);
                    return new FSDataOutputStream(start.stream(), statistics, start.position());
                },
                (files, at) -> files.append(at, bufferSize, progress));
    }

    /** Always done when it returns. */
    @Override
    public boolean truncate(Path path, long newLength) throws IOException {
        changes(Op.TRUNCATE);
        return follow(
                path,
                (name, at) -> {
                    session().truncate(name, newLength);
                    return true;
                },
                (files, at) -> files.truncate(at, newLength));
    }

    @Override
    public boolean rename(Path source, Path target) throws IOException {
        changes(Op.RENAME);
        try {
            return session().renames().into(serverPath(source), serverPath(target));
        } catch (LinkOnPathException e) {
            String from = withoutLinks(source);
            return follow(
                    target, (name, at) -> session().renames().into(from, name), (files, at) -> across(source, at));
        }
    }

    @Override
    @SuppressWarnings("deprecation") // FileContext calls it
    public void rename(Path source, Path target, Options.Rename... options) throws IOException {
        changes(Op.RENAME);
        boolean overwrite = List.of(options).contains(Options.Rename.OVERWRITE);
        try {
            session().renames().exactly(serverPath(source), serverPath(target), overwrite);
        } catch (LinkOnPathException e) {
            String from = withoutLinks(source);
            followAnd(
                    target,
                    name -> session().renames().exactly(from, name, overwrite),
                    (files, at) -> across(source, at));
        }
    }

    /** Where the links on the path lead; one at its end is what is meant. */
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
        changes(Op.DELETE);
        return follow(path, (name, at) -> delete(name, recursive), (files, at) -> files.delete(at, recursive));
    }

    private boolean delete(String name, boolean recursive) throws IOException {
        if (!name.equals("/")) {
            return session().delete(name, recursive);
        }
        if (!recursive && Listing.open(session().link(), name, 1).hasNext()) {
            throw new PathIsNotEmptyDirectoryException(name);
        }
        return false; // as in HDFS: the root stays, and so does what is in it
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return sorted(listStatusIterator(path));
    }

    /** Page by page, in no order. */
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        looks(Op.LIST_STATUS);
        return follow(path, this::listing, FileSystem::listStatusIterator);
    }

    private RemoteIterator<FileStatus> listing(String name, Path path) throws IOException {
        return statuses(Listing.open(session().link(), name, session().options().listPageEntries()), path);
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        return mkdir(path, masked(permission), true);
    }

    /** From FileContext, which has applied its own umask already. */
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
        changes(Op.MKDIRS);
        return follow(
                path,
                (name, at) -> {
                    session().mkdir(name, mode.toShort(), unmasked(mode).toShort(), parents);
                    return true;
                },
                (files, at) -> files.mkdirs(at, mode));
    }

    /** The space of the metadata pool: how much the data store has, only the data store knows. */
    @Override
    public FsStatus getStatus(@Nullable Path path) throws IOException {
        looks(Op.GET_STATUS);
        ServerStatus status = session().link().repeatable(HmfsClient::status);
        long used = status.regionsMax() == 0
                ? 0
                : (long) ((double) status.capacity() * status.regionsUsed() / status.regionsMax());
        return new FsStatus(status.capacity(), used, status.capacity() - used);
    }

    @Override
    @SuppressWarnings("deprecation") // the variant with a path calls it
    public long getDefaultBlockSize() {
        Session current = session;
        return current == null ? super.getDefaultBlockSize() : current.server().blockSize();
    }

    @Override
    @SuppressWarnings("deprecation")
    public short getDefaultReplication() {
        return 1;
    }

    @Override
    public void close() throws IOException {
        Session current = session;
        try {
            super.close(); // deletes what was marked for it, so the connection must still be there
        } finally {
            session = null;
            if (current != null) {
                current.close();
            }
        }
    }
}
