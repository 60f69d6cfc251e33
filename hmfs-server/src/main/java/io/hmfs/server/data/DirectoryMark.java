package io.hmfs.server.data;

import io.hmfs.core.pmem.OwnFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;

/**
 * The file of a data directory that says of which cluster its objects are (docs/wire.md#the-builtin-data-store). An object has an inode
 * id for a name, and another cluster may have a file with that id: it would show the object's bytes as its own (ADR 0206).
 */
final class DirectoryMark {
    /** Its name in the directory. */
    static final String NAME = "cluster";

    private static final String HEAD = "HMFS data directory 3\ncluster ";

    /** Its objects stay as they are, and so do all that come (ADR 0235). */
    private static final String PACKED = "HMFS data directory 2\ncluster ";

    /** Of an HMFS whose objects had no checksums (ADR 0211): it must not take objects that have some for nothing. */
    private static final String OLDER = "HMFS data directory 1\ncluster ";

    private static final int BYTES = HEAD.length() + 36 + 1;

    private DirectoryMark() {}

    /**
     * Requires that a directory is this cluster's, and makes it so if it has no object yet.
     *
     * @param mayBeOlder whether the objects of a directory without a mark may be this cluster's: of a pool from before there were marks
     * @return of what form its objects with checksums are
     * @throws IOException also if it is another cluster's, with what to do
     */
    static ObjectFormat claim(Path directory, UUID cluster, boolean mayBeOlder, long blockSize) throws IOException {
        Path file = directory.resolve(NAME);
        String wanted = HEAD + cluster + "\n";
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            if (!mayBeOlder && hasObjects(directory)) {
                throw new IOException("the data directory " + directory
                        + " has objects and no file '" + NAME
                        + "' that says of which cluster they are. This pool is of cluster "
                        + cluster
                        + " and newer than such directories: the objects are of a pool that was here before it."
                        + " Name another directory with --data-directory, or remove this one if that pool is gone");
            }
            make(file, wanted, cluster);
        }
        String found = read(file);
        if (found.equals(OLDER + cluster + "\n")) {
            renew(file, wanted, cluster);
            return ObjectFormat.aligned(blockSize);
        }
        if (found.equals(wanted)) {
            return ObjectFormat.aligned(blockSize);
        }
        if (found.equals(PACKED + cluster + "\n")) {
            return ObjectFormat.packed(blockSize);
        }
        if (found.length() == BYTES
                && (found.startsWith(HEAD) || found.startsWith(PACKED) || found.startsWith(OLDER))) {
            throw new IOException("the data directory " + directory + " is of cluster "
                    + found.substring(HEAD.length()).strip() + ", and this pool is of cluster " + cluster
                    + ": files of one would show data of the other. Name another directory with --data-directory,"
                    + " or remove this one if its pool is gone");
        }
        throw new IOException(
                file + " does not say of which cluster the data directory is: it is damaged, or of a newer HMFS."
                        + " Restore it from a copy; for this pool it has the two lines '"
                        + wanted.strip().replace("\n", "' and '") + "'");
    }

    private static String read(Path file) throws IOException {
        byte[] bytes = new byte[BYTES + 1];
        try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            int count = in.readNBytes(bytes, 0, bytes.length);
            return new String(bytes, 0, count, StandardCharsets.US_ASCII);
        }
    }

    /** Under another name first: no crash leaves half a mark, and of two servers that begin at once one makes it. */
    private static void make(Path file, String text, UUID cluster) throws IOException {
        Path temporary = temporary(file, text, cluster);
        try {
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException e) {
            // another server was faster, and what it has made says whether it is another cluster's
        }
        Files.delete(temporary);
        force(file);
    }

    private static void renew(Path file, String text, UUID cluster) throws IOException {
        Files.move(temporary(file, text, cluster), file, StandardCopyOption.ATOMIC_MOVE);
        force(file);
    }

    private static Path temporary(Path file, String text, UUID cluster) throws IOException {
        Path temporary = file.resolveSibling(NAME + "." + cluster + ".new");
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(
                temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OwnFiles.file())) {
            ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        return temporary;
    }

    /** Before the first object. */
    private static void force(Path file) throws IOException {
        try (FileChannel parent = FileChannel.open(file.resolveSibling(""), StandardOpenOption.READ)) {
            parent.force(true);
        }
    }

    private static boolean hasObjects(Path directory) throws IOException {
        try (DirectoryStream<Path> outer = Files.newDirectoryStream(directory, "[0-9a-f][0-9a-f]")) {
            return outer.iterator().hasNext();
        }
    }
}
