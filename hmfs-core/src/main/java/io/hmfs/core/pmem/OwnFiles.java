package io.hmfs.core.pmem;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Scanner;
import java.util.Set;

/**
 * Files and directories of the user that this process runs as, closed to all others: names, permissions and data of every user stand in
 * them, and who can write to them is above all permissions (docs/adr/0199).
 */
public final class OwnFiles {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHERS = PosixFilePermissions.fromString("---rwxrwx");
    private static final Set<PosixFilePermission> OTHERS_OF_DEVICE = PosixFilePermissions.fromString("------rwx");
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private OwnFiles() {}

    /** For calls that make a file. */
    public static FileAttribute<Set<PosixFilePermission>> file() {
        return PosixFilePermissions.asFileAttribute(FILE);
    }

    /** For calls that make a directory. */
    public static FileAttribute<Set<PosixFilePermission>> directory() {
        return PosixFilePermissions.asFileAttribute(DIRECTORY);
    }

    /**
     * Closes a directory to other users.
     *
     * @throws IOException also if another user owns it, or other users could put into it what it has
     */
    public static void closeDirectory(Path path) throws IOException {
        requireOwner(path, path);
        Set<PosixFilePermission> found = Files.getPosixFilePermissions(path);
        close(path, found); // first: from here on nothing is put into it
        if (!Collections.disjoint(found, OTHERS_WRITE) && !isEmpty(path)) {
            Files.setPosixFilePermissions(path, found); // the next start is to refuse it, too
            throw new IOException(path + " can be written to by other users (" + PosixFilePermissions.toString(found)
                    + "), so anybody may have put in it what it has: if all of it is as it should be, chmod 700 it");
        }
    }

    /**
     * Closes an open file to other users.
     *
     * @param path only named in messages: another file may stand there by now
     * @throws IOException also if another user owns it, or other users could have written to it
     */
    static void closeFile(Path path, int descriptor) throws IOException {
        Path opened = opened(descriptor);
        requireOwner(path, opened);
        Set<PosixFilePermission> found = Files.getPosixFilePermissions(opened);
        if (!Collections.disjoint(found, OTHERS_WRITE)) {
            throw new IOException(path + " can be written to by other users (" + PosixFilePermissions.toString(found)
                    + "): if its content is as it should be, chmod 600 it");
        }
        close(opened, found);
    }

    /**
     * Requires that an open device is out of reach of other users: its node belongs to the superuser, who reaches all files anyway, or to this
     * process's user, and its mode gives others nothing. Its group may have it: by a group device nodes are given to a server. The
     * node's owner and mode are the system's, made anew at each boot, so nothing is changed here.
     *
     * @param path only named in messages: another node may stand there by now
     */
    static void requireOwnDevice(Path path, int descriptor) throws IOException {
        Path opened = opened(descriptor);
        int owner = owner(opened);
        if (owner != 0) {
            requireOwner(path, opened);
        }
        Set<PosixFilePermission> found = Files.getPosixFilePermissions(opened);
        if (!Collections.disjoint(found, OTHERS_OF_DEVICE)) {
            throw new IOException(path + " can be reached by all users (" + PosixFilePermissions.toString(found)
                    + "): give its node mode 600, or 660 with a group of the server's own, by a rule of udev");
        }
    }

    /** The open file behind a descriptor, whatever stands at its path by now. */
    static Path opened(int descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    private static void close(Path path, Set<PosixFilePermission> found) throws IOException {
        if (!Collections.disjoint(found, OTHERS)) {
            Set<PosixFilePermission> closed = EnumSet.copyOf(found);
            closed.removeAll(OTHERS);
            Files.setPosixFilePermissions(path, closed);
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            return !entries.iterator().hasNext();
        }
    }

    /** Whether the user that this process runs as owns a file. */
    public static boolean isOwner(Path path) throws IOException {
        return owner(path) == user();
    }

    /** Whether no other user has any permission for a file. */
    public static boolean isClosed(Path path) throws IOException {
        return Collections.disjoint(Files.getPosixFilePermissions(path), OTHERS);
    }

    private static int owner(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    private static void requireOwner(Path shown, Path path) throws IOException {
        if (!isOwner(path)) {
            throw new IOException(shown + " belongs to user " + Integer.toUnsignedString(owner(path))
                    + ", this program runs as user " + Integer.toUnsignedString(user())
                    + ": run it as the owner, or make the file with it");
        }
    }

    /** The effective user id of this process. */
    private static int user() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                Scanner ids = new Scanner(line.substring("Uid:".length()));
                ids.nextLong(); // the real one
                return (int) ids.nextLong(); // as Java tells owners: ids above 2^31 are negative
            }
        }
        throw new IOException("/proc/self/status does not tell the user of this process");
    }
}
