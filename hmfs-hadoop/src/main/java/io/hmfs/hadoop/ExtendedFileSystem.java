package io.hmfs.hadoop;

import io.hmfs.client.FileVersion;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.hadoop.link.HadoopErrors;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.SafeMode;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.jspecify.annotations.Nullable;

/** The part of {@link HmfsFileSystem} that Hadoop lets a filesystem leave out: options of opening, handles, concat, uploads, figures. */
abstract class ExtendedFileSystem extends ListedFileSystem implements SafeMode, LeaseRecoverable, IOStatisticsSource {
    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(Path path, OpenFileParameters parameters)
            throws IOException {
        rejectUnknown(parameters, path.toString());
        FileStatus known = parameters.getStatus();
        if (known != null && !known.getPath().getName().equals(path.getName())) {
            throw new IllegalArgumentException(
                    "The status is of " + known.getPath() + ", the file to open is " + path + ": give it its own");
        }
        return LambdaUtils.eval(new CompletableFuture<>(), () -> open(path, parameters));
    }

    private FSDataInputStream open(Path path, OpenFileParameters parameters) throws IOException {
        FileStatus known = parameters.getStatus();
        if (known != null && known.isDirectory()) {
            throw new FileNotFoundException("Path is not a file: " + path);
        }
        looks(Op.OPEN);
        ReadAhead readAhead =
                ReadAhead.of(parameters.getOptions(), session().options().readAheadChunks());
        return follow(
                path,
                (name, at) -> new FSDataInputStream(session().reader(name, readAhead)),
                (files, at) -> files.open(at, parameters.getBufferSize()));
    }

    private static void rejectUnknown(OpenFileParameters parameters, String about) {
        AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
                parameters.getMandatoryKeys(),
                Options.OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS,
                "for " + about);
    }

    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(PathHandle handle, OpenFileParameters parameters)
            throws IOException {
        rejectUnknown(parameters, handle.toString());
        return LambdaUtils.eval(new CompletableFuture<>(), () -> {
            int chunks = session().options().readAheadChunks();
            return open(handle, ReadAhead.of(parameters.getOptions(), chunks));
        });
    }

    @Override
    public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
        return open(handle, session().readAhead());
    }

    private FSDataInputStream open(PathHandle handle, ReadAhead readAhead) throws IOException {
        looks(Op.OPEN);
        HmfsPathHandle own = HmfsPathHandle.of(handle);
        HmfsInputStream in;
        try {
            in = session().reader(own.path(), readAhead);
        } catch (FileNotFoundException e) {
            throw new InvalidPathHandleException(own.path() + ": the file is not there any more", e);
        }
        try {
            own.check(in.version());
        } catch (IOException e) {
            in.close();
            throw e;
        }
        return new FSDataInputStream(in);
    }

    @Override
    protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
        return HmfsPathHandle.of(serverPath(status.getPath()), status, options);
    }

    @Override
    public void concat(Path target, Path[] sources) throws IOException {
        changes(Op.CONCAT);
        List<String> names = new ArrayList<>();
        for (Path source : sources) {
            names.add(serverPath(source));
        }
        new Concat(session()).run(serverPath(target), names);
    }

    /** Hadoop's own, on concat and rename: parts are files in a directory beside the target. */
    @Override
    public MultipartUploaderBuilder<?, ?> createMultipartUploader(Path base) throws IOException {
        return new FileSystemMultipartUploaderBuilder(this, base);
    }

    @Override
    public BulkDelete createBulkDelete(Path path) throws IOException {
        return new PagedDelete(session(), makeQualified(path));
    }

    /** Page by page, and what is listed knows its version. */
    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        return RemoteIterators.mappingRemoteIterator(
                RemoteIterators.filteringRemoteIterator(
                        listStatusIterator(path), status -> filter.accept(status.getPath())),
                this::located);
    }

    /** Of the data store, where it tells; else one block of the name {@code localhost}, which schedulers take for no place. */
    @Override
    public BlockLocation[] getFileBlockLocations(@Nullable FileStatus file, long start, long length)
            throws IOException {
        FileVersion version = file == null ? null : HmfsFileStatus.versionOf(file);
        if (version == null || start < 0 || length < 0 || session().locations().isVirtual()) {
            return super.getFileBlockLocations(file, start, length);
        }
        BlockLocation[] told = session().locations().of(version, start, length);
        return told == null ? super.getFileBlockLocations(file, start, length) : told;
    }

    final LocatedFileStatus located(FileStatus status) throws IOException {
        BlockLocation[] locations = status.isFile() ? getFileBlockLocations(status, 0, status.getLen()) : null;
        return status instanceof HmfsFileStatus own ? own.at(locations) : new LocatedFileStatus(status, locations);
    }

    /** A whole tree by parts of it, with a request for each and not for each directory. */
    @Override
    public RemoteIterator<LocatedFileStatus> listFiles(Path path, boolean recursive) throws IOException {
        if (!recursive) {
            return super.listFiles(path, false);
        }
        looks(Op.LIST_FILES);
        return follow(
                path,
                (name, at) -> {
                    TreeFiles tree = TreeFiles.open(this, name, makeQualified(at));
                    return tree == null ? super.listFiles(at, false) : tree;
                },
                (files, at) -> files.listFiles(at, true));
    }

    @Override
    public FileStatus[] globStatus(Path pattern) throws IOException {
        return new GlobView(this, pattern).globStatus(pattern);
    }

    @Override
    public FileStatus[] globStatus(Path pattern, PathFilter filter) throws IOException {
        return new GlobView(this, pattern).globStatus(pattern, filter);
    }

    /** What a listing of this path tells. */
    final RemoteIterator<FileStatus> statuses(Listing listing, Path path) {
        Path directory = makeQualified(path);
        return RemoteIterators.mappingRemoteIterator(
                listing, info -> status(info, listing.isOfFile() ? directory : new Path(directory, info.name())));
    }

    static FileStatus[] sorted(RemoteIterator<FileStatus> listing) throws IOException {
        FileStatus[] entries = RemoteIterators.toArray(listing, new FileStatus[0]);
        Arrays.sort(entries); // callers of HDFS have got used to it
        return entries;
    }

    /** Always done when it returns: what is committed stays as it is until somebody else writes the file. */
    @Override
    public boolean recoverLease(Path path) throws IOException {
        changes(Op.RECOVER_LEASE);
        return follow(
                path,
                (name, at) -> {
                    session().recoverLease(name);
                    return true;
                },
                (files, at) -> elsewhere(files).recoverLease(at));
    }

    @Override
    public boolean isFileClosed(Path path) throws IOException {
        looks(Op.IS_FILE_CLOSED);
        return follow(
                path,
                (name, at) -> session().isFileClosed(name),
                (files, at) -> elsewhere(files).isFileClosed(at));
    }

    private static LeaseRecoverable elsewhere(FileSystem files) {
        if (files instanceof LeaseRecoverable recoverable) {
            return recoverable;
        }
        throw new UnsupportedOperationException(files.getUri() + ", where a link leads, has no leases");
    }

    /** Of the whole server, for superusers; there is nothing that {@code checked} could ask a standby. */
    @Override
    public boolean setSafeMode(SafeModeAction action, boolean checked) throws IOException {
        try {
            return switch (action) {
                case GET -> session().link().repeatable(HmfsClient::isInSafeMode);
                case ENTER -> {
                    session().link().client().setSafeMode(true);
                    yield true;
                }
                case LEAVE, FORCE_EXIT -> {
                    session().link().client().setSafeMode(false);
                    yield false;
                }
            };
        } catch (HmfsException e) {
            throw HadoopErrors.translate("/", e);
        }
    }

    /**
     * For superusers: how many names may be below a directory, itself included, and how many bytes of files; {@link Long#MAX_VALUE}: as
     * it is, -1: no limit.
     */
    @Override
    public void setQuota(Path path, long names, long space) throws IOException {
        QuotaCalls.check(names, space);
        changes(Op.SET_QUOTA);
        followAnd(
                path,
                name -> QuotaCalls.set(session().link(), name, names, space),
                (files, at) -> files.setQuota(at, names, space));
    }

    /** There is one kind of storage. */
    @Override
    public void setQuotaByStorageType(Path path, StorageType type, long quota) {
        throw new UnsupportedOperationException(
                "Failed to set quota by storage type: HMFS has no storage types; setQuota limits the bytes of all");
    }

    /** At once for a directory that has a quota; else it is summed up. */
    @Override
    public QuotaUsage getQuotaUsage(Path path) throws IOException {
        looks(Op.GET_QUOTA_USAGE);
        return follow(
                path,
                (name, at) -> {
                    QuotaUsage usage = QuotaCalls.usage(session().link(), name);
                    return usage == null ? session().summary(name) : usage;
                },
                FileSystem::getQuotaUsage);
    }

    /** Of this filesystem; those of all in this process are StorageStatistics, and a source of metrics2. */
    @Override
    public IOStatistics getIOStatistics() {
        return counts.statistics();
    }
}
