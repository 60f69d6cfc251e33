package io.hmfs.client;

import io.hmfs.client.transport.Transport;
import io.hmfs.client.transport.rdma.RdmaTransport;
import io.hmfs.client.transport.rdma.disni.VerbsLoader;
import io.hmfs.client.transport.tcp.TcpTransport;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client of one HMFS server: one connection at a time, requests pipelined over it. Thread-safe.
 *
 * <p>Paths are absolute, separated by {@code /}, at most 8,192 bytes of UTF-8; names at most 255. Each operation has
 * one outcome: a value, an {@link HmfsException} with a {@link ResultCode}, or another {@link IOException}.
 *
 * <p>A lost connection is made anew, to the same cluster only, for as long as {@link ClientOptions#requestTimeout} lets
 * a request wait, and what it has not answered is sent again. No change is executed twice, also if the server died: one
 * of which it has no record, for want of room, ends as {@code OUTCOME_UNKNOWN} then. After {@code TIMEOUT} it is
 * unknown whether a change was executed.
 *
 * <p>A thread that waits for a reply does the client's work meanwhile, and completes what comes for others. So futures
 * complete on any thread that calls the client, or on the client's own: what depends on them must not block, and must not
 * rely on locks that keep other threads out, which the thread may hold itself. The blocking methods refuse to be called
 * there.
 */
public final class HmfsClient implements AutoCloseable {
    /** Directories that one request lists, at most. */
    public static final int LIST_MANY_MAX = Wire.LIST_MANY_MAX;

    /** Port that servers listen on unless told otherwise. */
    public static final int DEFAULT_PORT = 8930;

    /** So often at most it is asked for again to remove what is a file and a directory in turns. */
    private static final int REMOVALS_MAX = 16;

    private final ClientLoop loop;
    private final Dispatcher dispatcher;
    private final Calls calls;
    private final Transport transport;
    private final NamespaceCalls namespace;
    private final FileCalls files;
    private final DataCalls data;
    private final ServerCalls servers;
    private final Xattrs xattrs;
    private final Acls acls;
    private final Trees trees;
    private final ClientLeases leases;
    private final ServerInfo server;
    private volatile RemovedListener removedListener = (inode, size) -> {};

    /** A client over a transport, which it closes when it is closed. */
    private HmfsClient(Transport transport, String host, int port, ClientOptions options) throws IOException {
        this.transport = transport;
        loop = new ClientLoop(transport);
        CallTable table = new CallTable((inode, size) -> removedListener.removed(inode, size));
        dispatcher = new Dispatcher(host, port, options, transport, loop, table.namespace);
        calls = new Calls(
                table, loop, host + ":" + port, options.requestTimeout().toNanos());
        namespace = table.namespace;
        files = table.files;
        data = table.data;
        servers = table.server;
        xattrs = new Xattrs(calls);
        acls = new Acls(calls);
        trees = new Trees(calls);
        leases = new ClientLeases(calls, loop);
        try {
            server = calls.await(dispatcher.open(), options.connectTimeout().toNanos());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Connects and shakes hands, over the transport of the options.
     *
     * @throws HmfsException UNSUPPORTED_VERSION, BAD_REQUEST, TIMEOUT: what the server said, or did not say
     * @throws IOException if there is no connection, or RDMA is wanted and this machine cannot: then with the reason
     */
    public static HmfsClient connect(String host, int port, ClientOptions options) throws IOException {
        Transport transport = switch (options.transport()) {
            case AUTO -> new ChoosingTransport(new TcpTransport(), HmfsClient::rdma);
            case TCP -> new TcpTransport();
            case RDMA -> rdma();
        };
        return connect(transport, host, port, options);
    }

    /** The same over a transport of the caller's, which is the client's from now on; that of the options is not looked at. */
    public static HmfsClient connect(Transport transport, String host, int port, ClientOptions options)
            throws IOException {
        return new HmfsClient(transport, host, port, options);
    }

    private static Transport rdma() throws IOException {
        return new RdmaTransport(VerbsLoader.open());
    }

    /** How its connection goes now: TCP or RDMA. */
    public TransportKind transport() {
        return transport.isRdma() ? TransportKind.RDMA : TransportKind.TCP;
    }

    /** Stats that were answered by RDMA reads of the server's memory, without its processor (docs/rdma.md). */
    public long statsRead() {
        return dispatcher.statsRead();
    }

    /** Sends calls for the facades that are made of a client. */
    Calls calls() {
        return calls;
    }

    /** What the handshake told. */
    public ServerInfo server() {
        return server;
    }

    /** Sets the listener for removed files when the data store is not the server's own; see {@link RemovedListener}. */
    public void onRemoved(RemovedListener listener) {
        removedListener = listener;
    }

    /** Attributes of a file or directory. */
    public CompletableFuture<FileInfo> statAsync(String path) {
        return calls.submit(namespace.stat, path);
    }

    /** Attributes of a file or directory. NOT_FOUND, NOT_DIRECTORY (a parent is a file). */
    public FileInfo stat(String path) throws IOException {
        return calls.call(namespace.stat, path);
    }

    /** Creates a file; see {@link #create}. */
    public CompletableFuture<FileInfo> createAsync(String path, CreateOptions createOptions) {
        return calls.submitMade(files.create, path, () -> FileCalls.Create.of(path, createOptions))
                .thenApply(OpenedFile::info);
    }

    /** Creates an empty file. EXISTS, IS_DIRECTORY (overwrite of a directory), NOT_FOUND (no parent), NOT_DIRECTORY. */
    public FileInfo create(String path, CreateOptions createOptions) throws IOException {
        return createAndOpen(path, createOptions).info();
    }

    /** {@link #create}, with the grant to write the file. */
    public OpenedFile createAndOpen(String path, CreateOptions createOptions) throws IOException {
        return calls.call(files.create, path, FileCalls.Create.of(path, createOptions));
    }

    /** Attributes of a file, and the grant to read or write it, or both. NOT_FOUND, IS_DIRECTORY, ACCESS_DENIED. */
    public OpenedFile open(String path, boolean read, boolean write) throws IOException {
        return open(path, read, write, 0);
    }

    /** Opens a file; see {@link #open(String, boolean, boolean)}. */
    public CompletableFuture<OpenedFile> openAsync(String path, boolean read, boolean write) {
        return calls.submitMade(files.open, path, () -> FileCalls.Open.of(path, read, write, 0));
    }

    /** Opens with a lease of this number, if the file is to be written: LEASED if another writer has one on it. */
    public OpenedFile open(String path, boolean read, boolean write, long lease) throws IOException {
        return calls.call(files.open, path, FileCalls.Open.of(path, read, write, lease));
    }

    /**
     * Creates a directory. With {@code parents}, missing parents too, and a directory that is there already is fine.
     */
    public FileInfo mkdir(String path, int mode, boolean parents) throws IOException {
        return mkdir(path, mode, mode, parents);
    }

    /**
     * The same with the mode before the umask: where the directory that it is made in has a default ACL, that one and
     * the ACL decide.
     */
    public FileInfo mkdir(String path, int mode, int unmaskedMode, boolean parents) throws IOException {
        return calls.call(namespace.mkdir, path, NamespaceCalls.Mkdir.of(path, mode, unmaskedMode, parents));
    }

    /**
     * Makes a symbolic link; of the options, those about parents count. EXISTS. No call follows links: see
     * UNRESOLVED_LINK.
     */
    public FileInfo symlink(String path, String target, CreateOptions parents) throws IOException {
        return calls.call(namespace.symlink, path, NamespaceCalls.Symlink.of(path, target, parents));
    }

    /** Removes a file; see {@link #delete}. */
    public CompletableFuture<Void> deleteAsync(String path) {
        return calls.submitMade(namespace.delete, path, () -> NamespaceCalls.Delete.of(path, false));
    }

    /** Removes a file. NOT_FOUND, IS_DIRECTORY. */
    public void delete(String path) throws IOException {
        calls.call(namespace.delete, path, NamespaceCalls.Delete.of(path, false));
    }

    /** Removes a file or an empty directory. NOT_FOUND, NOT_EMPTY, IS_ROOT; IS_DIRECTORY: it is now the one, now the other. */
    public void remove(String path) throws IOException {
        for (int attempt = 1; ; attempt++) {
            HmfsException refused;
            try {
                calls.call(namespace.delete, path, NamespaceCalls.Delete.of(path, true));
                return;
            } catch (HmfsException e) {
                if (e.code() != ResultCode.IS_DIRECTORY) {
                    throw e;
                }
                refused = e;
            }
            // What stands there has become a directory meanwhile, or a file, or the server is older than this client.
            try {
                rmdir(path);
                return;
            } catch (HmfsException e) {
                if (e.code() != ResultCode.NOT_DIRECTORY) {
                    throw e;
                }
                if (attempt == REMOVALS_MAX) {
                    throw refused; // and not what says that a directory on the way is a file
                }
            }
        }
    }

    /** Removes an empty directory; see {@link #rmdir}. */
    public CompletableFuture<Void> rmdirAsync(String path) {
        return calls.submit(namespace.rmdir, path);
    }

    /** Removes an empty directory. NOT_FOUND, NOT_EMPTY, NOT_DIRECTORY, IS_ROOT. */
    public void rmdir(String path) throws IOException {
        calls.call(namespace.rmdir, path);
    }

    /** Moves a file or directory; see {@link #rename}. */
    public CompletableFuture<Void> renameAsync(String source, String target, boolean replace) {
        return calls.submitMade(
                        namespace.rename, source, () -> NamespaceCalls.Rename.of(source, target, replace, false))
                .thenApply(inside -> null);
    }

    /** Moves a file or directory; with {@code replace}, a file in the target's place goes, atomically. EXISTS, LOOP. */
    public void rename(String source, String target, boolean replace) throws IOException {
        calls.call(namespace.rename, source, NamespaceCalls.Rename.of(source, target, replace, false));
    }

    /**
     * Moves a file or directory to another name, or into the directory that has this name; replaces nothing. EXISTS, also for a
     * symbolic link whose target is the path to which it would come; LOOP.
     *
     * @return the path that it has now
     */
    public String renameInto(String source, String target) throws IOException {
        boolean inside = calls.call(namespace.rename, source, NamespaceCalls.Rename.of(source, target, false, true));
        String directory = target.endsWith("/") ? target.substring(0, target.length() - 1) : target;
        return inside ? directory + source.substring(source.lastIndexOf('/')) : target;
    }

    /** Sets permission bits, 0–07777. */
    public void chmod(String path, int mode) throws IOException {
        calls.call(namespace.chmod, path, NamespaceCalls.Chmod.of(path, mode));
    }

    /** Sets permission bits; see {@link #chmod}. */
    public CompletableFuture<Void> chmodAsync(String path, int mode) {
        return calls.submitMade(namespace.chmod, path, () -> NamespaceCalls.Chmod.of(path, mode));
    }

    /** Sets owner and group; null keeps one as it is. */
    public void chown(String path, @Nullable String owner, @Nullable String group) throws IOException {
        calls.call(namespace.chown, path, NamespaceCalls.Chown.of(path, owner, group));
    }

    /** Sets owner and group; see {@link #chown}. */
    public CompletableFuture<Void> chownAsync(String path, @Nullable String owner, @Nullable String group) {
        return calls.submitMade(namespace.chown, path, () -> NamespaceCalls.Chown.of(path, owner, group));
    }

    /** Sets times in milliseconds since 1970; -1 keeps one as it is. */
    public void setTimes(String path, long mtimeMillis, long atimeMillis) throws IOException {
        calls.call(namespace.setTimes, path, NamespaceCalls.Times.of(path, mtimeMillis, atimeMillis));
    }

    /** Commits a file's size; see {@link #append(FileInfo, long, Grant)}. */
    public CompletableFuture<Void> appendAsync(FileInfo file, long newSize, Grant grant) {
        return calls.submitMade(
                files.append, file.name(), () -> FileCalls.Append.of(file, newSize, grant, false, Written.NOTHING));
    }

    /**
     * Commits a file's size after its data was written: grows to {@code newSize}, never shrinks. The file is meant by
     * its parent, name and id. STALE if it is gone from there or another one took its place.
     */
    public void append(FileInfo file, long newSize, Grant grant) throws IOException {
        append(file, newSize, grant, false);
    }

    /** The same; with {@code last}, the grant's lease is over. LEASE_LOST if the client has it no more. */
    public void append(FileInfo file, long newSize, Grant grant, boolean last) throws IOException {
        append(file, newSize, grant, last, Written.NOTHING);
    }

    /**
     * Commits a size, and tells the server which bytes below it the writer has written. If the data store loses one of those later, a reader gets
     * an error instead of the zeros of a hole.
     */
    public void append(FileInfo file, long newSize, Grant grant, boolean last, Written written) throws IOException {
        calls.call(files.append, file.name(), FileCalls.Append.of(file, newSize, grant, last, written));
    }

    /** {@link #append(FileInfo, long, Grant)} without a grant, for a user that needs none. */
    public void append(FileInfo file, long newSize) throws IOException {
        append(file, newSize, Grant.NONE);
    }

    /** The calls about extended attributes. */
    public Xattrs xattrs() {
        return xattrs;
    }

    /** Access control lists. */
    public Acls acls() {
        return acls;
    }

    /** The calls about whole trees. */
    public Trees trees() {
        return trees;
    }

    /** Leases on files that are written. */
    public ClientLeases leases() {
        return leases;
    }

    /** Sets a file's size, up or down. */
    public void truncate(String path, long size) throws IOException {
        calls.call(namespace.truncate, path, NamespaceCalls.Truncate.of(path, size));
    }

    /** A page of a directory; see {@link #list(String, ListingCursor, int)}. */
    public CompletableFuture<ListPage> listAsync(String path, ListingCursor cursor, int entriesMax) {
        return listAsync(path, cursor, entriesMax, ListDetail.ALL);
    }

    /** A page of a directory that tells no more of its entries than was asked for. */
    public CompletableFuture<ListPage> listAsync(String path, ListingCursor cursor, int entriesMax, ListDetail detail) {
        return listAsync(path, cursor, entriesMax, detail, NameFilter.NONE);
    }

    /** A page of those entries of a directory that the filter leaves; it may have none although more follow. */
    public CompletableFuture<ListPage> listAsync(
            String path, ListingCursor cursor, int entriesMax, ListDetail detail, NameFilter filter) {
        return calls.submitMade(
                namespace.list, path, () -> NamespaceCalls.ListFrom.of(path, cursor, entriesMax, detail, filter));
    }

    /**
     * Asks for the pages of a directory behind its first one, so many at once at most, before those before them are here.
     *
     * @param pagesMax 1 or more; the server sends no page that was not asked for, so these are all that are held for a slow reader
     */
    public PagesAhead listAhead(String path, int entriesMax, ListDetail detail, NameFilter filter, int pagesMax)
            throws HmfsException {
        if (pagesMax < 1) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT, "list " + path + " with " + pagesMax + " pages ahead; 1 or more");
        }
        NamespaceCalls.ListFrom list =
                NamespaceCalls.ListFrom.of(path, ListingCursor.START, entriesMax, detail, filter);
        return new PagesAhead(calls, namespace.list, path, list, pagesMax);
    }

    /** A page of a directory from a cursor on, at most {@code entriesMax} entries; 0: as many as the server likes. */
    public ListPage list(String path, ListingCursor cursor, int entriesMax) throws IOException {
        return list(path, cursor, entriesMax, ListDetail.ALL);
    }

    /** A page of a directory that tells no more of its entries than was asked for. */
    public ListPage list(String path, ListingCursor cursor, int entriesMax, ListDetail detail) throws IOException {
        return list(path, cursor, entriesMax, detail, NameFilter.NONE);
    }

    /** A page of those entries of a directory that the filter leaves; it may have none although more follow. */
    public ListPage list(String path, ListingCursor cursor, int entriesMax, ListDetail detail, NameFilter filter)
            throws IOException {
        return calls.call(namespace.list, path, NamespaceCalls.ListFrom.of(path, cursor, entriesMax, detail, filter));
    }

    /**
     * Lists several directories, {@value #LIST_MANY_MAX} at most, with one request. It answers the first of them, in
     * their order, until there are {@code entriesMax} entries (0: as many as the server likes) or a directory goes on:
     * that one and those behind it are for the next request.
     *
     * @param from where the first directory begins
     * @return an answer for each of the first directories, one at least
     */
    public List<DirectoryAnswer> listMany(List<String> paths, ListingCursor from, int entriesMax) throws IOException {
        return calls.call(namespace.listMany, describe(paths), NamespaceCalls.ListMany.of(paths, from, entriesMax));
    }

    /** Asks for the listings of several directories; see {@link #listMany}. */
    public CompletableFuture<List<DirectoryAnswer>> listManyAsync(
            List<String> paths, ListingCursor from, int entriesMax) {
        return calls.submitMade(
                namespace.listMany, describe(paths), () -> NamespaceCalls.ListMany.of(paths, from, entriesMax));
    }

    private static String describe(List<String> paths) {
        return paths.isEmpty()
                ? ""
                : paths.size() == 1 ? paths.get(0) : paths.get(0) + " and " + (paths.size() - 1) + " others";
    }

    /**
     * Reads from an object of the builtin data store; see {@link #readBlock}. The target must be left alone until then.
     * The grant must be one to read.
     */
    public CompletableFuture<Integer> readBlockAsync(
            Grant grant, long inode, long block, long offset, byte[] target, int targetOffset, int length) {
        Objects.checkFromIndexSize(targetOffset, length, target.length);
        int chunk = server.chunkSize();
        int first = Math.min(chunk, length);
        CompletableFuture<Integer> read = calls.submit(
                data.read, "", new DataCalls.Chunk(grant, inode, block, offset, target, targetOffset, first, 0));
        if (first == length) {
            return read;
        }
        CompletableFuture<Integer> rest =
                readBlockAsync(grant, inode, block, offset + first, target, targetOffset + first, length - first);
        return read.thenCombine(rest, (a, b) -> a < first ? a : a + Math.max(b, 0));
    }

    /** {@link #readBlockAsync(Grant, long, long, long, byte[], int, int)} without a grant, for a user that needs none. */
    public CompletableFuture<Integer> readBlockAsync(
            long inode, long block, long offset, byte[] target, int targetOffset, int length) {
        return readBlockAsync(Grant.NONE, inode, block, offset, target, targetOffset, length);
    }

    /**
     * Reads from an object of the builtin data store into an array; longer reads than {@link ServerInfo#chunkSize}
     * become several requests. Returns the bytes read, fewer only at the end of the object; -1 if there is no byte at
     * that offset.
     */
    public int readBlock(long inode, long block, long offset, byte[] target, int targetOffset, int length)
            throws IOException {
        return calls.await(readBlockAsync(inode, block, offset, target, targetOffset, length));
    }

    /**
     * Asks for the CRCs of a part of a block in the builtin data store, without its data being read; at most {@link #checksumsMax}
     * bytes. The grant must be one to read.
     *
     * @param position a multiple of {@link BlockChecksums#CHUNK}
     */
    public CompletableFuture<BlockChecksums> readChecksumsAsync(
            Grant grant, long inode, long block, long position, long length) {
        return calls.submit(data.checksums, "", new DataCalls.Part(grant, inode, block, position, length));
    }

    /** Bytes of a block whose checksums the server tells in one answer. */
    public long checksumsMax() {
        return (long) server.chunkSize() / Integer.BYTES * BlockChecksums.CHUNK;
    }

    /**
     * Writes to an object of the builtin data store, making it if need be; the source must not change until then. The
     * grant must be one to write, and have a lease: LEASE_LOST. Not readable through a file before its size is committed.
     * ACCESS_DENIED also if the grant has ended, as it does when mode, owner or ACL of the file take a right away:
     * {@link #open} gives another, if the user still has the right.
     */
    public CompletableFuture<Void> writeBlockAsync(
            Grant grant, long inode, long block, long offset, byte[] source, int sourceOffset, int length) {
        return writeBlockAsync(grant, inode, block, offset, source, sourceOffset, length, 0, new WriteVerifier());
    }

    /**
     * The same. {@code there}: so many bytes of the object are there, as the caller knows; CORRUPT if the server has fewer. {@code verifier}
     * keeps what the answer says of the server's machine; the commit of these bytes shows it.
     */
    public CompletableFuture<Void> writeBlockAsync(
            Grant grant,
            long inode,
            long block,
            long offset,
            byte[] source,
            int sourceOffset,
            int length,
            long there,
            WriteVerifier verifier) {
        Objects.checkFromIndexSize(sourceOffset, length, source.length);
        int first = Math.min(server.chunkSize(), length);
        CompletableFuture<Void> write = calls.submit(
                        data.write,
                        "",
                        new DataCalls.Chunk(grant, inode, block, offset, source, sourceOffset, first, there))
                .thenAccept(verifier::answered);
        if (first == length) {
            return write;
        }
        return CompletableFuture.allOf(
                write,
                writeBlockAsync(
                        grant,
                        inode,
                        block,
                        offset + first,
                        source,
                        sourceOffset + first,
                        length - first,
                        there,
                        verifier));
    }

    /** Writes to an object of the builtin data store; see {@link #writeBlockAsync}. */
    public void writeBlock(
            Grant grant, long inode, long block, long offset, byte[] source, int sourceOffset, int length)
            throws IOException {
        calls.await(writeBlockAsync(grant, inode, block, offset, source, sourceOffset, length));
    }

    /** Forces an object of the builtin data store to the disk. */
    public CompletableFuture<Void> syncBlockAsync(Grant grant, long inode, long block) {
        return calls.submit(
                data.sync, "", new DataCalls.Chunk(grant, inode, block, 0, CallArguments.NO_BYTES, 0, 0, 0));
    }

    /** {@link #syncBlockAsync(Grant, long, long)} without a grant, for a user that needs none. */
    public CompletableFuture<Void> syncBlockAsync(long inode, long block) {
        return syncBlockAsync(Grant.NONE, inode, block);
    }

    /** The server's figures. */
    public ServerStatus status() throws IOException {
        return calls.call(servers.status, "", CallArguments.NO_BYTES);
    }

    /** Whether the server is in safe mode, in which it refuses every change with SAFE_MODE. */
    public boolean isInSafeMode() throws IOException {
        return calls.call(servers.safeMode, "", ServerCalls.SafeMode.ASK);
    }

    /** Has the server enter or leave safe mode; a start of the server ends it too. Superusers only: ACCESS_DENIED. */
    public void setSafeMode(boolean on) throws IOException {
        calls.call(servers.safeMode, "", on ? ServerCalls.SafeMode.ENTER : ServerCalls.SafeMode.LEAVE);
    }

    /**
     * Has the server scrub its builtin data store: read all data of files and verify it; one that is under way goes on. Superusers only:
     * ACCESS_DENIED. BAD_REQUEST: the data store is another one.
     *
     * @param bytesPerSecond that it reads at most; 0: as the server is set
     */
    public ScrubStatus beginScrub(long bytesPerSecond) throws IOException {
        return calls.call(servers.scrub, "", new ServerCalls.Scrub(true, bytesPerSecond, 0));
    }

    /**
     * The scrub that is under way, or the last one. Superusers only: ACCESS_DENIED.
     *
     * @param from the first damaged part to be told; 0, or {@link ScrubStatus#next}
     */
    public ScrubStatus scrub(int from) throws IOException {
        return calls.call(servers.scrub, "", new ServerCalls.Scrub(false, 0, from));
    }

    /** The server's own metrics, in Prometheus's text format (docs/operations.md lists them). */
    public String metrics() throws IOException {
        return calls.call(servers.metrics, "", CallArguments.NO_BYTES);
    }

    /** Ends the connection; calls without a reply fail. Idempotent. */
    @Override
    public void close() {
        dispatcher.close(new IOException("the client was closed"));
        loop.close();
    }
}
