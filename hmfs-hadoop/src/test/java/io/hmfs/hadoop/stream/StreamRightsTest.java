package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a stream goes on as long as its user has the right to the file, also when a grant has ended, and no longer. Method: a user whose
 * streams are open while the superuser changes mode and owner.
 */
class StreamRightsTest extends OwnDirectory {
    private static final int CHUNKS = 5;
    private static final int LENGTH = CHUNKS * CHUNK;

    private final Path path = new Path(directory, "file");

    private int groups;

    @SuppressWarnings("NullAway.Init")
    private FileSystem eve;

    @BeforeEach
    void openOther() throws Exception {
        URI uri = TestServerProcess.shared().uri();
        UserGroupInformation ugi = UserGroupInformation.createUserForTesting("hmfs-eve", new String[] {"wheel"});
        eve = ugi.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.newInstance(uri, new Configuration()));
        fs.setPermission(directory, new FsPermission((short) 0777));
    }

    @AfterEach
    void closeOther() throws IOException {
        eve.close();
    }

    private void chmod(int mode) throws IOException {
        fs.setPermission(path, new FsPermission((short) mode));
    }

    /** Another group, which the user is not in either: that ends its grants, and leaves it the right at all times. */
    private void endGrants() throws IOException {
        fs.setOwner(path, null, "group-" + ++groups);
    }

    @Test
    void a_writer_that_has_the_right_sees_nothing_of_a_grant_that_ends() throws IOException {
        byte[] data = bytes(1, LENGTH);
        fs.create(path).close();
        chmod(0666);
        try (FSDataOutputStream out = eve.append(path)) {
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                endGrants();
                out.write(data, chunk * CHUNK, CHUNK);
                if (chunk % 2 == 0) {
                    out.hsync();
                }
            }
            endGrants();
        }
        assertArrayEquals(data, read(path));
    }

    @Test
    void a_reader_that_has_the_right_sees_nothing_of_a_grant_that_ends() throws IOException {
        byte[] data = bytes(2, LENGTH);
        write("file", data);
        chmod(0666);
        byte[] read = new byte[LENGTH];
        try (FSDataInputStream in = eve.open(path)) {
            for (int chunk = CHUNKS - 1; chunk >= 0; chunk--) {
                endGrants();
                in.readFully((long) chunk * CHUNK, read, chunk * CHUNK, CHUNK);
            }
        }
        assertArrayEquals(data, read);
    }

    @Test
    void a_former_owner_writes_nothing_more() throws IOException {
        byte[] data = bytes(3, LENGTH);
        FSDataOutputStream out = eve.create(path);
        out.write(data, 0, 100);
        out.hsync();
        fs.setOwner(path, System.getProperty("user.name"), null);
        chmod(0444);
        assertThrows(AccessControlException.class, () -> {
            out.write(data, 100, LENGTH - 100);
            out.hflush();
        });
        assertThrows(IOException.class, out::close);
        assertArrayEquals(Arrays.copyOf(data, 100), read(path));
    }

    /** As FileSystem.create with permissions does: it sets them before anything is written. */
    @Test
    void an_owner_writes_a_file_that_only_readers_may_open() throws IOException {
        byte[] data = bytes(4, 1000);
        try (FSDataOutputStream out = FileSystem.create(eve, path, new FsPermission((short) 0444))) {
            out.write(data);
        }
        assertEquals(0444, fs.getFileStatus(path).getPermission().toShort());
        assertArrayEquals(data, read(path));
    }
}
