package io.hmfs.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Skeleton of the client's API. */
@SuppressWarnings("DoNotCallSuggester")
public final class HmfsClient implements AutoCloseable {
    /** Port that servers listen on unless told otherwise. */
    public static final int DEFAULT_PORT = 8930;

    private HmfsClient() {}

    public static HmfsClient connect(String host, int port, ClientOptions options) throws IOException {
        throw new IOException(host + port + options);
    }

    public ServerInfo server() {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<FileInfo> statAsync(String path) {
        throw new UnsupportedOperationException();
    }

    public FileInfo stat(String path) throws IOException {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<FileInfo> createAsync(String path, CreateOptions options) {
        throw new UnsupportedOperationException();
    }

    public FileInfo create(String path, CreateOptions options) throws IOException {
        throw new UnsupportedOperationException();
    }

    public FileInfo mkdir(String path, int mode, boolean parents) throws IOException {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Void> deleteAsync(String path) {
        throw new UnsupportedOperationException();
    }

    public void delete(String path) throws IOException {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Void> rmdirAsync(String path) {
        throw new UnsupportedOperationException();
    }

    public void rmdir(String path) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void rename(String source, String target, boolean replace) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void chmod(String path, int mode) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void chown(String path, @Nullable String owner, @Nullable String group) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void setTimes(String path, long mtimeMillis, long atimeMillis) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void append(FileInfo file, long newSize) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void truncate(String path, long size) throws IOException {
        throw new UnsupportedOperationException();
    }

    public ListPage list(String path, ListCursor cursor, int entriesMax) throws IOException {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<ListPage> listAsync(String path, ListCursor cursor, int entriesMax) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Integer> readBlockAsync(
            long inode, long block, long offset, byte[] target, int targetOffset, int length) {
        throw new UnsupportedOperationException();
    }

    public int readBlock(long inode, long block, long offset, byte[] target, int targetOffset, int length)
            throws IOException {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Void> writeBlockAsync(
            long inode, long block, long offset, byte[] source, int sourceOffset, int length) {
        throw new UnsupportedOperationException();
    }

    public void writeBlock(long inode, long block, long offset, byte[] source, int sourceOffset, int length)
            throws IOException {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Void> syncBlockAsync(long inode, long block) {
        throw new UnsupportedOperationException();
    }

    public ServerStatus status() throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
