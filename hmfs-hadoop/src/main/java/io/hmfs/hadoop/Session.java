package io.hmfs.hadoop;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.FileVersion;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.Leases;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.client.ServerInfo;
import io.hmfs.client.TreeSummary;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.LinkOnPathException;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.BuiltinDataStore;
import io.hmfs.hadoop.store.DataStore;
import io.hmfs.hadoop.store.HadoopDataStore;
import io.hmfs.hadoop.store.RadosDataStore;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * What an open filesystem holds, and its operations on absolute paths: the connection, the data store that the server
 * announced, the streams open for writing. All failures are Hadoop's exceptions. Thread-safe.
 */
final class Session implements Closeable {
    /** A change of attributes, harmless when repeated. */
    @FunctionalInterface
    interface Change {
        void apply(HmfsClient client, String path) throws IOException;
    }

    private final ServerLink link;
    private final HmfsOptions options;
    private final DataStore store;
    private final OpCounts counts;
    private final FileSystem.@Nullable Statistics statistics;
    private final OpenFiles openFiles;
    private final Rename renames;
    private final Removal removal;
    private final XAttrs xattrs;
    private final Locations locations;
    private final AclLists acls;
    private final @Nullable Reaper reaper; // only where the server cannot drop blocks itself

    private Session(
            ServerLink link,
            HmfsOptions options,
            DataStore store,
            OpCounts counts,
            FileSystem.@Nullable Statistics statistics) {
        this.link = link;
        this.options = options;
        this.store = store;
        this.counts = counts;
        this.statistics = statistics;
        this.openFiles = new OpenFiles(link);
        this.renames = new Rename(link, openFiles);
        this.xattrs = new XAttrs(link);
        this.locations = new Locations(store, link.server().blockSize());
        this.acls = new AclLists(link);
        this.reaper = store.dropsBlocksItself() ? null : new Reaper(store, link.client(), options.takeOver());
        this.removal = new Removal(link, options, store.dropsBlocksItself());
        if (reaper != null) {
            link.client().onRemoved(reaper::drop);
            reaper.start();
        }
    }

    /** Connects. The bytes that are read are counted for {@code statistics} too, those that are written by Hadoop itself. */
    static Session open(
            URI address,
            HmfsOptions options,
            UserGroupInformation user,
            Configuration conf,
            OpCounts counts,
            FileSystem.@Nullable Statistics statistics)
            throws IOException {
        int port = address.getPort() == -1 ? HmfsClient.DEFAULT_PORT : address.getPort();
        ServerLink link = ServerLink.open(address.getHost(), port, options.clientOptions(user));
        DataStore store = null;
        try {
            store = storeOf(link, options, conf);
            return new Session(link, options, store, counts, statistics);
        } catch (IOException | RuntimeException e) {
            link.close();
            if (store != null) {
                store.close();
            }
            throw e;
        }
    }

    private static DataStore storeOf(ServerLink link, HmfsOptions options, Configuration conf) throws IOException {
        ServerInfo server = link.server();
        if (server.dataStore().equals(ServerInfo.BUILTIN)) {
            return new BuiltinDataStore(link);
        }
        String announced = "The data store that the server at " + link + " announces, '" + server.dataStore() + "', ";
        URI root;
        try {
            root = URI.create(server.dataStore());
        } catch (IllegalArgumentException e) {
            throw new IOException(announced + "is no URI", e);
        }
        if (root.getScheme() == null || root.getScheme().equals(HmfsFileSystem.SCHEME)) {
            throw new IOException(announced + "must be a URI of another filesystem, with its scheme");
        }
        try {
            return RadosDataStore.isAddress(root)
                    ? RadosDataStore.open(root, server.blockSize(), options.rados())
                    : new HadoopDataStore(root, server.blockSize(), conf);
        } catch (IOException e) {
            throw new IOException(announced + "cannot be opened here: " + e.getMessage(), e);
        }
    }

    ServerLink link() {
        return link;
    }

    HmfsOptions options() {
        return options;
    }

    ServerInfo server() {
        return link.server();
    }

    OpCounts counts() {
        return counts;
    }

    Locations locations() {
        return locations;
    }

    XAttrs xattrs() {
        return xattrs;
    }

    AclLists acls() {
        return acls;
    }

    Rename renames() {
        return renames;
    }

    FileInfo stat(String path) throws IOException {
        try {
            return link.repeatable(client -> client.stat(path));
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    ContentSummary summary(String path) throws IOException {
        try {
            TreeSummary sum = link.repeatable(client -> client.trees().summary(path));
            return new ContentSummary.Builder()
                    .length(sum.bytes())
                    .fileCount(sum.files())
                    .directoryCount(sum.directories())
                    .spaceConsumed(sum.bytes())
                    .quota(sum.nameQuota())
                    .spaceQuota(sum.spaceQuota())
                    .erasureCodingPolicy("") // what HDFS says of a directory that has none
                    .build();
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    void change(String path, Change change) throws IOException {
        try {
            link.repeat(client -> change.apply(client, path));
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    private OpenedFile open(String path) throws IOException {
        try {
            return link.repeatable(client -> client.open(path, true, false));
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    /** How a file is read when nothing is said about it. */
    ReadAhead readAhead() {
        return new ReadAhead(options.readAheadChunks(), false, Long.MAX_VALUE);
    }

    HmfsInputStream reader(String path, ReadAhead readAhead) throws IOException {
        OpenedFile opened = open(path);
        FileInfo info = opened.info();
        ServerInfo server = server();
        HeldGrant grant = new HeldGrant(link, () -> path, info.id(), false, opened.grant());
        FileBlocks blocks = new FileBlocks(
                link, path, info.id(), store.reader(info.id(), grant), server.blockSize(), server.chunkSize());
        return new HmfsInputStream(
                blocks, FileVersion.of(info), server.chunkSize(), readAhead, new ReadCounts(counts, statistics));
    }

    /** Goes on where a file ends. */
    AppendStart appender(String path) throws IOException {
        OpenedFile opened = openToWrite(path);
        long size = opened.info().size();
        return new AppendStart(writer(path, opened, size), size);
    }

    private OpenedFile openToWrite(String path) throws IOException {
        Leases leases = link.client().leases();
        long lease = leases.next();
        try {
            OpenedFile opened = link.repeatable(client -> client.open(path, false, true, lease));
            leases.begun();
            return opened;
        } catch (HmfsException e) {
            if (e.code() == ResultCode.IS_DIRECTORY) {
                throw new FileAlreadyExistsException(
                        "Cannot append to directory " + path + "; already exists as a directory.");
            }
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    /** Takes a file from whoever writes it. */
    void recoverLease(String path) throws IOException {
        try {
            link.repeat(client -> client.leases().recover(path));
        } catch (HmfsException e) {
            throw ofFile(path, e);
        }
    }

    boolean isFileClosed(String path) throws IOException {
        try {
            return link.repeatable(client -> client.leases().isClosed(path));
        } catch (HmfsException e) {
            throw ofFile(path, e);
        }
    }

    private static IOException ofFile(String path, HmfsException e) {
        return e.code() == ResultCode.IS_DIRECTORY
                ? new FileNotFoundException("Path is not a file: " + path)
                : HadoopErrors.translateLookup(path, e);
    }

    /** A stream and the position where it begins. */
    record AppendStart(HmfsOutputStream stream, long position) {}

    private HmfsOutputStream writer(String path, OpenedFile opened, long position) {
        ServerInfo server = server();
        return new HmfsOutputStream(
                new OpenFile(link, path, opened),
                position,
                store,
                openFiles,
                new HmfsOutputStream.Shape(
                        server.blockSize(), server.chunkSize(), options.writeChunksInFlight(), options.syncOnClose()),
                counts);
    }

    HmfsOutputStream create(String path, CreateOptions how) throws IOException {
        try {
            Leases leases = link.client().leases();
            OpenedFile created = link.client().createAndOpen(path, how.leased(leases.next()));
            leases.begun();
            return writer(path, created, 0);
        } catch (HmfsException e) {
            if (e.code() == ResultCode.IS_DIRECTORY) {
                throw new FileAlreadyExistsException(path + " already exists as a directory");
            }
            FileVersion expected = how.expected();
            if (e.code() == ResultCode.STALE && expected != null) {
                throw new PathIOException(
                        path,
                        "has another version than " + expected.etag() + ": somebody else has replaced or changed it");
            }
            throw HadoopErrors.translate(path, e);
        }
    }

    void mkdir(String path, int mode, int unmasked, boolean parents) throws IOException {
        try {
            if (parents) {
                link.repeatable(
                        client -> client.mkdir(path, mode, unmasked, true)); // a directory that is there is fine
            } else {
                link.client().mkdir(path, mode, unmasked, false);
            }
        } catch (HmfsException e) {
            throw HadoopErrors.translate(path, e);
        }
    }

    void symlink(String path, String target, boolean parents, int parentMode) throws IOException {
        try {
            link.client().symlink(path, target, new CreateOptions(0, false, parents, parentMode));
        } catch (HmfsException e) {
            throw HadoopErrors.translate(path, e);
        }
    }

    void truncate(String path, long size) throws IOException {
        if (size < 0) {
            throw new HadoopIllegalArgumentException("Cannot truncate to a negative file size: " + size + ".");
        }
        FileInfo info = stat(path);
        if (info.symlink()) {
            throw new LinkOnPathException(path, info.target());
        }
        if (info.directory()) {
            throw new FileNotFoundException("Path is not a file: " + path);
        }
        if (size > info.size()) {
            throw new HadoopIllegalArgumentException("Cannot truncate to a larger file size. Current size: "
                    + info.size() + ", truncate size: " + size + ".");
        }
        change(path, (client, name) -> client.truncate(name, size));
        if (reaper != null) {
            reaper.cut(info.id(), reaper.blocks(size), reaper.blocks(info.size()));
        }
    }

    /** Deletes a file or a directory. @return false if there is nothing at {@code path} */
    boolean delete(String path, boolean recursive) throws IOException {
        return removal.run(path, recursive);
    }

    @Override
    public void close() throws IOException {
        try (store;
                @Nullable
                        Reaper last =
                                reaper; // after the last reply that could tell of a file, before the store that it
                // works on
                link) {
            openFiles.closeAll();
            if (last != null) {
                last.settle(); // while the server can hear of it
            }
        }
    }
}
