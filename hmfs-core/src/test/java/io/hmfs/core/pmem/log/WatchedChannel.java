package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.log.PowerCutDisk.Kind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * A file, or the directory, of a {@link PowerCutDisk}, opened for writing.
 *
 * <p>What the log does not use throws, and that is the point: a log that began to write in another way, or at a position that the
 * channel keeps, would fail its tests at once, instead of passing them with writes that were not watched.
 */
final class WatchedChannel extends FileChannel {
    private static final byte[] NOTHING = new byte[0];

    private final FileChannel file;
    private final PowerCutDisk disk;
    private final Kind sync;
    private final String name;

    WatchedChannel(FileChannel file, PowerCutDisk disk, Kind sync, String name) {
        this.file = file;
        this.disk = disk;
        this.sync = sync;
        this.name = name;
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        byte[] bytes = new byte[from.remaining()];
        from.get(bytes);
        disk.does(Kind.WRITE, name, position, bytes, () -> {
            ByteBuffer all = ByteBuffer.wrap(bytes);
            for (long at = position; all.hasRemaining(); ) {
                at += file.write(all, at);
            }
        });
        return bytes.length;
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        disk.does(Kind.TRUNCATE, name, size, NOTHING, () -> file.truncate(size));
        return this;
    }

    /** The real one would cost time and show nothing. */
    @Override
    public void force(boolean metaData) throws IOException {
        disk.does(sync, name, 0, NOTHING, () -> {});
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return file.read(into);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        return file.read(into, position);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        return file.read(into, offset, length);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        return file.map(mode, position, size);
    }

    @Override
    public MemorySegment map(MapMode mode, long offset, long size, Arena arena) throws IOException {
        return file.map(mode, offset, size, arena);
    }

    @Override
    public int write(ByteBuffer from) {
        throw PowerCutDisk.unwatched("FileChannel.write(ByteBuffer)");
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
        throw PowerCutDisk.unwatched("FileChannel.write(ByteBuffer[], int, int)");
    }

    @Override
    public long position() {
        throw PowerCutDisk.unwatched("FileChannel.position()");
    }

    @Override
    public FileChannel position(long newPosition) {
        throw PowerCutDisk.unwatched("FileChannel.position(long)");
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw PowerCutDisk.unwatched("FileChannel.transferTo");
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw PowerCutDisk.unwatched("FileChannel.transferFrom");
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw PowerCutDisk.unwatched("FileChannel.lock");
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw PowerCutDisk.unwatched("FileChannel.tryLock");
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }
}
