package io.hmfs.hadoop.stream;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.MD5MD5CRC32CastagnoliFileChecksum;
import org.apache.hadoop.fs.MD5MD5CRC32GzipFileChecksum;
import org.apache.hadoop.fs.Options.ChecksumCombineMode;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.util.DataChecksum;

/**
 * Checksums of files as HDFS has them, by the settings of an HDFS client, so that a copy can be compared across the
 * two. They are computed from the data, which is read for it.
 *
 * @param blockSize where HDFS would begin a new block; a composite CRC does not depend on it
 */
public record Checksums(ChecksumCombineMode combine, DataChecksum.Type type, int bytesPerCrc, long blockSize) {
    private static final String COMBINE = "dfs.checksum.combine.mode";
    private static final String TYPE = "dfs.checksum.type";
    private static final String BYTES_PER_CRC = "dfs.bytes-per-checksum";
    private static final String BLOCK_SIZE = "dfs.blocksize";
    private static final long BLOCK_SIZE_DEFAULT = 128 << 20;
    private static final int NO_BLOCK = 32; // zeros, whose MD5 stands for a file without blocks in all releases of HDFS
    private static final int BYTES_PER_CRC_MAX = 16 << 20;

    /** As the configuration asks for. @throws IOException a setting has a value that cannot be */
    public static Checksums from(Configuration conf) throws IOException {
        int bytesPerCrc = conf.getInt(BYTES_PER_CRC, 512);
        long blockSize = conf.getLongBytes(BLOCK_SIZE, BLOCK_SIZE_DEFAULT);
        if (bytesPerCrc < 1 || bytesPerCrc > BYTES_PER_CRC_MAX) {
            throw new IOException(BYTES_PER_CRC + " must be a whole number from 1 to " + BYTES_PER_CRC_MAX + ", not '"
                    + conf.get(BYTES_PER_CRC) + "'");
        }
        if (blockSize < 1 || blockSize % bytesPerCrc != 0) {
            throw new IOException(BLOCK_SIZE + " must be a multiple of " + BYTES_PER_CRC + ", " + bytesPerCrc
                    + ", not '" + conf.get(BLOCK_SIZE) + "'");
        }
        return new Checksums(
                choice(conf, COMBINE, ChecksumCombineMode.MD5MD5CRC, ChecksumCombineMode.COMPOSITE_CRC),
                choice(conf, TYPE, DataChecksum.Type.CRC32C, DataChecksum.Type.CRC32),
                bytesPerCrc,
                blockSize);
    }

    private static <E extends Enum<E>> E choice(Configuration conf, String name, E usual, E other) throws IOException {
        String value = conf.getTrimmed(name, usual.name()).toUpperCase(Locale.ROOT);
        if (value.equals(usual.name())) {
            return usual;
        }
        if (value.equals(other.name())) {
            return other;
        }
        throw new IOException(name + " must be " + usual + " or " + other + ", not '" + value + "'");
    }

    private Checksum crc() {
        return type == DataChecksum.Type.CRC32C ? new CRC32C() : new CRC32();
    }

    /** The checksum of the first {@code length} bytes of a file, or of all if it has fewer. */
    public FileChecksum of(InputStream file, long length) throws IOException {
        byte[] chunk = new byte[bytesPerCrc];
        DataOutputBuffer blocks = new DataOutputBuffer();
        MessageDigest block = MD5Hash.getDigester();
        Checksum whole = crc();
        Checksum part = crc();
        byte[] encoded = new byte[Integer.BYTES];
        long at = 0;
        int read;
        do {
            read = file.readNBytes(chunk, 0, (int) Math.min(bytesPerCrc, length - at));
            if (read > 0) {
                if (at > 0 && at % blockSize == 0) {
                    blocks.write(block.digest());
                }
                at += read;
                whole.update(chunk, 0, read);
                part.reset();
                part.update(chunk, 0, read);
                put(encoded, (int) part.getValue());
                block.update(encoded);
            }
        } while (read == bytesPerCrc);
        if (at == 0) {
            return new MD5MD5CRC32GzipFileChecksum(0, 0, MD5Hash.digest(new byte[NO_BLOCK]));
        }
        if (combine == ChecksumCombineMode.COMPOSITE_CRC) {
            return new CompositeCrcFileChecksum((int) whole.getValue(), type, bytesPerCrc);
        }
        blocks.write(block.digest());
        // Of the whole buffer, zeros behind the digests included: so HDFS does it, and cannot change it any more.
        MD5Hash digest = MD5Hash.digest(blocks.getData());
        long crcsPerBlock = at > blockSize ? blockSize / bytesPerCrc : 0;
        return type == DataChecksum.Type.CRC32C
                ? new MD5MD5CRC32CastagnoliFileChecksum(bytesPerCrc, crcsPerBlock, digest)
                : new MD5MD5CRC32GzipFileChecksum(bytesPerCrc, crcsPerBlock, digest);
    }

    private static void put(byte[] bytes, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[i] = (byte) (value >>> (24 - 8 * i));
        }
    }
}
