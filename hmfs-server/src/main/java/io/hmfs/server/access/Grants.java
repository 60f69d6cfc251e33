package io.hmfs.server.access;

import io.hmfs.core.pmem.OwnFiles;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Grants to read or write a file's data: given when a file is opened, for which its path and mode bits are checked, and shown
 * with each request about its inode afterwards. A grant is a word, 8 bits of what is allowed and to whom, and above them the second at
 * which it ends; its seal is a keyed hash over inode, user, grant and an epoch, so that only the server can make one, and the server need
 * remember nothing but the epoch, with another one of which the grant has ended. Thread-safe; allocates nothing.
 */
public final class Grants {
    public static final int READ = 1;
    public static final int WRITE = 2;

    /** Given to the user that owned the file. */
    public static final int OWNER = 4;

    /** How long a grant is good for: then the path and the mode bits count anew. */
    public static final long LIFETIME_SECONDS = Wire.GRANT_SECONDS;

    private static final int KEY_BYTES = 16;
    private static final int ACCESS_BITS = 8;

    private final long key0;
    private final long key1;
    private final LongSupplier seconds;

    Grants(long key0, long key1, LongSupplier seconds) {
        this.key0 = key0;
        this.key1 = key1;
        this.seconds = seconds;
    }

    /**
     * Grants of a cluster under the key in this file, made if it is not there: files that are open stay so when the server starts anew. The key
     * outlives the pool, which may be made anew beside it, so what is sealed with contains the cluster, too.
     */
    public static Grants open(Path file, UUID cluster) throws IOException {
        ByteBuffer key = ByteBuffer.wrap(read(file)).order(ByteOrder.LITTLE_ENDIAN);
        long key0 = key.getLong();
        long key1 = key.getLong();
        long high = cluster.getMostSignificantBits();
        long low = cluster.getLeastSignificantBits();
        return new Grants(
                SipHash.of(key0, key1, high, low, 0, 0),
                SipHash.of(key0, key1, high, low, 1, 0),
                () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
    }

    private static byte[] read(Path file) throws IOException {
        try {
            checkOwn(file);
            byte[] key = Files.readAllBytes(file);
            if (key.length == KEY_BYTES) {
                return key;
            }
            throw new IOException(file + " is no key of " + KEY_BYTES + " bytes; remove it, and a new one is made");
        } catch (NoSuchFileException e) {
            return make(file);
        }
    }

    /** A key that another user has made or seen makes grants for that user; a pool may stand where any user makes files. */
    private static void checkOwn(Path file) throws IOException {
        boolean foreign = !OwnFiles.isOwner(file);
        if (foreign || !OwnFiles.isClosed(file)) {
            throw new IOException(file + (foreign ? " is another user's" : " can be read or changed by other users")
                    + ", and such a user could make grants with it; remove it, and a new one is made");
        }
    }

    /** Under another name first: no crash leaves half a key. Only the server's own user may read it. */
    private static byte[] make(Path file) throws IOException {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(
                temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OwnFiles.file())) {
            ByteBuffer bytes = ByteBuffer.wrap(key);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel parent = FileChannel.open(file.toAbsolutePath().resolveSibling(""), StandardOpenOption.READ)) {
            parent.force(true); // another key would end all grants
        }
        return key;
    }

    /** A grant of this access, from now on; {@link #OWNER} may be part of it. */
    public long grant(int access) {
        return ((seconds.getAsLong() + LIFETIME_SECONDS) << ACCESS_BITS) | access;
    }

    /** What proves that this server gave a user, told by {@link Caller#mark}, this grant on an inode in this epoch. */
    public long seal(long inode, long user, long grant, long epoch) {
        return SipHash.of(key0, key1, inode, user, grant, epoch);
    }

    /** Whether a grant, or the access of one, has all of {@code access}. */
    public static boolean has(long grant, int access) {
        return (grant & access) == access;
    }

    /** Whether a grant allows this access, has not ended, and is the server's own, of the epoch that the file is in. */
    public boolean allows(long inode, long user, long grant, long seal, long epoch, int access) {
        return has(grant, access)
                && grant >>> ACCESS_BITS > seconds.getAsLong()
                && seal == seal(inode, user, grant, epoch);
    }
}
