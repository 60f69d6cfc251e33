package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.hadoop.OwnDirectory;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Goal: the CRC of bytes comes from those of their parts. Method: lengths around whole chunks, beside the JDK's CRC of all. */
class Crc32cJoinTest {
    private static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    @Test
    void the_crc_is_that_of_all_bytes() {
        Crc32cJoin join = new Crc32cJoin();
        for (int length : new int[] {0, 1, 100, 511, 512, 513, 1_024, 1_500, 70_000}) {
            byte[] bytes = OwnDirectory.bytes(length, length);
            join.reset();
            for (int at = 0; at < length; at += Crc32cJoin.CHUNK) {
                int count = Math.min(Crc32cJoin.CHUNK, length - at);
                join.add(crc(bytes, at, count), count);
            }
            assertEquals(crc(bytes, 0, length), join.value(), length + " bytes");
            assertEquals(length, join.length());
        }
    }
}
