package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no other user reads, changes or replaces a file of a pool or what a directory of the server has. Method: files and directories as other
 * users could have made or left them.
 */
final class OwnFilesTest {
    private static final long SIZE = PoolFile.SIZE_MIN;

    @TempDir
    Path directory;

    private Path pool() throws PoolException {
        Path pool = directory.resolve("pool");
        PoolFiles.create(pool, SIZE, Backing.MAPPED, false).close();
        return pool;
    }

    private static void open(Path pool) throws PoolException {
        PoolFiles.open(pool, Persistence.PROCESS, false).close();
    }

    private static void chmod(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void fails(Class<? extends IOException> type, String part, Executable work) {
        String message = String.valueOf(assertThrows(type, work).getMessage());
        assertTrue(message.contains(part), message);
    }

    /** The path, or a file or directory that is another user's, wherever: only the superuser can give files away. */
    private static Path foreign(Path own, String ofTheSuperuser) throws IOException {
        if ("root".equals(System.getProperty("user.name"))) {
            Files.setAttribute(own, "unix:uid", 1);
            return own;
        }
        return Path.of(ofTheSuperuser);
    }

    @Test
    void aPoolIsMadeForItsUserAlone() throws IOException {
        assertEquals("rw-------", permissions(pool()));
    }

    @Test
    void aPoolThatOthersCanReadIsClosedWhenItIsOpened() throws IOException {
        Path pool = pool();
        chmod(pool, "rw-r--r--");
        open(pool);
        assertEquals("rw-------", permissions(pool));
    }

    @Test
    void aPoolThatOthersCanWriteIsRefused() throws IOException {
        Path pool = pool();
        for (String open : new String[] {"rw--w----", "rw-----w-"}) {
            chmod(pool, open);
            fails(PoolException.class, "chmod 600", () -> open(pool));
        }
        chmod(pool, "rw-------");
        open(pool);
    }

    @Test
    void aPoolOfAnotherUserIsRefused() throws IOException {
        Path other = foreign(pool(), "/etc/passwd");
        assertThrows(PoolException.class, () -> open(other));
        assertFalse(OwnFiles.isOwner(other));
    }

    @Test
    void aFileThatAnotherUserHasPutInThePlaceOfAPoolIsNotFormatted() throws IOException {
        Path planted = pool();
        chmod(planted, "rw-rw-rw-");
        fails(
                PoolException.class,
                "chmod 600",
                () -> PoolFiles.create(planted, SIZE, Backing.MAPPED, true).close());
    }

    @Test
    void aLinkIsNoPool() throws IOException {
        Path pool = pool();
        Path link = Files.createSymbolicLink(directory.resolve("link"), pool);
        fails(PoolException.class, "symbolic link", () -> open(link));
        fails(
                PoolException.class,
                "symbolic link",
                () -> PoolFiles.create(link, SIZE, Backing.MAPPED, true).close());
        open(pool);
    }

    @Test
    void aDirectoryIsClosed() throws IOException {
        Path data = Files.createDirectory(directory.resolve("data"));
        chmod(data, "rwxrwxrwx"); // and nothing is in it yet
        OwnFiles.closeDirectory(data);
        assertEquals("rwx------", permissions(data));
        Files.createFile(data.resolve("object"));
        chmod(data, "rwxr-xr-x");
        OwnFiles.closeDirectory(data);
        assertEquals("rwx------", permissions(data));
    }

    @Test
    void aDirectoryIntoWhichOthersCouldPutSomethingIsRefused() throws IOException {
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.createFile(data.resolve("object"));
        chmod(data, "rwxrwx---");
        for (int start = 0; start < 2; start++) {
            fails(IOException.class, "chmod 700", () -> OwnFiles.closeDirectory(data));
        }
    }

    @Test
    void aDirectoryOfAnotherUserIsRefused() throws IOException {
        Path other = foreign(Files.createDirectory(directory.resolve("data")), "/");
        fails(IOException.class, "belongs to user", () -> OwnFiles.closeDirectory(other));
    }
}
