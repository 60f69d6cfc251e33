package io.hmfs.client;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A client of one HMFS server: one connection at a time, requests pipelined over it. Thread-safe.
 *
 * <p>Paths are absolute, separated by {@code /}, at most 8,192 bytes of UTF-8; names at most 255. Each operation has one
 * outcome: a value, an {@link HmfsException} with a {@link ResultCode}, or another {@link IOException}.
 *
 * <p>A lost connection is made anew, to the same cluster only, for as long as {@link ClientOptions#requestTimeout} lets a request
 * wait, and what it has not answered is sent again. No change is executed twice, also if the server died: one of which it has no
 * record, for want of room, ends as {@code OUTCOME_UNKNOWN} then. After {@code TIMEOUT} it is unknown whether a change was executed.
 *
 * <p>Futures complete on the client's own thread: what depends on them must not block there, and the blocking methods refuse to
 * be called there.
 */
public final class HmfsClient implements AutoCloseable {
    /** Port that servers listen on unless told otherwise. */
    public static final int DEFAULT_PORT = 8930;

    private static final long CLOSE_TIMEOUT_MILLIS = 2_000;
    private static final long GRACE_NANOS =
            TimeUnit.SECONDS.toNanos(2); // past the deadline, before a wait gives up itself

    private final String host;
    private final int port;
    private final ClientOptions options;
    private final MetadataCalls calls;
    private final FileCalls files;
    private final Xattrs xattrs;
    private final Acls acls;
    private final Trees trees;
    private final Leases leases;
    private final IoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("hmfs-client", true), NioIoHandler.newFactory());
    private volatile RemovedListener removedListener = (inode, size) -> {};
    private final Dispatcher dispatcher;
    private final ServerInfo server;

    private HmfsClient(String host, int port, ClientOptions options) throws IOException {
        this.host = host;
        this.port = port;
        this.options = options;
        dispatcher = new Dispatcher(
                host, port, options, group.next(), (inode, size) -> removedListener.removed(inode, size));
        calls = new MetadataCalls(dispatcher.clientId());
        files = new FileCalls(calls);
        xattrs = new Xattrs(this, calls);
        acls = new Acls(this, calls);
        trees = new Trees(this, calls);
        leases = new Leases(this, group.next());
        try {
            server = await(dispatcher.open(), options.connectTimeout().toNanos());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Connects and shakes hands.
     *
     * @throws HmfsException UNSUPPORTED_VERSION, BAD_REQUEST, TIMEOUT: what the server said, or did not say
     * @throws IOException if there is no connection
     */
    public static HmfsClient connect(String host, int port, ClientOptions options) throws IOException {
        return new HmfsClient(host, port, options);
    }

    <T> CompletableFuture<T> submit(Call<T> call) {
        dispatcher.submit(call);
        return call;
    }

    <T> T call(Call<T> call) throws IOException {
        return await(submit(call), options.requestTimeout().toNanos());
    }

    private <T> T await(CompletableFuture<T> future, long nanos) throws IOException {
        if (dispatcher.inEventLoop() && !future.isDone()) {
            throw new IllegalStateException("a blocking call on the client's own thread would wait for itself");
        }
        try {
            return future.get(nanos + GRACE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for " + host);
            interrupted.initCause(e);
            throw interrupted;
        } catch (TimeoutException e) {
            throw new HmfsException(ResultCode.TIMEOUT, "no answer from " + host + ":" + port);
        } catch (ExecutionException e) {
            throw asIoException(e.getCause());
        }
    }

    /** The same failure with the stack of the thread that waited for it. */
    private static IOException asIoException(@Nullable Throwable cause) {
        IOException here = cause instanceof HmfsException known
                ? new HmfsException(known.code(), Objects.requireNonNullElse(known.getMessage(), ""), known.reason())
                : new IOException(cause == null ? "failed" : cause.getMessage());
        here.initCause(cause);
        return here;
    }

    private static <T> CompletableFuture<T> refused(HmfsException reason) {
        return CompletableFuture.failedFuture(reason);
    }

    /** What the handshake told. */
    public ServerInfo server() {
        return server;
    }

    /** Sets who hears of removed files when the data store is not the server's own; see {@link RemovedListener}. */
    public void onRemoved(RemovedListener listener) {
        removedListener = listener;
    }

    /** Attributes of a file or directory. */
    public CompletableFuture<FileInfo> statAsync(String path) {
        try {
            return submit(calls.stat(path));
        } catch (HmfsException e) {
            return refused(e);
        }
    }

    /** Attributes of a file or directory. NOT_FOUND, NOT_DIRECTORY (a parent is a file). */
    public FileInfo stat(String path) throws IOException {
        return call(calls.stat(path));
    }

    /** Creates a file; see {@link #create}. */
    public CompletableFuture<FileInfo> createAsync(String path, CreateOptions createOptions) {
        try {
            return submit(files.create(path, createOptions)).thenApply(OpenedFile::info);
        } catch (HmfsException e) {
            return refused(e);
        }
    }

    /** Creates an empty file. EXISTS, IS_DIRECTORY (overwrite of a directory), NOT_FOUND (no parent), NOT_DIRECTORY. */
    public FileInfo create(String path, CreateOptions createOptions) throws IOException {
        return createAndOpen(path, createOptions).info();
    }

    /** {@link #create}, with the grant to write the file. */
    public OpenedFile createAndOpen(String path, CreateOptions createOptions) throws IOException {
        return call(files.create(path, createOptions));
    }

    /** Attributes of a file, and the grant to read or write it, or both. NOT_FOUND, IS_DIRECTORY, ACCESS_DENIED. */
    public OpenedFile open(String path, boolean read, boolean write) throws IOException {
        return open(path, read, write, 0);
    }

    /** The same with a lease of this number, if it is to be written: LEASED if somebody else has one on the file. */
    public OpenedFile open(String path, boolean read, boolean write, long lease) throws IOException {
        return call(files.open(path, read, write, lease));
    }

    /** Creates a directory. With {@code parents}, missing parents too, and a directory that is there already is fine. */
    public FileInfo mkdir(String path, int mode, boolean parents) throws IOException {
        return mkdir(path, mode, mode, parents);
    }

    /** The same with the mode before the umask: where the directory that it is made in has a default ACL, that one and the ACL decide. */
    public FileInfo mkdir(String path, int mode, int unmaskedMode, boolean parents) throws IOException {
        return call(calls.mkdir(path, mode, unmaskedMode, parents));
    }

    /** Makes a symbolic link; of the options, those about parents count. EXISTS. No call follows links: see UNRESOLVED_LINK. */
    public FileInfo symlink(String path, String target, CreateOptions parents) throws IOException {
        return call(files.symlink(path, target, parents));
    }

    /** Removes a file; see {@link #delete}. */
    public CompletableFuture<Void> deleteAsync(String path) {
        try {
            return submit(calls.delete(path));
        } catch (HmfsException e) {
            return refused(e);
        }
    }

    /** Removes a file. NOT_FOUND, IS_DIRECTORY. */
    public void delete(String path) throws IOException {
        call(calls.delete(path));
    }

    /** Removes an empty directory; see {@link #rmdir}. */
    public CompletableFuture<Void> rmdirAsync(String path) {
        try {
            return submit(calls.rmdir(path));
        } catch (HmfsException e) {
            return refused(e);
        }
    }

    /** Removes an empty directory. NOT_FOUND, NOT_EMPTY, NOT_DIRECTORY, IS_ROOT. */
    public void rmdir(String path) throws IOException {
        call(calls.rmdir(path));
    }

    /** Moves a file or directory; with {@code replace}, a file in the target's place goes, atomically. EXISTS, LOOP. */
    public void rename(String source, String target, boolean replace) throws IOException {
        call(calls.rename(source, target, replace));
    }

    /** Sets permission bits, 0–07777. */
    public void chmod(String path, int mode) throws IOException {
        call(calls.chmod(path, mode));
    }

    /** Sets owner and group; null keeps one as it is. */
    public void chown(String path, @Nullable String owner, @Nullable String group) throws IOException {
        call(calls.chown(path, owner, group));
    }

    /** Sets times in milliseconds since 1970; -1 keeps one as it is. */
    public void setTimes(String path, long mtimeMillis, long atimeMillis) throws IOException {
        call(calls.setTimes(path, mtimeMillis, atimeMillis));
    }

    /**
     * Commits a file's size after its data was written: grows to {@code newSize}, never shrinks. The file is meant by its parent,
     * name and id. STALE if it is gone from there or another one took its place.
     */
    public void append(FileInfo file, long newSize, Grant grant) throws IOException {
        append(file, newSize, grant, false);
    }

    /** The same; with {@code last}, the grant's lease is over. LEASE_LOST if the client has it no more. */
    public void append(FileInfo file, long newSize, Grant grant, boolean last) throws IOException {
        call(files.append(file, newSize, grant, last));
    }

    /** {@link #append(FileInfo, long, Grant)} of a user who needs no grant. */
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
    public Leases leases() {
        return leases;
    }

    /** Sets a file's size, up or down. */
    public void truncate(String path, long size) throws IOException {
        call(calls.truncate(path, size));
    }

    /** A page of a directory; see {@link #list}. */
    public CompletableFuture<ListPage> listAsync(String path, ListCursor cursor, int entriesMax) {
        try {
            return submit(calls.list(path, cursor, entriesMax));
        } catch (HmfsException e) {
            return refused(e);
        }
    }

    /** A page of a directory from a cursor on, at most {@code entriesMax} entries; 0: as many as the server likes. */
    public ListPage list(String path, ListCursor cursor, int entriesMax) throws IOException {
        return call(calls.list(path, cursor, entriesMax));
    }

    /**
     * Reads from an object of the builtin data store; see {@link #readBlock}. The target must be left alone until then. The grant
     * must be one to read.
     */
    public CompletableFuture<Integer> readBlockAsync(
            Grant grant, long inode, long block, long offset, byte[] target, int targetOffset, int length) {
        Objects.checkFromIndexSize(targetOffset, length, target.length);
        int chunk = server.chunkSize();
        int first = Math.min(chunk, length);
        CompletableFuture<Integer> read =
                submit(DataCalls.read(grant, inode, block, offset, target, targetOffset, first));
        if (first == length) {
            return read;
        }
        CompletableFuture<Integer> rest =
                readBlockAsync(grant, inode, block, offset + first, target, targetOffset + first, length - first);
        return read.thenCombine(rest, (a, b) -> a < first ? a : a + Math.max(b, 0));
    }

    /** The same for a user who needs no grant. */
    public CompletableFuture<Integer> readBlockAsync(
            long inode, long block, long offset, byte[] target, int targetOffset, int length) {
        return readBlockAsync(Grant.NONE, inode, block, offset, target, targetOffset, length);
    }

    /**
     * Reads from an object of the builtin data store into an array; longer reads than {@link ServerInfo#chunkSize} become several
     * requests. Returns the bytes read, fewer only at the end of the object; -1 if there is no byte at that offset.
     */
    public int readBlock(long inode, long block, long offset, byte[] target, int targetOffset, int length)
            throws IOException {
        return await(
                readBlockAsync(inode, block, offset, target, targetOffset, length),
                options.requestTimeout().toNanos());
    }

    /** Writes to an object of the builtin data store; the source must not change until then. The grant must be one to write. */
    public CompletableFuture<Void> writeBlockAsync(
            Grant grant, long inode, long block, long offset, byte[] source, int sourceOffset, int length) {
        Objects.checkFromIndexSize(sourceOffset, length, source.length);
        int first = Math.min(server.chunkSize(), length);
        CompletableFuture<Void> write =
                submit(DataCalls.write(grant, inode, block, offset, source, sourceOffset, first));
        if (first == length) {
            return write;
        }
        return CompletableFuture.allOf(
                write,
                writeBlockAsync(grant, inode, block, offset + first, source, sourceOffset + first, length - first));
    }

    /** The same for a user who needs no grant. */
    public CompletableFuture<Void> writeBlockAsync(
            long inode, long block, long offset, byte[] source, int sourceOffset, int length) {
        return writeBlockAsync(Grant.NONE, inode, block, offset, source, sourceOffset, length);
    }

    /** Writes to an object of the builtin data store, making it if need be. Not readable through a file before its size is committed. */
    public void writeBlock(long inode, long block, long offset, byte[] source, int sourceOffset, int length)
            throws IOException {
        await(
                writeBlockAsync(inode, block, offset, source, sourceOffset, length),
                options.requestTimeout().toNanos());
    }

    /** Forces an object of the builtin data store to the disk. */
    public CompletableFuture<Void> syncBlockAsync(Grant grant, long inode, long block) {
        return submit(DataCalls.sync(grant, inode, block));
    }

    /** The same for a user who needs no grant. */
    public CompletableFuture<Void> syncBlockAsync(long inode, long block) {
        return syncBlockAsync(Grant.NONE, inode, block);
    }

    /** The server's figures. */
    public ServerStatus status() throws IOException {
        return call(calls.status());
    }

    /** Whether the server is in safe mode, in which it refuses every change with SAFE_MODE. */
    public boolean isInSafeMode() throws IOException {
        return call(AdminCalls.safeMode(AdminCalls.SAFE_MODE_ASK));
    }

    /** Has the server enter or leave safe mode; a start of the server ends it too. Superusers only: ACCESS_DENIED. */
    public void setSafeMode(boolean on) throws IOException {
        call(AdminCalls.safeMode(on ? AdminCalls.SAFE_MODE_ENTER : AdminCalls.SAFE_MODE_LEAVE));
    }

    /** The server's own metrics, in Prometheus's text format (docs/operations.md lists them). */
    public String metrics() throws IOException {
        return call(AdminCalls.metrics());
    }

    /** Ends the connection; calls without a reply fail. Idempotent. */
    @Override
    public void close() {
        dispatcher.close(new IOException("the client was closed"));
        var ended = group.shutdownGracefully(0, CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        if (!dispatcher.inEventLoop()) {
            ended.awaitUninterruptibly(CLOSE_TIMEOUT_MILLIS);
        }
    }
}
