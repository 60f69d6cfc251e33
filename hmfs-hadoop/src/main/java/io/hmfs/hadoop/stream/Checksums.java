package io.hmfs.hadoop.stream;

import io.hmfs.hadoop.store.StoredChecksums;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
 * two. They are made from the CRCs of the builtin data store where it has those that are asked for; else the data is read for it.
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

    /** Whether the CRCs that this is made of are those that the builtin data store has, or can be made from them. */
    boolean areStored() {
        return type == DataChecksum.Type.CRC32C && bytesPerCrc % Crc32cJoin.CHUNK == 0;
    }

    /** The checksum of the first {@code length} bytes of a file, at most its size, by the CRCs that the data store has. */
    FileChecksum of(FileBlocks file, StoredChecksums stored, long length) throws IOException {
        Sum sum = new Sum();
        Crc32cJoin part = new Crc32cJoin();
        Crc32cJoin whole = new Crc32cJoin();
        file.checksums(stored, length, (crc, count) -> {
            part.add(crc, count);
            if (part.length() == bytesPerCrc) {
                sum.add(part.value(), bytesPerCrc);
                part.reset();
            }
            if (combine == ChecksumCombineMode.COMPOSITE_CRC) {
                whole.add(crc, count);
            }
        });
        if (part.length() > 0) {
            sum.add(part.value(), (int) part.length());
        }
        return sum.end(whole.value());
    }

    /** The checksum of the first {@code length} bytes of a file, or of all if it has fewer, by its data. */
    public FileChecksum of(InputStream file, long length) throws IOException {
        byte[] chunk = new byte[bytesPerCrc];
        Sum sum = new Sum();
        Checksum whole = crc();
        Checksum part = crc();
        int read;
        do {
            read = file.readNBytes(chunk, 0, (int) Math.min(bytesPerCrc, length - sum.length));
            if (read > 0) {
                whole.update(chunk, 0, read);
                part.reset();
                part.update(chunk, 0, read);
                sum.add((int) part.getValue(), read);
            }
        } while (read == bytesPerCrc);
        return sum.end((int) whole.getValue());
    }

    /** What HDFS makes of the CRCs of a file. */
    private final class Sum {
        private final DataOutputBuffer blocks = new DataOutputBuffer();
        private final MessageDigest block = MD5Hash.getDigester();
        private final byte[] encoded = new byte[Integer.BYTES];
        private long length;

        /** The CRC of the next bytes: {@code bytesPerCrc}, or the last ones. */
        void add(int crc, int count) {
            if (length > 0 && length % blockSize == 0) {
                endBlock();
            }
            length += count;
            for (int i = 0; i < Integer.BYTES; i++) {
                encoded[i] = (byte) (crc >>> (24 - 8 * i));
            }
            block.update(encoded);
        }

        private void endBlock() {
            byte[] digest = block.digest();
            try {
                blocks.write(digest);
            } catch (IOException e) {
                throw new UncheckedIOException(e); // a buffer in memory
            }
        }

        /** {@code whole}: the CRC of all bytes, for a composite one. */
        FileChecksum end(int whole) {
            if (length == 0) {
                return new MD5MD5CRC32GzipFileChecksum(0, 0, MD5Hash.digest(new byte[NO_BLOCK]));
            }
            if (combine == ChecksumCombineMode.COMPOSITE_CRC) {
                return new CompositeCrcFileChecksum(whole, type, bytesPerCrc);
            }
            endBlock();
            // Of the whole buffer, zeros behind the digests included: so HDFS does it, and cannot change it any more.
            MD5Hash digest = MD5Hash.digest(blocks.getData());
            long crcsPerBlock = length > blockSize ? blockSize / bytesPerCrc : 0;
            return type == DataChecksum.Type.CRC32C
                    ? new MD5MD5CRC32CastagnoliFileChecksum(bytesPerCrc, crcsPerBlock, digest)
                    : new MD5MD5CRC32GzipFileChecksum(bytesPerCrc, crcsPerBlock, digest);
        }
    }
}
