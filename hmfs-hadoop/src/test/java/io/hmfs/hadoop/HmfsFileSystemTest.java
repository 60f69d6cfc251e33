package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.SnapshotAccessControlException;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: what Hadoop's contract tests leave open works as in HDFS: names, trees, listings, renames, permissions,
 * users, settings, bad input. Method: one filesystem on the shared server, a directory per test.
 */
class HmfsFileSystemTest extends OwnDirectory {
    @Test
    void a_tree_of_thousands_of_files_goes_in_one_call_while_another_client_deletes_too() throws Exception {
        Path tree = new Path(directory, "tree");
        int files = 3000;
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            int first = thread;
            writers.add(CompletableFuture.runAsync(() -> {
                for (int i = first; i < files; i += 8) {
                    Path path = new Path(tree, "d" + i % 40 + "/e" + i % 7 + "/f" + i);
                    try {
                        fs.create(path).close();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        CompletableFuture.allOf(writers.toArray(new CompletableFuture<?>[0])).get();
        assertEquals(files, fs.getContentSummary(tree).getFileCount());
        Path deep = tree;
        for (int level = 0; level < 400; level++) {
            deep = new Path(deep, "x");
        }
        fs.mkdirs(deep);
        assertThrows(PathIsNotEmptyDirectoryException.class, () -> fs.delete(tree, false));
        CompletableFuture<Boolean> rival = CompletableFuture.supplyAsync(() -> {
            try (FileSystem other = FileSystem.newInstance(fs.getUri(), new Configuration())) {
                return other.delete(tree, true);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        fs.delete(tree, true);
        rival.get();
        assertFalse(fs.exists(tree));
        assertFalse(fs.delete(tree, true));
    }

    @Test
    void a_content_summary_is_that_of_hdfs() throws IOException {
        write("a/one", bytes(1, 1000));
        write("a/b/two", bytes(2, 20));
        fs.mkdirs(new Path(directory, "a/c"));
        ContentSummary summary = fs.getContentSummary(new Path(directory, "a"));
        assertEquals(1020, summary.getLength());
        assertEquals(2, summary.getFileCount());
        assertEquals(3, summary.getDirectoryCount());
        assertEquals(1020, summary.getSpaceConsumed());
        assertEquals(-1, summary.getQuota());
        assertEquals(-1, summary.getSpaceQuota());
        assertEquals(0, summary.getSnapshotFileCount());
        QuotaUsage usage = fs.getQuotaUsage(new Path(directory, "a"));
        assertEquals(5, usage.getFileAndDirectoryCount());
        assertEquals(-1, usage.getQuota());
        ContentSummary file = fs.getContentSummary(new Path(directory, "a/one"));
        assertEquals(List.of(1000L, 1L, 0L), List.of(file.getLength(), file.getFileCount(), file.getDirectoryCount()));
        assertThrows(FileNotFoundException.class, () -> fs.getContentSummary(new Path(directory, "none")));
        assertThrows(FileNotFoundException.class, () -> fs.getContentSummary(new Path(directory, "a/one/none")));
    }

    @Test
    void a_writer_in_a_tree_that_is_removed_hears_of_it() throws IOException {
        Path tree = new Path(directory, "tree");
        FSDataOutputStream out = fs.create(new Path(tree, "a/file"));
        out.write(bytes(1, 100));
        out.hflush();
        assertTrue(fs.delete(tree, true));
        out.write(bytes(2, 100));
        assertThrows(FileNotFoundException.class, out::hflush);
        assertThrows(IOException.class, out::close);
    }

    @Test
    void a_tree_goes_although_files_are_created_in_it_meanwhile() throws Exception {
        Path tree = new Path(directory, "busy");
        for (int i = 0; i < 300; i++) {
            fs.create(new Path(tree, "d" + i % 3 + "/f" + i)).close();
        }
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Void> creator = CompletableFuture.runAsync(() -> {
            // Fewer in each directory than the times that a delete looks again: it gives up on one that keeps at it.
            for (int i = 0; i < 45 && !stop.get(); i++) {
                try {
                    Path late = new Path(tree, "d" + i % 3 + "/late" + i);
                    fs.createNonRecursive(late, true, 4096, (short) 1, BLOCK, null)
                            .close();
                } catch (FileNotFoundException gone) {
                    return;
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        });
        fs.delete(tree, true);
        stop.set(true);
        creator.get();
        assertFalse(fs.exists(tree));
    }

    @Test
    void listings_come_in_pages_sorted_where_hdfs_sorts() throws IOException {
        Configuration conf = new Configuration();
        conf.setInt("fs.hmfs.list.page.entries", 7);
        try (FileSystem paged = FileSystem.newInstance(fs.getUri(), conf)) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                names.add("n" + (i * 37) % 50);
                paged.create(new Path(directory, names.get(i))).close();
            }
            names.sort(null);
            List<String> listed = new ArrayList<>();
            for (FileStatus status : paged.listStatus(directory)) {
                listed.add(status.getPath().getName());
            }
            assertEquals(names, listed);
            List<String> iterated = new ArrayList<>();
            RemoteIterator<FileStatus> pages = paged.listStatusIterator(directory);
            while (pages.hasNext()) {
                iterated.add(pages.next().getPath().getName());
            }
            iterated.sort(null);
            assertEquals(names, iterated);
        }
    }

    @Test
    void the_umask_applies_once_and_to_files_directories_and_file_contexts() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.permissions.umask-mode", "027");
        try (FileSystem masked = FileSystem.newInstance(fs.getUri(), conf)) {
            Path file = new Path(directory, "a/file");
            masked.create(file).close();
            assertEquals(
                    FsPermission.createImmutable((short) 0640),
                    masked.getFileStatus(file).getPermission());
            assertEquals(
                    FsPermission.createImmutable((short) 0755),
                    masked.getFileStatus(file.getParent()).getPermission(),
                    "inherited from the directory above");
            masked.mkdirs(new Path(directory, "b/c"));
            assertEquals(
                    FsPermission.createImmutable((short) 0750),
                    masked.getFileStatus(new Path(directory, "b")).getPermission());
            masked.setPermission(file, FsPermission.createImmutable((short) 0777));
            assertEquals(
                    FsPermission.createImmutable((short) 0777),
                    masked.getFileStatus(file).getPermission());
        }
        FileContext context = FileContext.getFileContext(fs.getUri(), conf);
        context.setUMask(FsPermission.createImmutable((short) 0));
        Path open = new Path(directory, "open");
        context.mkdir(open, FsPermission.createImmutable((short) 0777), false);
        assertEquals(
                FsPermission.createImmutable((short) 0777),
                fs.getFileStatus(open).getPermission());
    }

    @Test
    void owner_group_and_times_are_kept_as_set() throws IOException {
        Path path = write("owned", new byte[0]);
        fs.setOwner(path, "alice", null);
        fs.setOwner(path, null, "staff");
        fs.setTimes(path, 1_000_000_000_123L, -1);
        fs.setTimes(path, -1, 1_100_000_000_456L);
        FileStatus status = fs.getFileStatus(path);
        assertEquals("alice", status.getOwner());
        assertEquals("staff", status.getGroup());
        assertEquals(1_000_000_000_123L, status.getModificationTime());
        assertEquals(1_100_000_000_456L, status.getAccessTime());
    }

    @Test
    void renames_of_file_contexts_replace_files_and_empty_directories_and_refuse_the_rest() throws IOException {
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        Path one = write("one", bytes(1, 10));
        Path two = write("two", bytes(2, 20));
        Path empty = new Path(directory, "empty");
        Path full = new Path(directory, "full");
        fs.mkdirs(empty);
        fs.create(new Path(full, "child")).close();
        assertThrows(FileAlreadyExistsException.class, () -> context.rename(one, two));
        context.rename(one, two, Options.Rename.OVERWRITE);
        assertArrayEquals(bytes(1, 10), read(two));
        assertFalse(fs.exists(one));
        assertThrows(FileNotFoundException.class, () -> context.rename(one, new Path(directory, "three")));
        assertThrows(IOException.class, () -> context.rename(two, empty, Options.Rename.OVERWRITE));
        assertThrows(IOException.class, () -> context.rename(empty, two, Options.Rename.OVERWRITE));
        assertThrows(IOException.class, () -> context.rename(empty, full, Options.Rename.OVERWRITE));
        context.rename(full, empty, Options.Rename.OVERWRITE);
        assertTrue(fs.exists(new Path(empty, "child")));
        assertThrows(IOException.class, () -> context.rename(empty, new Path(empty, "below")));
        assertThrows(FileNotFoundException.class, () -> context.rename(two, new Path(directory, "no/such/parent")));
        assertThrows(ParentNotDirectoryException.class, () -> context.rename(empty, new Path(two, "below a file")));
    }

    /** The class is that of HDFS's IOException, for which Hadoop has one with the path. */
    @Test
    void a_rename_of_a_file_context_says_why_it_is_refused() throws IOException {
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        Path file = write("file", bytes(1, 1));
        Path full = new Path(directory, "full");
        Path other = new Path(directory, "other");
        fs.mkdirs(other);
        fs.create(new Path(full, "child")).close();
        Path missing = new Path(directory, "missing");
        assertThrows(PathIOException.class, () -> context.rename(other, full, Options.Rename.OVERWRITE));
        assertThrows(PathIOException.class, () -> context.rename(other, file));
        assertThrows(PathIOException.class, () -> context.rename(file, other));
        assertThrows(FileAlreadyExistsException.class, () -> context.rename(other, full));
        assertThrows(FileAlreadyExistsException.class, () -> context.rename(file, file));
        assertThrows(FileAlreadyExistsException.class, () -> context.rename(file, file, Options.Rename.OVERWRITE));
        assertThrows(PathIOException.class, () -> context.rename(full, new Path(full, "no/parent")));
        FileNotFoundException source =
                assertThrows(FileNotFoundException.class, () -> context.rename(missing, new Path(directory, "new")));
        assertEquals("rename source " + missing + " not found.", source.getMessage());
        assertThrows(ParentNotDirectoryException.class, () -> context.rename(missing, new Path(file, "below")));
        assertThrows(ParentNotDirectoryException.class, () -> fs.rename(missing, new Path(file, "below")));
    }

    /** HDFS: also where no parents are to be made. */
    @Test
    void a_directory_that_is_there_is_success_for_a_mkdir() throws IOException {
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        Path file = write("file", bytes(1, 1));
        context.mkdir(directory, FsPermission.getDirDefault(), false);
        assertThrows(FileAlreadyExistsException.class, () -> context.mkdir(file, FsPermission.getDirDefault(), false));
        assertThrows(
                FileNotFoundException.class,
                () -> context.mkdir(new Path(directory, "no/parent"), FsPermission.getDirDefault(), false));
    }

    @Test
    void a_call_that_sets_neither_owner_nor_group_is_an_io_exception() {
        IOException refused = assertThrows(IOException.class, () -> fs.setOwner(directory, null, null));
        assertEquals("Both owner and group are null: nothing to set on " + directory, refused.getMessage());
    }

    @Test
    void renames_of_the_shell_follow_hdfs() throws IOException {
        Path file = write("file", bytes(1, 1));
        Path dir = new Path(directory, "dir");
        fs.mkdirs(dir);
        assertTrue(fs.rename(file, file));
        assertFalse(fs.rename(dir, dir));
        assertFalse(fs.rename(dir, new Path(dir, "below")));
        assertFalse(fs.rename(new Path("/"), new Path(dir, "root")));
        assertTrue(fs.rename(file, dir));
        assertTrue(fs.rename(new Path(dir, "file"), dir));
        assertTrue(fs.exists(new Path(dir, "file")));
        assertFalse(fs.rename(new Path(directory, "missing"), dir));
        write("file", bytes(2, 2));
        assertFalse(fs.rename(file, dir), "dir/file is taken");
        assertArrayEquals(bytes(2, 2), read(file));
    }

    @Test
    void a_directory_renamed_under_an_open_file_takes_it_along() throws IOException {
        Path before = new Path(directory, "before");
        Path after = new Path(directory, "after");
        FSDataOutputStream out = fs.create(new Path(before, "file"));
        out.write(bytes(1, CHUNK + 1));
        assertTrue(fs.rename(before, after));
        out.close();
        assertArrayEquals(bytes(1, CHUNK + 1), read(new Path(after, "file")));
    }

    @Test
    void names_that_cannot_be_are_refused_with_hadoops_exceptions() throws IOException {
        assertThrows(PathIOException.class, () -> fs.create(new Path(directory, "n".repeat(256))));
        fs.create(new Path(directory, "n".repeat(255))).close();
        assertThrows(InvalidPathException.class, () -> fs.create(new Path(directory, "nul\0name")));
        assertThrows(IllegalArgumentException.class, () -> new Path(directory, ""));
        StringBuilder deep = new StringBuilder();
        while (deep.length() < 10_000) {
            deep.append("/component");
        }
        IOException tooLong = assertThrows(PathIOException.class, () -> fs.mkdirs(new Path(deep.toString())));
        assertTrue(String.valueOf(tooLong.getMessage()).length() < 1000);
        for (Path none : List.of(new Path(deep.toString()), new Path(directory, "n".repeat(256)))) {
            FileNotFoundException missing =
                    assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(none), "as in HDFS");
            assertTrue(String.valueOf(missing.getMessage()).length() < 1000);
            assertThrows(FileNotFoundException.class, () -> fs.listStatus(none));
            assertThrows(FileNotFoundException.class, () -> fs.setPermission(none, new FsPermission((short) 0)));
            assertFalse(fs.exists(none));
            assertFalse(fs.delete(none, true));
        }
        assertFalse(fs.rename(new Path(directory, "n".repeat(256)), new Path(directory, "new")));
        assertThrows(IllegalArgumentException.class, () -> fs.getFileStatus(new Path("file:///etc")));
    }

    /** HDFS refuses a path with a colon: by IllegalArgumentException of FileSystem, by InvalidPathException of FileContext. */
    @Test
    @SuppressWarnings("deprecation")
    void nothing_new_gets_a_name_with_a_colon() throws IOException {
        Path odd = new Path(directory, new Path(null, null, "a:b"));
        Path below = new Path(odd, "c");
        Path file = write("file", bytes(1, 1));
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        InvalidPathException refused = assertThrows(InvalidPathException.class, () -> fs.create(odd));
        assertTrue(String.valueOf(refused.getMessage()).contains("colon"), refused.getMessage());
        assertThrows(InvalidPathException.class, () -> fs.create(below));
        assertThrows(InvalidPathException.class, () -> fs.createNonRecursive(odd, true, 4096, (short) 1, BLOCK, null));
        assertThrows(InvalidPathException.class, () -> fs.createFile(odd).build());
        assertThrows(InvalidPathException.class, () -> fs.mkdirs(odd));
        assertThrows(InvalidPathException.class, () -> fs.mkdirs(below));
        assertThrows(InvalidPathException.class, () -> fs.rename(file, odd));
        assertThrows(InvalidPathException.class, () -> context.create(odd, EnumSet.of(CreateFlag.CREATE)));
        assertThrows(InvalidPathException.class, () -> context.mkdir(odd, null, true));
        assertThrows(InvalidPathException.class, () -> context.rename(file, odd));
        assertEquals(1, fs.listStatus(directory).length);
    }

    /** The exceptions that a client of HDFS sees. */
    @Test
    @SuppressWarnings("deprecation")
    void nothing_new_gets_a_reserved_name() throws IOException {
        Path snapshot = new Path(directory, ".snapshot");
        Path file = write("file", bytes(1, 1));
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        reserved("\".snapshot\" is a reserved name.", () -> fs.create(snapshot));
        reserved("\".snapshot\" is a reserved name.", () -> fs.mkdirs(new Path(snapshot, "a/b")));
        reserved("\".snapshot\" is a reserved name.", () -> fs.rename(file, snapshot));
        reserved("\".snapshot\" is a reserved name.", () -> context.mkdir(snapshot, null, false));
        for (String each : new String[] {"/.reserved", "/.reserved/x", "/.reserved/raw/x"}) {
            reserved("File name \".reserved\" is reserved and cannot be created.", () -> fs.mkdirs(new Path(each)));
        }
        assertThrows(SnapshotAccessControlException.class, () -> fs.mkdirs(new Path("/.snapshot/x")));
        assertThrows(SnapshotAccessControlException.class, () -> fs.create(new Path("/.snapshot")));
        assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(snapshot));
        assertTrue(
                fs.mkdirs(new Path(directory, ".snapshots/.reserved")), "only these names, and .reserved in the root");
        assertEquals(2, fs.listStatus(directory).length);
    }

    private static void reserved(String sentence, Executable call) {
        RemoteException refused = assertThrows(RemoteException.class, call);
        assertEquals(HadoopIllegalArgumentException.class.getName(), refused.getClassName());
        assertTrue(String.valueOf(refused.getMessage()).startsWith(sentence), refused.getMessage());
    }

    @Test
    void snapshots_are_refused_with_one_sentence() {
        for (Executable each : List.<Executable>of(
                () -> fs.createSnapshot(directory),
                () -> fs.createSnapshot(directory, "a"),
                () -> fs.renameSnapshot(directory, "a", "b"),
                () -> fs.deleteSnapshot(directory, "a"))) {
            assertEquals(
                    "HMFS has no snapshots, so none of " + directory,
                    assertThrows(UnsupportedOperationException.class, each).getMessage());
        }
    }

    /** Of one that appends nothing, too; not of one that has shown all its bytes before: its close sends nothing. */
    @Test
    void the_close_of_a_stream_is_the_time_of_the_modification() throws IOException {
        Path file = new Path(directory, "closed");
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(1);
            fs.setTimes(file, 1_000, -1);
        }
        assertTrue(fs.getFileStatus(file).getModificationTime() > 1_000);
        fs.setTimes(file, 1_000, -1);
        fs.append(file).close();
        assertTrue(fs.getFileStatus(file).getModificationTime() > 1_000);
        assertEquals(1, fs.getFileStatus(file).getLen());
        try (FSDataOutputStream out = fs.append(file)) {
            out.write(2);
            out.hflush();
            fs.setTimes(file, 1_000, -1);
        }
        assertEquals(1_000, fs.getFileStatus(file).getModificationTime());
    }

    @Test
    void what_has_a_colon_in_its_name_already_is_listed_read_renamed_and_deleted() throws IOException {
        String name = directory.toUri().getPath();
        CreateOptions plain = new CreateOptions(0644, false, false, 0755);
        try (HmfsClient client =
                HmfsClient.connect(fs.getUri().getHost(), fs.getUri().getPort(), ClientOptions.defaults())) {
            client.create(name + "/a:b", plain);
            client.mkdir(name + "/c:d", 0755, false);
            client.create(name + "/c:d/e:f", plain);
        }
        Path file = new Path(directory, new Path(null, null, "a:b"));
        Path inner = new Path(new Path(directory, new Path(null, null, "c:d")), new Path(null, null, "e:f"));
        assertEquals(file, makeRelative(fs.listStatus(directory)[0].getPath()));
        assertEquals(2, fs.globStatus(new Path(directory, "*")).length);
        assertEquals(file, makeRelative(fs.globStatus(new Path(directory, "a*"))[0].getPath()));
        assertEquals(
                "a:b", fs.globStatus(new Path(directory, "a*"))[0].getPath().getName());
        assertEquals(inner, makeRelative(fs.globStatus(new Path(directory, "*/e*"))[0].getPath()));
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        assertEquals(2, context.util().listStatus(directory).length);
        assertThrows(IllegalArgumentException.class, () -> context.util().globStatus(new Path(directory, "*")));
        List<Path> files = new ArrayList<>();
        RemoteIterator<LocatedFileStatus> tree = fs.listFiles(directory, true);
        while (tree.hasNext()) {
            files.add(makeRelative(tree.next().getPath()));
        }
        files.sort(null);
        assertEquals(List.of(file, inner), files);
        try (FSDataOutputStream out = fs.append(inner)) {
            out.write(bytes(1, 1));
        }
        assertArrayEquals(bytes(1, 1), read(inner));
        assertTrue(fs.rename(file, new Path(directory, "good")));
        assertTrue(fs.delete(inner, false));
    }

    /** It would be a name that nothing new may have; a file in the way of the target, or nothing there, is another case. */
    @Test
    void what_the_client_library_named_does_not_keep_its_name_by_a_rename_into_a_directory() throws IOException {
        String name = directory.toUri().getPath();
        CreateOptions plain = new CreateOptions(0644, false, false, 0755);
        Path target = new Path(directory, "target");
        fs.mkdirs(target);
        Path file = write("file", bytes(1, 1));
        try (HmfsClient client =
                HmfsClient.connect(fs.getUri().getHost(), fs.getUri().getPort(), ClientOptions.defaults())) {
            client.create(name + "/a:b", plain);
            client.create(name + "/.snapshot", plain);
            client.create(name + "/.reserved", plain);
        }
        Path colon = new Path(directory, new Path(null, null, "a:b"));
        Path snapshot = new Path(directory, ".snapshot");
        Path reserved = new Path(directory, ".reserved");
        assertThrows(InvalidPathException.class, () -> fs.rename(colon, target));
        reserved("\".snapshot\" is a reserved name.", () -> fs.rename(snapshot, target));
        reserved(
                "File name \".reserved\" is reserved and cannot be created.", () -> fs.rename(reserved, new Path("/")));
        assertEquals(0, fs.listStatus(target).length);
        assertFalse(fs.rename(colon, file));
        assertFalse(fs.rename(colon, new Path(directory, "no/parent")));
        assertTrue(fs.rename(colon, new Path(target, "good")));
        assertTrue(fs.rename(snapshot, new Path(target, "better")));
        assertTrue(fs.rename(reserved, target), "this name is reserved in the root alone");
        assertEquals(3, fs.listStatus(target).length);
    }

    private static Path makeRelative(Path path) {
        return Path.getPathWithoutSchemeAndAuthority(path);
    }

    @Test
    void odd_but_legal_names_work() throws IOException {
        for (String name :
                List.of("with space", "ünïcödé-日本語", "%41", "#frag?query", "-rf", "tab\tname", "\u00e9", "*")) {
            Path path = new Path(directory, new Path(null, null, name));
            fs.create(path).close();
            assertEquals(name, fs.getFileStatus(path).getPath().getName());
        }
        assertEquals(8, fs.listStatus(directory).length);
    }

    @Test
    void create_obeys_its_flags() throws IOException {
        Path path = write("there", bytes(1, 10));
        assertThrows(FileAlreadyExistsException.class, () -> fs.create(path, false));
        assertThrows(FileAlreadyExistsException.class, () -> fs.create(directory, true));
        Path orphan = new Path(directory, "no/parent");
        assertThrows(
                FileNotFoundException.class, () -> fs.createNonRecursive(orphan, true, 4096, (short) 1, BLOCK, null));
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        try (FSDataOutputStream out = context.create(path, EnumSet.of(CreateFlag.CREATE, CreateFlag.APPEND))) {
            out.write(bytes(2, 10));
        }
        assertEquals(20, read(path).length);
        try (FSDataOutputStream out = context.create(path, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE))) {
            out.write(bytes(3, 5));
        }
        assertArrayEquals(bytes(3, 5), read(path));
    }

    @Test
    void the_user_is_the_one_who_made_the_filesystem_even_on_threads_that_do_not_inherit_it() throws Exception {
        UserGroupInformation bob = UserGroupInformation.createRemoteUser("bob");
        FileSystem bobs = bob.doAs((PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration()));
        fs.setPermission(directory, new FsPermission((short) 0777));
        try {
            Path path = new Path(directory, "bobs");
            Thread thread = new Thread(() -> {
                try {
                    bobs.create(path).close();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            thread.start();
            thread.join();
            assertEquals("bob", fs.getFileStatus(path).getOwner());
            assertEquals("/user/bob", bobs.getHomeDirectory().toUri().getPath());
        } finally {
            bobs.close();
        }
    }

    @Test
    void what_no_status_can_be_had_of_does_not_exist() throws IOException {
        Path file = new Path(directory, "f");
        assertFalse(fs.exists(file));
        fs.create(file).close();
        assertTrue(fs.exists(file));
        for (String none : List.of("none/f", "f/below", "n".repeat(256))) {
            assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(new Path(directory, none)));
            assertFalse(fs.exists(new Path(directory, none)), none);
        }
    }

    @Test
    void where_no_server_listens_the_error_names_the_address_and_what_to_do() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        URI unserved = URI.create("hmfs://localhost:" + free);
        ConnectException refused =
                assertThrows(ConnectException.class, () -> FileSystem.newInstance(unserved, new Configuration()));
        assertTrue(String.valueOf(refused.getMessage()).contains("hmfs://localhost:" + free), refused.getMessage());
        assertTrue(String.valueOf(refused.getMessage()).contains("hmfs server"), refused.getMessage());
        assertThrows(IOException.class, () -> FileSystem.newInstance(URI.create("hmfs:///"), new Configuration()));
    }

    @Test
    void an_unknown_setting_is_refused_when_the_filesystem_is_opened() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.hmfs.reqest.timeout", "3s");
        URI uri = TestServerProcess.shared().uri();
        IOException unknown = assertThrows(IOException.class, () -> FileSystem.newInstance(uri, conf));
        assertEquals(
                "Unknown setting fs.hmfs.reqest.timeout: did you mean fs.hmfs.request.timeout?", unknown.getMessage());
    }

    @Test
    void sizes_are_told() throws IOException {
        assertEquals(BLOCK, fs.getDefaultBlockSize(directory));
        assertTrue(fs.getStatus().getCapacity() > 0);
        assertTrue(fs.getStatus().getRemaining() > 0);
    }
}
