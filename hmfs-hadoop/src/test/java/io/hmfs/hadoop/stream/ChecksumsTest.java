package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.StringUtils;
import org.junit.jupiter.api.Test;

/**
 * Goal: a file has the checksum that HDFS would give it, so that distcp can compare.
 * Method: computed here by another way; HDFS's own values for files of one block are in the shell suites.
 */
class ChecksumsTest extends OwnDirectory {
    private static final int HDFS_BLOCK = 64 << 10;

    private FileSystem files(String... settings) throws IOException {
        Configuration conf = new Configuration();
        conf.setInt("dfs.blocksize", HDFS_BLOCK);
        for (int i = 0; i < settings.length; i += 2) {
            conf.set(settings[i], settings[i + 1]);
        }
        return FileSystem.newInstance(TestServerProcess.shared().uri(), conf);
    }

    private Path file(byte[] data) throws IOException {
        Path file = new Path(directory, "f" + data.length);
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(data);
        }
        return file;
    }

    private static byte[] blockDigest(byte[] block) throws Exception {
        ByteArrayOutputStream crcs = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(crcs);
        for (int at = 0; at < block.length; at += 512) {
            CRC32C crc = new CRC32C();
            crc.update(block, at, Math.min(512, block.length - at));
            out.writeInt((int) crc.getValue());
        }
        return MessageDigest.getInstance("MD5").digest(crcs.toByteArray());
    }

    @Test
    void blocks_are_those_that_hdfs_would_have() throws Exception {
        byte[] data = OwnDirectory.bytes(1, 4 * HDFS_BLOCK + 1000);
        byte[] digests = new byte[128]; // what a buffer of 32 bytes that doubles has become with five digests
        for (int i = 0; i < 5; i++) {
            byte[] block = Arrays.copyOfRange(data, i * HDFS_BLOCK, Math.min(data.length, (i + 1) * HDFS_BLOCK));
            System.arraycopy(blockDigest(block), 0, digests, 16 * i, 16);
        }
        String expected = "MD5-of-128MD5-of-512CRC32C:"
                + StringUtils.byteToHexString(MessageDigest.getInstance("MD5").digest(digests));
        try (FileSystem hdfs = files()) {
            assertEquals(expected, hdfs.getFileChecksum(file(data)).toString());
        }
    }

    @Test
    void a_composite_crc_is_the_same_however_the_blocks_are() throws Exception {
        byte[] data = OwnDirectory.bytes(2, 3 * HDFS_BLOCK + 777);
        CRC32C crc = new CRC32C();
        crc.update(data);
        Path file = file(data);
        try (FileSystem one = files("dfs.checksum.combine.mode", "COMPOSITE_CRC");
                FileSystem two = files("dfs.checksum.combine.mode", "composite_crc", "dfs.blocksize", "1m")) {
            FileChecksum checksum = one.getFileChecksum(file);
            assertEquals("COMPOSITE-CRC32C", checksum.getAlgorithmName());
            assertEquals(String.format("%08x", crc.getValue()), StringUtils.byteToHexString(checksum.getBytes()));
            assertEquals(checksum, two.getFileChecksum(file));
        }
    }

    /** The same file, of which the bytes are given to HDFS's algorithm here. */
    private static FileChecksum ofData(FileSystem hdfs, byte[] data) throws IOException {
        return Checksums.from(hdfs.getConf()).of(new ByteArrayInputStream(data), Long.MAX_VALUE);
    }

    @Test
    void stored_checksums_and_data_give_the_same() throws IOException {
        for (int length : new int[] {1, 511, 512, 513, HDFS_BLOCK, BLOCK, BLOCK + 1, 2 * BLOCK + 70_000}) {
            byte[] data = OwnDirectory.bytes(length, length);
            Path file = file(data);
            for (String perCrc : new String[] {"512", "1024", "4096", "256"}) {
                for (String mode : new String[] {"MD5MD5CRC", "COMPOSITE_CRC"}) {
                    for (String type : new String[] {"CRC32C", "CRC32"}) {
                        try (FileSystem hdfs = files(
                                "dfs.bytes-per-checksum", perCrc,
                                "dfs.checksum.combine.mode", mode,
                                "dfs.checksum.type", type)) {
                            String what = length + " bytes, " + perCrc + ", " + mode + ", " + type;
                            assertEquals(ofData(hdfs, data), hdfs.getFileChecksum(file), what);
                        }
                    }
                }
            }
        }
    }

    /** A cut that makes a file longer leaves a hole, over the end of an object and in place of others. */
    @Test
    void a_hole_counts_as_zeros() throws IOException {
        byte[] data = Arrays.copyOf(OwnDirectory.bytes(4, 700), 2 * BLOCK + 1_000);
        Path file = file(Arrays.copyOf(data, 700));
        try (HmfsClient client =
                HmfsClient.connect("localhost", TestServerProcess.shared().uri().getPort(), ClientOptions.defaults())) {
            client.truncate(file.toUri().getPath(), data.length);
        }
        try (FileSystem hdfs = files()) {
            assertEquals(ofData(hdfs, data), hdfs.getFileChecksum(file));
        }
    }

    /** Damage that a reader would be told of changes nothing: the server does not read the data. The last, short chunk it reads. */
    @Test
    void the_data_is_not_read() throws IOException {
        byte[] data = OwnDirectory.bytes(5, 100_300);
        Path file = file(data);
        java.nio.file.Path object = FileDataTest.object(data);
        try (FileSystem hdfs = files()) {
            FileChecksum before = hdfs.getFileChecksum(file);
            change(object, data.length, 0);
            change(object, data.length, 60_000);
            assertThrows(ChecksumException.class, () -> read(file));
            assertEquals(ofData(hdfs, data), before);
            assertEquals(before, hdfs.getFileChecksum(file));
            change(object, data.length, 100_200);
            ChecksumException damaged = assertThrows(ChecksumException.class, () -> hdfs.getFileChecksum(file));
            assertEquals(100_200 / 512 * 512, damaged.getPos());
        }
    }

    private static void change(java.nio.file.Path object, int length, int at) throws IOException {
        try (FileChannel channel = FileChannel.open(object, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long place = channel.size() - length + at;
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, place);
            channel.write(one.put(0, (byte) (one.get(0) ^ 1)).flip(), place);
        }
    }

    @Test
    void a_length_takes_the_beginning() throws IOException {
        byte[] data = OwnDirectory.bytes(3, HDFS_BLOCK + 5000);
        Path whole = file(data);
        Path beginning = file(Arrays.copyOf(data, 3000));
        try (FileSystem hdfs = files()) {
            assertEquals(hdfs.getFileChecksum(beginning), hdfs.getFileChecksum(whole, 3000));
            assertEquals(hdfs.getFileChecksum(whole), hdfs.getFileChecksum(whole, Long.MAX_VALUE));
            assertNotEquals(hdfs.getFileChecksum(whole), hdfs.getFileChecksum(whole, HDFS_BLOCK));
        }
    }

    @Test
    void an_empty_file_has_the_one_of_all_releases() throws IOException {
        assertEquals(
                "MD5-of-0MD5-of-0CRC32:70bc8f4b72a86921468bf8e8441dce51",
                fs.getFileChecksum(file(new byte[0])).toString());
    }

    @Test
    void settings_that_cannot_be_are_named() throws IOException {
        Path file = file(new byte[1]);
        try (FileSystem odd = files("dfs.blocksize", "1000");
                FileSystem none = files("dfs.checksum.type", "NULL")) {
            String size = String.valueOf(assertThrows(IOException.class, () -> odd.getFileChecksum(file))
                    .getMessage());
            assertTrue(size.contains("dfs.blocksize") && size.contains("512"), size);
            String type = String.valueOf(assertThrows(IOException.class, () -> none.getFileChecksum(file))
                    .getMessage());
            assertTrue(type.contains("dfs.checksum.type") && type.contains("NULL"), type);
        }
    }
}
