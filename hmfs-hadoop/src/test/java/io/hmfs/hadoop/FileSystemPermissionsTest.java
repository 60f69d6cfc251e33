package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: users of Hadoop's API may do what the server lets them, and hear of the rest as from HDFS.
 * Method: a filesystem of the superuser and one of a user made by doAs, which the server's machine does not know.
 */
class FileSystemPermissionsTest {
    private static final String USER = "hmfs-eve";

    private final Path directory = new Path("/permissions-" + System.nanoTime());

    @SuppressWarnings("NullAway.Init")
    private FileSystem admin;

    @SuppressWarnings("NullAway.Init")
    private FileSystem eve;

    @BeforeEach
    void open() throws Exception {
        URI uri = TestServerProcess.shared().uri();
        admin = FileSystem.newInstance(uri, new Configuration());
        // What the client says of groups does not count: the server does not know this user in the supergroup.
        UserGroupInformation ugi =
                UserGroupInformation.createUserForTesting(USER, new String[] {"supergroup", "wheel"});
        eve = ugi.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.newInstance(uri, new Configuration()));
        admin.mkdirs(directory);
    }

    @AfterEach
    void close() throws IOException {
        eve.close();
        admin.delete(directory, true);
        admin.close();
    }

    private Path file(String name, int mode) throws IOException {
        Path path = new Path(directory, name);
        try (FSDataOutputStream out = admin.create(path)) {
            out.write("secret".getBytes(StandardCharsets.UTF_8));
        }
        admin.setPermission(path, new FsPermission((short) mode));
        return path;
    }

    private static String denied(Executable call) {
        AccessControlException thrown = assertThrows(AccessControlException.class, call);
        assertTrue(String.valueOf(thrown.getMessage()).startsWith("Permission denied"), thrown.getMessage());
        return String.valueOf(thrown.getMessage());
    }

    @Test
    void denials_are_those_of_hdfs() throws IOException {
        FileStatus there = admin.getFileStatus(directory);
        assertEquals(
                "Permission denied: user=" + USER + ", access=WRITE, inode=\"" + directory + "\":" + there.getOwner()
                        + ":" + there.getGroup() + ":drwxr-xr-x",
                denied(() -> eve.create(new Path(directory, "new"))));
        Path secret = file("secret", 0600);
        denied(() -> eve.open(secret));
        denied(() -> eve.append(secret));
        denied(() -> eve.truncate(secret, 0));
        denied(() -> eve.delete(secret, false));
        denied(() -> eve.delete(directory, true));
        denied(() -> eve.rename(secret, new Path("/tmp-of-eve")));
        denied(() -> eve.mkdirs(new Path(directory, "a/b")));
        denied(() -> eve.setPermission(secret, new FsPermission((short) 0777)));
        denied(() -> eve.setOwner(secret, USER, null));
        denied(() -> eve.listXAttrs(secret));
        denied(() -> eve.setTimes(secret, 1, 1));
        assertEquals(6, eve.getFileStatus(secret).getLen());
        admin.setPermission(directory, new FsPermission((short) 0700));
        denied(() -> eve.getFileStatus(secret));
        denied(() -> eve.listStatus(directory));
        denied(() -> eve.exists(secret));
        admin.setPermission(directory, new FsPermission((short) 0755));
        assertEquals(1, eve.listStatus(directory).length);
    }

    @Test
    void replication_may_be_set_by_a_user_that_may_write_and_not_on_a_missing_path() throws IOException {
        Path closed = file("closed", 0644);
        denied(() -> eve.setReplication(closed, (short) 2));
        denied(() -> eve.setReplication(directory, (short) 2));
        assertTrue(eve.setReplication(file("open", 0666), (short) 2));
        assertTrue(admin.setReplication(closed, (short) 2));
        assertFalse(admin.setReplication(directory, (short) 2));
        assertFalse(eve.setReplication(new Path(directory, "missing"), (short) 2));
    }

    /** HDFS asks all of it before it looks at the files. */
    @Test
    void a_concat_that_its_user_may_not_do_changes_nothing() throws IOException {
        Path inner = new Path(directory, "concat");
        admin.mkdirs(inner);
        Path target = file("concat/target", 0666);
        Path source = file("concat/source", 0666);
        Path secret = file("concat/secret", 0622);
        Path[] sources = {source};
        denied(() -> eve.concat(target, sources));
        assertEquals(6, admin.getFileStatus(target).getLen(), "the source cannot be deleted, so nothing is appended");
        denied(() -> eve.concat(target, new Path[] {new Path(inner, "missing")}));
        admin.setPermission(inner, new FsPermission((short) 0777));
        denied(() -> eve.concat(target, new Path[] {secret}));
        denied(() -> eve.concat(file("concat/closed", 0644), sources));
        denied(() -> eve.concat(directory, sources));
        eve.concat(target, sources);
        assertEquals(12, admin.getFileStatus(target).getLen());
        assertFalse(admin.exists(source));
    }

    @Test
    void a_truncate_says_first_that_its_user_may_not_write() throws IOException {
        Path closed = file("closed", 0644);
        Path open = file("open", 0666);
        denied(() -> eve.truncate(closed, 100));
        denied(() -> eve.truncate(directory, 0));
        assertThrows(HadoopIllegalArgumentException.class, () -> eve.truncate(open, 100));
        assertThrows(FileNotFoundException.class, () -> admin.truncate(directory, 0));
    }

    /** HDFS asks the directory that a rename moves into, and not the one above it. */
    @Test
    void a_rename_into_an_open_directory_asks_nothing_of_the_directory_above() throws IOException {
        Path in = new Path(directory, "in");
        Path open = new Path(directory, "pub");
        for (Path each : new Path[] {in, open}) {
            admin.mkdirs(each);
            admin.setPermission(each, new FsPermission((short) 0777));
        }
        Path file = new Path(in, "f");
        try (FSDataOutputStream out = eve.create(file)) {
            assertTrue(eve.rename(file, open));
            out.write('x'); // and the stream finds its file
        }
        assertEquals(1, eve.getFileStatus(new Path(open, "f")).getLen());
        Path closed = new Path(directory, "closed");
        admin.mkdirs(closed);
        assertTrue(denied(() -> eve.rename(new Path(open, "f"), closed)).contains("inode=\"" + closed + "\""));
        denied(() -> eve.rename(new Path(open, "f"), new Path(directory, "new")));
        assertTrue(eve.rename(new Path(open, "f"), open), "to itself");
    }

    @Test
    void the_right_to_rename_is_asked_for_before_a_link_is_told_from_its_target() throws IOException {
        FileSystem.enableSymlinks();
        Path link = new Path(directory, "link");
        Path target = new Path(directory, "target");
        admin.createSymlink(target, link, false);
        assertTrue(denied(() -> ((HmfsFileSystem) eve).rename(link, target, Options.Rename.NONE))
                .contains("access=WRITE, inode=\"" + directory + "\""));
        assertThrows(
                FileAlreadyExistsException.class,
                () -> ((HmfsFileSystem) admin).rename(link, target, Options.Rename.NONE));
    }

    @Test
    void what_is_allowed_works_to_the_end() throws IOException {
        admin.setPermission(directory, new FsPermission((short) 0777));
        Path own = new Path(directory, "own");
        byte[] data = OwnDirectory.bytes(7, (int) TestServerProcess.BLOCK_SIZE + 1234);
        try (FSDataOutputStream out = eve.create(own)) {
            out.write(data, 0, 1000);
            out.hsync();
            out.write(data, 1000, data.length - 2000);
        }
        try (FSDataOutputStream out = eve.append(own)) {
            out.write(data, data.length - 1000, 1000);
        }
        assertEquals(USER, eve.getFileStatus(own).getOwner());
        eve.setPermission(own, new FsPermission((short) 0400));
        try (FSDataInputStream in = eve.open(own)) {
            assertArrayEquals(data, in.readAllBytes());
        }
        denied(() -> eve.append(own));
        Path tree = new Path(directory, "tree");
        eve.create(new Path(tree, "a/b/file")).close();
        assertTrue(eve.delete(tree, true));
        denied(() -> eve.delete(directory, true)); // whose own name is in the root
    }

    @Test
    void a_tree_of_which_a_part_may_not_go_stays_whole() throws IOException {
        admin.setPermission(directory, new FsPermission((short) 0777));
        Path tree = new Path(directory, "tree");
        eve.create(new Path(tree, "a/b/file")).close();
        Path closed = new Path(tree, "a/closed");
        eve.mkdirs(closed);
        eve.setPermission(closed, new FsPermission((short) 0777));
        admin.create(new Path(closed, "inner/file")).close();
        admin.setPermission(new Path(closed, "inner"), new FsPermission((short) 0700));
        assertTrue(denied(() -> eve.delete(tree, true)).contains("access=ALL, inode=\"" + closed + "/inner\""));
        assertTrue(denied(() -> eve.getContentSummary(tree))
                .contains("access=READ_EXECUTE, inode=\"" + closed + "/inner\""));
        assertEquals(2, admin.getContentSummary(tree).getFileCount());
        assertEquals(5, admin.getContentSummary(tree).getDirectoryCount());
        assertTrue(admin.delete(tree, true));
    }

    @Test
    void open_streams_end_with_the_right() throws IOException {
        admin.setPermission(directory, new FsPermission((short) 0777));
        Path path = file("shared", 0666);
        try (FSDataInputStream in = eve.open(path)) {
            FSDataOutputStream out = eve.append(path);
            admin.setPermission(path, new FsPermission((short) 0));
            denied(in::read);
            out.write('!');
            denied(out::hflush);
            assertThrows(IOException.class, out::close);
        }
        assertEquals(6, admin.getFileStatus(path).getLen());
    }

    @Test
    @SuppressWarnings("deprecation")
    void sticky_directories_keep_the_files_of_others() throws IOException {
        admin.setPermission(directory, new FsPermission((short) 01777));
        Path path = file("kept", 0666);
        assertTrue(denied(() -> eve.delete(path, false)).startsWith("Permission denied by sticky bit: user=" + USER));
        denied(() -> eve.rename(path, new Path(directory, "taken")));
        Path own = new Path(directory, "own");
        eve.create(own).close();
        denied(() -> ((HmfsFileSystem) eve).rename(own, path, Options.Rename.OVERWRITE));
        assertTrue(eve.delete(own, false));
    }
}
