package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
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
