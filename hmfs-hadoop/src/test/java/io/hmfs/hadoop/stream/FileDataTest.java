package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.WriteVerifier;
import io.hmfs.client.Written;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: the data of files is what was written, over block borders, with several readers, after appends, aborts and
 * truncates, and of files deleted meanwhile. Method: one filesystem on the shared server, a directory per test; bytes
 * compared.
 */
class FileDataTest extends OwnDirectory {
    @Test
    void files_of_every_awkward_length_come_back() throws IOException {
        for (int length :
                new int[] {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 12345}) {
            byte[] data = bytes(length, length);
            Path path = write("file-" + length, data);
            assertEquals(length, fs.getFileStatus(path).getLen());
            assertArrayEquals(data, read(path), "length " + length);
        }
    }

    @Test
    void random_reads_agree_with_the_bytes_written() throws IOException {
        byte[] data = bytes(1, 2 * BLOCK + 777);
        Path path = write("random", data);
        Random random = new Random(2);
        try (FSDataInputStream in = fs.open(path)) {
            for (int i = 0; i < 300; i++) {
                int from = random.nextInt(data.length);
                byte[] target = new byte[Math.min(random.nextInt(3 * CHUNK) + 1, data.length - from)];
                switch (random.nextInt(3)) {
                    case 0 -> in.readFully(from, target);
                    case 1 -> {
                        in.seek(from);
                        in.readFully(target);
                    }
                    default -> {
                        in.seek(from);
                        for (int at = 0; at < Math.min(50, target.length); at++) {
                            target[at] = (byte) in.read();
                        }
                        in.readFully(target, Math.min(50, target.length), target.length - Math.min(50, target.length));
                    }
                }
                assertArrayEquals(Arrays.copyOfRange(data, from, from + target.length), target, "read " + i);
            }
            assertThrows(EOFException.class, () -> in.readFully(data.length - 1, new byte[2]));
        }
    }

    /** What the disk has changed is no data, wherever in the file it is, and no zeros in its place either. */
    @Test
    void damaged_bytes_are_refused_with_their_place_and_the_others_are_read() throws IOException {
        byte[] data = bytes(8, BLOCK + 300_001);
        Path path = write("damaged", data);
        java.nio.file.Path object = object(Arrays.copyOfRange(data, BLOCK, data.length));
        try (FileChannel file = FileChannel.open(object, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long at = file.size() - 300_001 + 200_000;
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, at);
            file.write(one.put(0, (byte) (one.get(0) ^ 4)).flip(), at);
        }
        try (FSDataInputStream in = fs.open(path)) {
            ChecksumException refused =
                    assertThrows(ChecksumException.class, () -> in.readFully(BLOCK + 199_900, new byte[200]));
            assertEquals(BLOCK + 200_000 / 512 * 512, refused.getPos());
            assertTrue(
                    String.valueOf(refused.getMessage()).contains(path.toUri().getPath()), refused.getMessage());
            byte[] before = new byte[BLOCK + 199_000];
            in.readFully(0, before);
            assertArrayEquals(Arrays.copyOf(data, before.length), before);
        }
        assertThrows(ChecksumException.class, () -> read(path));
    }

    /** A block that the store does not have was lost if its writer has written all bytes, and is a hole if not. */
    @Test
    void what_is_lost_is_refused_with_its_place_and_a_hole_is_zeros() throws IOException {
        byte[] data = bytes(10, 2 * BLOCK + 1_000);
        for (boolean dense : new boolean[] {true, false}) {
            Path path = withoutMiddle(
                    "without-middle-" + dense, data, dense ? new Written(0, WriteVerifier.NONE) : Written.NOTHING);
            try (FSDataInputStream in = fs.open(path)) {
                byte[] before = new byte[BLOCK - 5];
                in.readFully(0, before);
                assertArrayEquals(Arrays.copyOf(data, before.length), before);
                byte[] part = new byte[200];
                if (dense) {
                    ChecksumException lost =
                            assertThrows(ChecksumException.class, () -> in.readFully(BLOCK + 100, part));
                    assertEquals(BLOCK + 100, lost.getPos());
                    assertTrue(
                            String.valueOf(lost.getMessage()).contains(path + ": bytes of the file"), lost::getMessage);
                    assertThrows(ChecksumException.class, () -> read(path));
                    assertThrows(ChecksumException.class, () -> fs.getFileChecksum(path));
                } else {
                    in.readFully(BLOCK + 100, part);
                    assertArrayEquals(new byte[200], part);
                    byte[] holes = data.clone();
                    Arrays.fill(holes, BLOCK, 2 * BLOCK, (byte) 0);
                    assertArrayEquals(holes, read(path));
                    assertEquals(fs.getFileChecksum(write("zeros", holes)), fs.getFileChecksum(path));
                }
                in.readFully(2 * BLOCK, new byte[1_000]);
            }
        }
        Path grown = write("grown", data); // by a stream, and then by a cut that makes it longer
        fs.truncate(grown, BLOCK + 7);
        try (HmfsClient client = client()) {
            assertTrue(client.stat(grown.toUri().getPath()).dense());
            client.truncate(grown.toUri().getPath(), data.length);
            assertFalse(client.stat(grown.toUri().getPath()).dense());
        }
        Arrays.fill(data, BLOCK + 7, data.length, (byte) 0);
        assertArrayEquals(data, read(grown));
    }

    private static HmfsClient client() throws IOException {
        return HmfsClient.connect("localhost", TestServerProcess.shared().uri().getPort(), ClientOptions.defaults());
    }

    /** Nor is anything written behind what is lost: it would be a hole then. */
    @Test
    void nothing_is_written_behind_what_is_lost() throws IOException {
        byte[] data = bytes(11, BLOCK + 1_000);
        for (boolean dense : new boolean[] {true, false}) {
            Path path = withoutMiddle(
                    "without-end-" + dense, data, dense ? new Written(0, WriteVerifier.NONE) : Written.NOTHING);
            FSDataOutputStream out = fs.append(path);
            out.write(7);
            if (dense) {
                String lost = String.valueOf(
                        assertThrows(IOException.class, out::close).getMessage());
                assertTrue(lost.contains(path.toUri().getPath()), lost);
                assertTrue(lost.contains("begins at byte " + BLOCK + " of the file"), lost);
                assertEquals(data.length, fs.getFileStatus(path).getLen());
                assertThrows(ChecksumException.class, () -> read(path));
            } else {
                out.close();
                byte[] holes = Arrays.copyOf(data, data.length + 1);
                Arrays.fill(holes, BLOCK, data.length, (byte) 0);
                holes[data.length] = 7;
                assertArrayEquals(holes, read(path));
            }
        }
    }

    /** A file whose second block is not in the store. */
    private Path withoutMiddle(String name, byte[] data, Written written) throws IOException {
        Path path = new Path(directory, name);
        try (HmfsClient client = client()) {
            OpenedFile file = client.createAndOpen(
                    path.toUri().getPath(),
                    new CreateOptions(0644, false, true, 0755)
                            .leased(client.leases().next()));
            for (int block : new int[] {0, 2}) {
                for (int at = block * BLOCK; at < Math.min(data.length, (block + 1) * BLOCK); at += CHUNK) {
                    int length = Math.min(CHUNK, data.length - at);
                    client.writeBlock(file.grant(), file.info().id(), block, at % BLOCK, data, at, length);
                }
            }
            client.append(file.info(), data.length, file.grant(), true, written);
        }
        return path;
    }

    /** The builtin store's file of an object that has just these bytes. Objects of files that other tests have removed go meanwhile. */
    static java.nio.file.Path object(byte[] bytes) throws IOException {
        List<java.nio.file.Path> objects = new ArrayList<>();
        Files.walkFileTree(TestServerProcess.shared().builtinObjects(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(java.nio.file.Path file, BasicFileAttributes attributes)
                    throws IOException {
                byte[] found;
                try {
                    found = Files.readAllBytes(file);
                } catch (NoSuchFileException e) {
                    return FileVisitResult.CONTINUE;
                }
                int from = found.length - bytes.length;
                if (from > 0 && Arrays.equals(found, from, found.length, bytes, 0, bytes.length)) {
                    objects.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(java.nio.file.Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        assertEquals(1, objects.size(), "objects that have these bytes");
        return objects.get(0);
    }

    @Test
    void positioned_reads_of_many_threads_do_not_disturb_each_other() throws Exception {
        byte[] data = bytes(3, BLOCK + 9999);
        Path path = write("threads", data);
        try (FSDataInputStream in = fs.open(path)) {
            List<CompletableFuture<Void>> readers = new ArrayList<>();
            for (int thread = 0; thread < 6; thread++) {
                Random random = new Random(thread);
                readers.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 60; i++) {
                        int from = random.nextInt(data.length - 5000);
                        byte[] target = new byte[5000];
                        try {
                            in.readFully(from, target);
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                        assertArrayEquals(Arrays.copyOfRange(data, from, from + 5000), target);
                    }
                }));
            }
            CompletableFuture.allOf(readers.toArray(new CompletableFuture<?>[0]))
                    .get();
        }
    }

    @Test
    void appends_continue_where_the_file_ended_in_the_middle_of_a_block_and_at_its_end() throws IOException {
        Path path = write("log", bytes(0, 10));
        byte[] expected = bytes(0, 10);
        for (int length : new int[] {5, CHUNK, BLOCK, 2 * BLOCK - CHUNK - 15, 1, 0, 7}) {
            byte[] more = bytes(length, length);
            try (FSDataOutputStream out = fs.append(path)) {
                assertEquals(expected.length, out.getPos());
                out.write(more);
            }
            byte[] both = Arrays.copyOf(expected, expected.length + length);
            System.arraycopy(more, 0, both, expected.length, length);
            expected = both;
            assertArrayEquals(expected, read(path));
        }
    }

    @Test
    void what_was_flushed_is_there_for_others_and_what_was_not_is_not() throws IOException {
        Path path = new Path(directory, "flushed");
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(bytes(1, 100));
            assertEquals(0, fs.getFileStatus(path).getLen());
            out.hflush();
            assertArrayEquals(bytes(1, 100), read(path));
            out.write(bytes(2, BLOCK));
            out.hsync();
            assertEquals(100 + BLOCK, read(path).length);
            out.write(9);
        }
        assertEquals(101 + BLOCK, fs.getFileStatus(path).getLen());
    }

    @Test
    void an_aborted_stream_commits_nothing_more() throws IOException {
        Path path = new Path(directory, "aborted");
        FSDataOutputStream out = fs.create(path);
        out.write(bytes(1, 100));
        out.hflush();
        out.write(bytes(2, 3 * CHUNK));
        assertFalse(out.abort().alreadyClosed());
        out.close();
        assertArrayEquals(bytes(1, 100), read(path));
        assertThrows(IOException.class, () -> out.write(1));
    }

    @Test
    void truncating_forgets_what_was_behind_even_when_the_file_grows_again() throws IOException {
        byte[] data = bytes(5, 2 * BLOCK + 500);
        Path path = write("cut", data);
        assertTrue(fs.truncate(path, BLOCK + 100));
        assertArrayEquals(Arrays.copyOf(data, BLOCK + 100), read(path));
        try (FSDataOutputStream out = fs.append(path)) {
            out.write(bytes(6, BLOCK));
        }
        byte[] now = read(path);
        assertEquals(2 * BLOCK + 100, now.length);
        assertArrayEquals(bytes(6, BLOCK), Arrays.copyOfRange(now, BLOCK + 100, now.length));
        assertTrue(fs.truncate(path, 0));
        assertEquals(0, read(path).length);
        assertThrows(HadoopIllegalArgumentException.class, () -> fs.truncate(path, 1));
        assertThrows(HadoopIllegalArgumentException.class, () -> fs.truncate(path, -1));
        assertThrows(FileNotFoundException.class, () -> fs.truncate(directory, 0));
    }

    @Test
    void a_reader_of_a_deleted_file_hears_of_it_and_never_gets_zeros() throws IOException {
        Path path = write("going", bytes(7, 2 * BLOCK));
        try (FSDataInputStream in = fs.open(path)) {
            assertTrue(in.read() >= 0);
            fs.delete(path, false);
            in.seek(BLOCK + CHUNK);
            byte[] target = new byte[CHUNK];
            try {
                in.readFully(target);
                assertArrayEquals(Arrays.copyOfRange(bytes(7, 2 * BLOCK), BLOCK + CHUNK, BLOCK + 2 * CHUNK), target);
            } catch (FileNotFoundException expected) {
                assertTrue(String.valueOf(expected.getMessage())
                        .contains(path.toUri().getPath()));
            }
        }
    }

    @Test
    void a_file_deleted_under_its_writer_fails_the_close() throws IOException {
        Path path = new Path(directory, "short-lived");
        FSDataOutputStream out = fs.create(path);
        out.write(bytes(1, 10));
        fs.delete(path, false);
        assertThrows(FileNotFoundException.class, out::close);
        assertFalse(fs.exists(path));
        out.close();
    }

    @Test
    void a_closed_filesystem_has_committed_its_open_files_and_does_no_more() throws IOException {
        Path path = new Path(directory, "left-open");
        FileSystem other = FileSystem.newInstance(fs.getUri(), new Configuration());
        FSDataOutputStream out = other.create(path);
        out.write(bytes(1, 10));
        other.close();
        assertArrayEquals(bytes(1, 10), read(path));
        assertThrows(IOException.class, () -> other.exists(path));
        assertThrows(IOException.class, () -> out.write(1));
    }
}
