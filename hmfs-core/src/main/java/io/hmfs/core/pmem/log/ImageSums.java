package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolLock;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The sums of an image's pages, in a file of their own beside it: docs/format.md#image-sums. A page that was never written has the sum 0, so the file is
 * as sparse as the image. One thread may use an open one.
 *
 * <pre>
 *   0        8          16        24        32       40     48         64
 *   | magic  | checksum | version | logHigh | logLow | salt | reserved |
 * </pre>
 */
public final class ImageSums implements AutoCloseable {
    public static final int SIZE = 64;

    /** Where the sums begin, four bytes each. */
    public static final int AT = 4096;

    /** Bytes of a page of the image. */
    public static final int PAGE = 4096;

    /** The letters HMFSSUMS. */
    static final long MAGIC = 0x534D555353464D48L;

    static final long VERSION = 1;
    static final int MAGIC_OFFSET = 0;
    static final int CHECKSUM_OFFSET = 8;
    static final int VERSION_OFFSET = 16;
    static final int LOG_HIGH_OFFSET = 24;
    static final int LOG_LOW_OFFSET = 32;
    static final int SALT_OFFSET = 40;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"),
                    u64("checksum"),
                    u64("version"),
                    u64("logHigh"),
                    u64("logLow"),
                    u64("salt"),
                    paddingLayout(16))
            .withName("ImageSums");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
        pin(LAYOUT, "version", VERSION_OFFSET);
        pin(LAYOUT, "logHigh", LOG_HIGH_OFFSET);
        pin(LAYOUT, "logLow", LOG_LOW_OFFSET);
        pin(LAYOUT, "salt", SALT_OFFSET);
    }

    /** What the progress of making them is called. */
    static final String PASS = "sums of the image";

    private static final int PIECE = 1 << 20;
    private static final int BLOCK = 4096;
    private static final int BLOCK_PAGES = BLOCK / 4;
    private static final int OF_ZEROS = crc(new CRC32C(), new byte[PAGE], 0);

    private final FileChannel file;
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    private long loaded = -1; // number of the block that is in the buffer
    private int dirtyFrom = BLOCK;
    private int dirtyTo;

    private ImageSums(FileChannel file) {
        this.file = file;
    }

    private static int crc(CRC32C crc, byte[] bytes, int offset) {
        crc.reset();
        crc.update(bytes, offset, PAGE);
        return (int) crc.getValue();
    }

    /** The sum of a page's bytes. */
    static int sum(CRC32C crc, byte[] bytes, int offset) {
        return crc(crc, bytes, offset) ^ OF_ZEROS;
    }

    static Path path(Path directory) {
        return directory.resolve(LogFiles.SUMS);
    }

    /** Bytes of the file that belongs to an image. */
    static long fileSize(long imageSize) {
        return at((imageSize + PAGE - 1) / PAGE);
    }

    /** Where the sum of a page stands. */
    static long at(long page) {
        return AT + page * 4;
    }

    /** Makes the sums of an image as it is, durable with their file's space and name; the image is synced before. */
    static void make(Path directory, LogControl control, Progress progress) throws IOException {
        long size = control.poolSize();
        Path image = directory.resolve(LogFiles.IMAGE);
        ImageExtents extents = ImageExtents.of(image, size);
        try (FileChannel from = FileChannel.open(image, StandardOpenOption.READ);
                FileChannel file = LogFiles.openToWrite(path(directory), true)) {
            LogFiles.write(file, header(control), 0);
            LogFiles.write(file, ByteBuffer.allocate(4), fileSize(size) - 4);
            try (PoolLock made = PoolLock.acquire(path(directory))) {
                made.grow(fileSize(size), fileSize(size)); // a fold never needs space
            }
            long done = 0;
            byte[] piece = new byte[PIECE];
            for (int i = 0; i < extents.count(); i++) {
                for (long at = extents.begin(i); at < extents.end(i); at += PIECE) {
                    int count = (int) Math.min(PIECE, extents.end(i) - at);
                    progress.at(PASS, done, extents.bytes());
                    LogFiles.read(from, ByteBuffer.wrap(piece, 0, count), at);
                    makePiece(file, piece, count, at / PAGE);
                    done += count;
                }
            }
            file.force(true);
            progress.at(PASS, done, done);
        }
        LogFiles.openToWrite(FoldList.path(directory), true).close();
        LogFiles.sync(directory);
    }

    private static void makePiece(FileChannel file, byte[] piece, int count, long firstPage) throws IOException {
        int pages = pages(piece, count);
        CRC32C crc = new CRC32C();
        ByteBuffer sums = ByteBuffer.allocate(pages * 4).order(ByteOrder.LITTLE_ENDIAN);
        boolean isZero = true;
        for (int page = 0; page < pages; page++) {
            int sum = sum(crc, piece, page * PAGE);
            sums.putInt(sum);
            isZero &= sum == 0;
        }
        if (!isZero) {
            LogFiles.write(file, sums.flip(), at(firstPage));
        }
    }

    /** How many pages {@code count} bytes are; the last one is filled up with zeros. */
    static int pages(byte[] bytes, int count) {
        int pages = (count + PAGE - 1) / PAGE;
        Arrays.fill(bytes, count, pages * PAGE, (byte) 0);
        return pages;
    }

    private static ByteBuffer header(LogControl control) {
        ByteBuffer header = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC_OFFSET, MAGIC);
        header.putLong(VERSION_OFFSET, VERSION);
        header.putLong(LOG_HIGH_OFFSET, control.log.getMostSignificantBits());
        header.putLong(LOG_LOW_OFFSET, control.log.getLeastSignificantBits());
        header.putLong(SALT_OFFSET, control.salt);
        header.putLong(CHECKSUM_OFFSET, LogCopies.checksum(header, VERSION_OFFSET, SIZE));
        return header;
    }

    /** Throws unless the files are there that belong to the control file: whole, as far as can be told without the image. */
    static void require(Path directory, LogControl control) throws IOException {
        for (Path path : new Path[] {path(directory), FoldList.path(directory)}) {
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new PoolException(
                        PoolException.Reason.NOT_FOUND,
                        path + " is missing, without which damage of " + directory.resolve(LogFiles.IMAGE)
                                + " would not be noticed: put it back, or restore the log's directory from a copy");
            }
        }
        ByteBuffer header = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = open(path(directory), StandardOpenOption.READ)) {
            LogFiles.read(file, header, 0);
        }
        if (header.getLong(MAGIC_OFFSET) != MAGIC
                || header.getLong(CHECKSUM_OFFSET) != LogCopies.checksum(header, VERSION_OFFSET, SIZE)
                || header.getLong(VERSION_OFFSET) != VERSION) {
            throw new PoolException(
                    PoolException.Reason.BAD_CHECKSUM,
                    path(directory) + " is damaged at offset 0. Restore the log's directory from a copy");
        }
        if (header.getLong(LOG_HIGH_OFFSET) != control.log.getMostSignificantBits()
                || header.getLong(LOG_LOW_OFFSET) != control.log.getLeastSignificantBits()
                || header.getLong(SALT_OFFSET) != control.salt) {
            throw new PoolException(
                    PoolException.Reason.NOT_A_POOL,
                    path(directory) + " belongs to another log than " + control.path
                            + ": put back the files that belong here");
        }
        long size = Files.size(path(directory));
        if (size < fileSize(control.poolSize())) { // it may be ahead, by a growth that did not come to its end
            throw new PoolException(
                    PoolException.Reason.TRUNCATED,
                    path(directory) + " has " + size + " bytes instead of " + fileSize(control.poolSize())
                            + ". Restore the log's directory from a copy");
        }
    }

    private static FileChannel open(Path path, StandardOpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(List.of(options));
        all.add(LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(path, all);
    }

    /** To be read by several threads, at {@link #at}. */
    static FileChannel openToRead(Path directory) throws IOException {
        return open(path(directory), StandardOpenOption.READ);
    }

    static ImageSums open(Path directory) throws IOException {
        return new ImageSums(open(path(directory), StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    int get(long page) throws IOException {
        load(page / BLOCK_PAGES);
        return block.getInt((int) (page % BLOCK_PAGES) * 4);
    }

    void set(long page, int sum) throws IOException {
        load(page / BLOCK_PAGES);
        int at = (int) (page % BLOCK_PAGES) * 4;
        block.putInt(at, sum);
        dirtyFrom = Math.min(dirtyFrom, at);
        dirtyTo = Math.max(dirtyTo, at + 4);
    }

    private void load(long number) throws IOException {
        if (number != loaded) {
            flush();
            loaded = -1;
            LogFiles.read(file, block.clear(), at(number * BLOCK_PAGES));
            loaded = number;
        }
    }

    private void flush() throws IOException {
        if (dirtyTo > 0) {
            LogFiles.write(file, block.slice(dirtyFrom, dirtyTo - dirtyFrom), at(loaded * BLOCK_PAGES) + dirtyFrom);
            dirtyFrom = BLOCK;
            dirtyTo = 0;
        }
    }

    /** Makes what was set durable. */
    void sync() throws IOException {
        flush();
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
