package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.Census;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.gc.BuiltinObjects;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.Orphans;
import io.hmfs.client.gc.Orphans.Kind;
import io.hmfs.client.gc.StoredObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.TreeSet;

/** A server with the builtin store, objects that are planted behind its back, and what {@code hmfs gc} does about them. */
abstract class PlantedObjects extends UsersOfOneServer {
    static final long GONE = 0x7F00_0000_0000L; // inodes that no pool of this size has leased
    static final CreateOptions FILE = new CreateOptions(0640, true, true, 0755);

    /** What was found, by kind and name. */
    static final class Seen implements Orphans.Listener {
        final TreeSet<String> names = new TreeSet<>();

        @Override
        public void found(Kind kind, StoredObject object) {
            names.add(kind + " " + object.name() + " " + object.bytes());
        }

        @Override
        public void unknown(String name) {
            names.add("unknown " + name);
        }
    }

    static FileInfo write(HmfsClient client, String path, byte[] data) throws IOException {
        OpenedFile file = LeasedFiles.create(client, path, FILE);
        for (int at = 0; at < data.length; at += ServerFixture.BLOCK_SIZE) {
            int length = Math.min(ServerFixture.BLOCK_SIZE, data.length - at);
            long inode = file.info().id();
            client.writeBlock(file.grant(), inode, at / ServerFixture.BLOCK_SIZE, 0, data, at, length);
        }
        return LeasedFiles.close(client, file, data.length);
    }

    static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Where docs/wire.md says that an object lies which the server has written. */
    Path written(long inode, long block) {
        Path object = object(inode, block);
        return object.resolveSibling(object.getFileName() + ".v1");
    }

    /** Where one of an older HMFS lies. */
    Path object(long inode, long block) {
        long hash = inode * 0x9E3779B97F4A7C15L;
        return fixture.dataDirectory()
                .resolve(String.format("%02x", hash >>> 56))
                .resolve(String.format("%02x", hash >>> 48 & 0xFF))
                .resolve(Long.toHexString(inode) + "-" + block);
    }

    Path plant(long inode, long block, int length) throws IOException {
        Path path = object(inode, block);
        Files.createDirectories(path.getParent());
        return Files.write(path, new byte[length]);
    }

    static Orphans.Options options(int olderThanMillis, boolean delete, boolean most) {
        return new Orphans.Options(olderThanMillis, delete, false, most);
    }

    Orphans look(Orphans.Options options, Orphans.Listener listener) throws IOException {
        Census census = new Census(admin);
        try (ObjectStore store = new BuiltinObjects(census)) {
            Orphans orphans = new Orphans(census, store, options, listener);
            orphans.run();
            return orphans;
        }
    }

    void assertHolds(String path, byte[] data) throws IOException {
        FileInfo file = admin.stat(path);
        assertEquals(data.length, file.size(), path);
        for (int at = 0; at < data.length; at += ServerFixture.BLOCK_SIZE) {
            int length = Math.min(ServerFixture.BLOCK_SIZE, data.length - at);
            byte[] read = new byte[length];
            long block = at / ServerFixture.BLOCK_SIZE;
            assertEquals(length, admin.readBlock(file.id(), block, 0, read, 0, length), path + " has lost a block");
            byte[] wanted = java.util.Arrays.copyOfRange(data, at, at + length);
            assertArrayEquals(wanted, read, path);
        }
    }
}
