package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.stream.FileBuilder;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RawPathHandle;
import org.apache.hadoop.fs.UploadHandle;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.junit.jupiter.api.Test;

/**
 * Goal: what Hadoop's contract tests leave open of builders, versions, handles and concat is as docs/hadoop.md tells.
 * Method: one filesystem on the shared server, a directory per test; the figures of streams show what was asked for
 * ahead.
 */
class ExtendedApiTest extends OwnDirectory {
    private String etag(Path path) throws IOException {
        return ((EtagSource) fs.getFileStatus(path)).getEtag();
    }

    private static byte[] concatenated(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @Test
    void a_file_that_must_not_be_there_is_made_once() throws IOException {
        Path path = new Path(directory, "once");
        String key = CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE;
        try (FSDataOutputStream out = builder(path).must(key, true).build()) {
            out.write(bytes(1, 10));
        }
        assertThrows(
                FileAlreadyExistsException.class,
                () -> builder(path).overwrite(true).must(key, true).build());
        assertThrows(
                FileAlreadyExistsException.class,
                () -> builder(path).recursive().opt(key, true).build());
        assertArrayEquals(bytes(1, 10), read(path));
        builder(path).must(key, false).build().close();
        assertEquals(0, read(path).length, "without the condition, createFile overwrites");
    }

    @Test
    void builders_do_what_their_options_say_and_refuse_what_they_must_do_and_cannot() throws IOException {
        Path orphan = new Path(directory, "no/parent");
        assertThrows(FileNotFoundException.class, () -> builder(orphan).build());
        builder(orphan)
                .recursive()
                .permission(new FsPermission((short) 0600))
                .build()
                .close();
        assertEquals(0600, fs.getFileStatus(orphan).getPermission().toShort());
        assertThrows(
                FileAlreadyExistsException.class,
                () -> builder(orphan).overwrite(false).build());
        assertThrows(PathIOException.class, () -> withoutFlags(orphan).build());
        String foreign = "fs.s3a.create.header.x";
        assertThrows(
                IllegalArgumentException.class,
                () -> builder(orphan).must(foreign, "x").build());
        builder(orphan).opt(foreign, "x").build().close();
        String ifVersion = CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG;
        assertThrows(
                IllegalArgumentException.class,
                () -> builder(orphan)
                        .opt(ifVersion, "\"d41d8cd98f00b204e9800998ecf8427e\"")
                        .build());
        assertThrows(
                IllegalArgumentException.class,
                () -> builder(orphan)
                        .opt(ifVersion, etag(orphan))
                        .opt(CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE, true)
                        .build());
        try (FSDataOutputStream out = fs.appendFile(orphan).build()) {
            out.write(1);
        }
        assertEquals(1, fs.getFileStatus(orphan).getLen());
    }

    @Test
    void one_version_is_replaced_once() throws IOException {
        Path path = write("version", bytes(1, 10));
        String key = CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG;
        String first = etag(path);
        try (FSDataOutputStream out = builder(path).must(key, first).build()) {
            out.write(bytes(2, 20));
        }
        PathIOException refused = assertThrows(
                PathIOException.class, () -> builder(path).opt(key, first).build());
        assertTrue(refused.toString().contains("has another version than " + first), refused.toString());
        assertArrayEquals(bytes(2, 20), read(path));
        Path none = new Path(directory, "none");
        assertThrows(
                FileNotFoundException.class,
                () -> builder(none).must(key, first).build());
        fs.rename(path, none);
        builder(none).must(key, etag(none)).build().close();
        assertEquals(0, fs.getFileStatus(none).getLen());
    }

    /** Each committer adds one to the number in a file, and writes it back if it is still what that committer has read. */
    @Test
    void no_update_of_committers_is_lost() throws Exception {
        Path path = write("counter", "0".getBytes(StandardCharsets.US_ASCII));
        int committers = 4;
        int each = 25;
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < committers; i++) {
            all.add(CompletableFuture.supplyAsync(() -> count(path, each)));
        }
        int lost = 0;
        for (CompletableFuture<Integer> committer : all) {
            lost += committer.get();
        }
        assertEquals(committers * each, Integer.parseInt(new String(read(path), StandardCharsets.US_ASCII)));
        assertTrue(lost > 0, "no committer was ever too late");
    }

    /** How often another committer was faster. */
    private static int count(Path path, int times) {
        int late = 0;
        try (FileSystem own = FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration())) {
            for (int done = 0; done < times; ) {
                String etag = ((EtagSource) own.getFileStatus(path)).getEtag();
                try (FSDataInputStream in = own.open(path)) {
                    String number = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
                    if (number.isEmpty()) {
                        continue; // its writer has not closed it yet
                    }
                    try (FSDataOutputStream out = ((FileBuilder) own.createFile(path))
                            .must(CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG, etag)
                            .build()) {
                        out.writeBytes(Integer.toString(Integer.parseInt(number) + 1));
                    }
                    done++;
                } catch (PathIOException | FileNotFoundException e) {
                    late++; // replaced, also while it was read
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return late;
    }

    private FileBuilder builder(Path path) {
        return (FileBuilder) fs.createFile(path);
    }

    private FileBuilder withoutFlags(Path path) {
        return new FileBuilder(fs, path, (at, permission, version, parents) -> {
            throw new AssertionError("replaces " + at);
        });
    }

    private long askedAhead(Path path, String key, String value, int bytes) throws Exception {
        try (FSDataInputStream in = fs.openFile(path).must(key, value).build().get()) {
            in.readFully(new byte[bytes]);
            IOStatistics counts = in.getIOStatistics();
            assertEquals(bytes, counts.counters().get(StreamStatisticNames.STREAM_READ_BYTES));
            return Objects.requireNonNull(counts.counters().get(StreamStatisticNames.STREAM_READ_PREFETCH_OPERATIONS));
        }
    }

    @Test
    void a_read_policy_says_what_is_asked_for_ahead() throws Exception {
        Path path = write("long", bytes(2, 8 * CHUNK));
        String policy = OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY;
        assertEquals(0, askedAhead(path, policy, "adaptive", 1), "nothing is known of the reader yet");
        assertEquals(4, askedAhead(path, policy, "whole-file", 1));
        assertEquals(4, askedAhead(path, policy, "nosuch, sequential", 1), "the first that is known");
        assertEquals(0, askedAhead(path, policy, "parquet, sequential", 3 * CHUNK));
        assertNotEquals(0, askedAhead(path, policy, "nosuch", 3 * CHUNK), "as without a policy");
        String end = OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END;
        assertEquals(0, askedAhead(path, end, Integer.toString(CHUNK), 3 * CHUNK));
    }

    @Test
    void open_file_refuses_what_it_cannot_do_before_it_is_waited_for() throws Exception {
        Path path = write("file", bytes(3, 100));
        FileStatus status = fs.getFileStatus(path);
        assertThrows(
                IllegalArgumentException.class,
                () -> fs.openFile(path).must("fs.option.nosuch", 1).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> fs.openFile(new Path(directory, "other"))
                        .withFileStatus(status)
                        .build());
        try (FSDataInputStream in = fs.openFile(path)
                .withFileStatus(status)
                .opt("fs.option.nosuch", 1)
                .mustLong(OpenFileOptions.FS_OPTION_OPENFILE_LENGTH, 100)
                .build()
                .get()) {
            assertArrayEquals(bytes(3, 100), in.readAllBytes());
        }
    }

    @Test
    void each_change_of_content_is_another_version_and_nothing_else_is() throws IOException {
        Path path = write("file", bytes(4, 100));
        Set<String> seen = new TreeSet<>();
        seen.add(etag(path));
        fs.setPermission(path, new FsPermission((short) 0600));
        fs.setXAttr(path, "user.a", bytes(4, 1));
        Path moved = new Path(directory, "moved");
        assertTrue(fs.rename(path, moved));
        assertFalse(seen.add(etag(moved)));
        try (FSDataOutputStream out = fs.append(moved)) {
            out.write(bytes(4, 1));
            out.hflush();
            assertTrue(seen.add(etag(moved)));
        }
        fs.truncate(moved, 100);
        assertTrue(seen.add(etag(moved)));
        write("moved", bytes(4, 100));
        assertTrue(seen.add(etag(moved)));
        fs.setTimes(moved, 1_000, -1);
        assertTrue(seen.add(etag(moved)), "the time is part of it");
        try (FSDataOutputStream out = fs.append(moved)) {
            out.write(1);
        }
        fs.setTimes(moved, 1_000, -1);
        assertTrue(seen.add(etag(moved)), "so is the size, whatever the time is set to");
        assertEquals("", etag(directory));
        assertEquals(etag(moved), ((EtagSource) fs.listStatus(directory)[0]).getEtag());
    }

    @Test
    void file_contexts_know_versions_and_uploads_too() throws Exception {
        Configuration conf = new Configuration();
        conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
        FileContext context = FileContext.getFileContext(fs.getUri(), conf);
        Path path = write("file", bytes(14, 10));
        assertEquals(etag(path), ((EtagSource) context.getFileStatus(path)).getEtag());
        assertEquals(
                etag(path), ((EtagSource) context.listLocatedStatus(directory).next()).getEtag());
        Path target = fs.makeQualified(new Path(directory, "uploaded"));
        try (MultipartUploader uploader =
                context.createMultipartUploader(fs.makeQualified(directory)).build()) {
            UploadHandle upload = uploader.startUpload(target).get();
            uploader.abort(upload, target).get();
        }
        assertFalse(fs.exists(target));
        try (FSDataInputStream in = context.openFile(path)
                .must(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, "random")
                .build()
                .get()) {
            assertArrayEquals(bytes(14, 10), in.readAllBytes());
        }
    }

    @Test
    void a_handle_is_of_one_file_at_its_path_and_of_one_version_if_it_is_exact() throws IOException {
        Path path = write("file", bytes(5, 100));
        FileStatus status = fs.getFileStatus(path);
        PathHandle exact = new RawPathHandle(fs.getPathHandle(status, HandleOpt.exact()));
        PathHandle there = new RawPathHandle(fs.getPathHandle(status, HandleOpt.path()));
        assertEquals(fs.getPathHandle(status, HandleOpt.exact()), exact);
        assertNotEquals(exact, there);
        fs.setPermission(path, new FsPermission((short) 0600));
        fs.open(exact).close();
        fs.truncate(path, 50);
        assertThrows(InvalidPathHandleException.class, () -> fs.open(exact));
        try (FSDataInputStream in = fs.open(there)) {
            assertEquals(50, in.readAllBytes().length);
        }
        write("file", bytes(5, 100));
        assertThrows(InvalidPathHandleException.class, () -> fs.open(there), "another file of that name");
        fs.delete(path, false);
        assertThrows(InvalidPathHandleException.class, () -> fs.open(there));
    }

    @Test
    void handles_that_cannot_be_are_not_made_and_not_opened() throws IOException {
        FileStatus status = fs.getFileStatus(write("file", bytes(6, 1)));
        FileStatus foreign = new FileStatus(1, false, 1, 1, 1, status.getPath());
        assertThrows(UnsupportedOperationException.class, () -> fs.getPathHandle(status, HandleOpt.reference()));
        assertThrows(UnsupportedOperationException.class, () -> fs.getPathHandle(status, HandleOpt.content()));
        assertThrows(IllegalArgumentException.class, () -> fs.getPathHandle(foreign, HandleOpt.exact()));
        FileStatus ofDirectory = fs.getFileStatus(directory);
        assertThrows(IllegalArgumentException.class, () -> fs.getPathHandle(ofDirectory, HandleOpt.exact()));
        byte[] whole = fs.getPathHandle(status, HandleOpt.exact()).toByteArray();
        for (byte[] bytes : List.of(new byte[0], new byte[64], Arrays.copyOf(whole, 20))) {
            PathHandle broken = new RawPathHandle(ByteBuffer.wrap(bytes));
            assertThrows(InvalidPathHandleException.class, () -> fs.open(broken));
        }
    }

    @Test
    void concat_appends_files_of_any_length_in_their_order_and_takes_them_away() throws IOException {
        byte[][] parts = {bytes(7, 3), bytes(8, BLOCK + 5), bytes(9, 2 * CHUNK), bytes(10, 1)};
        Path target = write("target", parts[0]);
        Path[] sources = {write("b", parts[1]), write("a", parts[2]), write("c", parts[3])};
        fs.concat(target, sources);
        assertArrayEquals(concatenated(parts), read(target));
        assertEquals(1, fs.listStatus(directory).length);
    }

    private void refused(Class<? extends Exception> expected, String sentence, Path target, Path... sources) {
        Exception refusal = assertThrows(expected, () -> fs.concat(target, sources));
        assertTrue(String.valueOf(refusal.getMessage()).contains(sentence), refusal.toString());
    }

    @Test
    void concat_refuses_what_hdfs_refuses_with_its_sentences_and_changes_nothing() throws IOException {
        Path target = write("target", bytes(11, 10));
        Path one = write("one", bytes(12, 10));
        Path empty = write("empty", new byte[0]);
        Path elsewhere = write("sub/file", bytes(13, 10));
        Path missing = new Path(directory, "missing");
        refused(HadoopIllegalArgumentException.class, "No sources given", target);
        refused(HadoopIllegalArgumentException.class, "is the same with the target file", target, one, target);
        refused(
                HadoopIllegalArgumentException.class,
                "at least two of the source files are the same",
                target,
                one,
                one);
        refused(HadoopIllegalArgumentException.class, "is invalid or empty", target, one, empty);
        refused(HadoopIllegalArgumentException.class, "is not in the same directory with", target, one, elsewhere);
        refused(FileNotFoundException.class, "File does not exist: " + missing, target, one, missing);
        refused(FileNotFoundException.class, "File does not exist: " + missing, missing, one);
        refused(FileNotFoundException.class, "Path is not a file: " + directory, directory, one);
        assertArrayEquals(bytes(11, 10), read(target));
        assertArrayEquals(bytes(12, 10), read(one));
    }
}
