package io.hmfs.hadoop.attributes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.FileInfo;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: a status whose path is made when it is asked for is in every respect the status whose path was there from the
 * beginning, and its path is the one that Hadoop's constructor makes.
 * Method: both, of random names below several directories, through each method that reads the path.
 */
class HmfsFileStatusTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final List<Path> DIRECTORIES = List.of(
            new Path("hmfs://host:8930/"),
            new Path("hmfs://host:8930/a"),
            new Path("hmfs://host/a b/c%20d"),
            new Path("hmfs://host/é/x=1"),
            new Path("hmfs", "host", "/with:colon"));
    private static final String CHARACTERS = "ab09-_.=+,@~!$&'()*;: %#?[]{}|\\\"<>^`\t\u00e9\u20ac/";

    private static String name(Random random) {
        boolean plain = random.nextBoolean();
        StringBuilder name = new StringBuilder("n");
        for (int i = random.nextInt(12); i > 0; i--) {
            char each = CHARACTERS.charAt(random.nextInt(plain ? 12 : CHARACTERS.length()));
            boolean doubled = each == '/' && name.charAt(name.length() - 1) == '/';
            name.append(doubled ? 'd' : each);
        }
        return name.append(random.nextInt(20) == 0 ? "\ud801\udc00" : "e").toString();
    }

    private static FileInfo info(String name) {
        return new FileInfo(7, 3, name, false, 0640, "bob", "staff", 12, 5_000_001, 6, 7, "", false, false);
    }

    private static HmfsFileStatus lazy(Path directory, String name) {
        return HmfsFileStatus.entry(info(name), 128, new ChildPaths(directory));
    }

    private static HmfsFileStatus eager(Path directory, String name) {
        return HmfsFileStatus.of(info(name), 128, ChildPaths.parsed(directory, name));
    }

    @Test
    void pathsAreThoseOfHadoopsConstructor() {
        Random random = new Random(SEED);
        for (Path directory : DIRECTORIES) {
            ChildPaths paths = new ChildPaths(directory);
            for (int i = 0; i < 5_000; i++) {
                String name = name(random);
                Path expected = ChildPaths.parsed(directory, name);
                Path found = paths.child(name);
                String message = "seed " + SEED + ": " + name + " below " + directory;
                assertEquals(expected, found, message);
                assertEquals(expected.hashCode(), found.hashCode(), message);
                assertEquals(0, expected.compareTo(found), message);
                assertEquals(expected.toString(), found.toString(), message);
                assertEquals(expected.getName(), found.getName(), message);
                assertEquals(expected.getParent(), found.getParent(), message);
                assertEquals(expected.depth(), found.depth(), message);
                assertEquals(expected.toUri().toString(), found.toUri().toString(), message);
                assertEquals(expected.toUri().getPath(), found.toUri().getPath(), message);
                assertEquals(expected.toUri().getAuthority(), found.toUri().getAuthority(), message);
                assertEquals(expected.toUri().getPort(), found.toUri().getPort(), message);
            }
        }
    }

    @Test
    void eachMethodThatReadsThePathMakesIt() throws IOException {
        Path directory = DIRECTORIES.get(1);
        HmfsFileStatus eager = eager(directory, "n");
        assertEquals(eager, lazy(directory, "n"));
        assertEquals(lazy(directory, "n"), eager);
        assertEquals(eager.hashCode(), lazy(directory, "n").hashCode());
        assertEquals(0, lazy(directory, "n").compareTo(eager));
        assertEquals(eager.toString(), lazy(directory, "n").toString());
        assertEquals(eager.getEtag(), lazy(directory, "n").getEtag());
        assertEquals(
                assertThrows(IOException.class, eager::getSymlink).getMessage(),
                assertThrows(IOException.class, lazy(directory, "n")::getSymlink)
                        .getMessage());
        assertEquals(eager.getPath(), new FileStatus(lazy(directory, "n")).getPath());
        LocatedFileStatus located = lazy(directory, "n").at(null);
        assertEquals(eager.at(null).toString(), located.toString());
        HmfsFileStatus twice = lazy(directory, "n");
        assertSame(twice.getPath(), twice.getPath());
        HmfsFileStatus set = lazy(directory, "n");
        set.setPath(new Path("/other"));
        assertEquals(new Path("/other"), set.getPath());
    }

    @Test
    @SuppressWarnings("deprecation") // Hadoop's own form, which old programs write
    void itIsWrittenAndReadAsOneWithAPath() throws Exception {
        Path directory = DIRECTORIES.get(2);
        HmfsFileStatus eager = eager(directory, "n");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(lazy(directory, "n"));
            out.writeObject(lazy(directory, "m").at(null));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            FileStatus read = (FileStatus) in.readObject();
            read.validateObject();
            assertEquals(eager.toString(), read.toString());
            assertEquals(HmfsFileStatus.versionOf(eager), HmfsFileStatus.versionOf(read));
            assertEquals(eager(directory, "m").getPath(), ((FileStatus) in.readObject()).getPath());
        }
        bytes.reset();
        lazy(directory, "n").write(new DataOutputStream(bytes));
        FileStatus read = new FileStatus();
        read.readFields(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        assertEquals(eager.getPath(), read.getPath());
        assertEquals(eager.getPermission(), read.getPermission());
    }

    @Test
    void aPermissionIsOneObjectForAllStatuses() {
        assertSame(
                lazy(DIRECTORIES.get(0), "a").getPermission(),
                eager(DIRECTORIES.get(1), "b").getPermission());
        for (int mode : new int[] {0, 0644, 01777}) {
            assertEquals(mode, Permissions.of(mode).toShort());
        }
    }
}
