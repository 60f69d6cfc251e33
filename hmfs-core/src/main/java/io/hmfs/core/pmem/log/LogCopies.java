package io.hmfs.core.pmem.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** A record that stands in its file twice. Each write takes the copy that is older, by a sequence in the record, so one copy is always whole. */
public final class LogCopies {
    /** Bytes from the first copy to the second, which so has a block of the disk of its own. */
    public static final int DISTANCE = 4096;

    private LogCopies() {}

    /** Makes one copy durable; {@code at}: where the first one stands. */
    static void write(Path path, long at, long sequence, ByteBuffer record) throws IOException {
        try (FileChannel file = LogFiles.openToWrite(path, false)) {
            LogFiles.write(file, record, at + (sequence & 1) * DISTANCE);
            file.force(true);
        }
    }

    /** Checksum of the bytes of a buffer from {@code begin} to before {@code end}. */
    static long checksum(ByteBuffer buffer, int begin, int end) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(begin, end - begin));
        return crc.getValue();
    }
}
