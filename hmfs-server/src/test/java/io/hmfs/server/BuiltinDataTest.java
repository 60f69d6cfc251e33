package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the builtin store gives back what was written, and no object outlives its file, in both modes and over a crash.
 * Method: real client and server; the data directory is looked at from outside; a crash is an intent that no thread finished.
 */
@Timeout(300)
class BuiltinDataTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);

    @TempDir
    private Path directory;

    private ServerFixture fixture(Persistence persistence) throws IOException {
        return fixture(directory, persistence);
    }

    static ServerFixture fixture(Path directory, Persistence persistence) throws IOException {
        return new ServerFixture(
                directory,
                builder -> builder.set(ServerSetting.PERSISTENCE, persistence)
                        .set(ServerSetting.EMULATE_PMEM, persistence.writesBack())
                        .set(
                                ServerSetting.LOG_DIRECTORY,
                                persistence == Persistence.LOGGED ? directory.resolve("log") : null));
    }

    private static byte[] bytes(int seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** A file with 1000 bytes in each of so many blocks. */
    static FileInfo fileOf(HmfsClient client, String path, int blocks) throws IOException {
        OpenedFile file = LeasedFiles.create(client, path, PLAIN);
        for (int block = 0; block < blocks; block++) {
            LeasedFiles.write(client, file, block, 0, bytes(block, 1000));
        }
        return LeasedFiles.close(client, file, (blocks - 1L) * ServerFixture.BLOCK_SIZE + 1000);
    }

    private List<String> objects(ServerFixture fixture) throws IOException {
        return ObjectFiles.in(fixture.dataDirectory());
    }

    private void awaitObjects(ServerFixture fixture, int count) throws Exception {
        Await.until(count + " objects", () -> objects(fixture).size() == count);
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void whatWasWrittenIsReadBack(Persistence persistence) throws Exception {
        byte[] data = bytes(1, ServerFixture.BLOCK_SIZE);
        try (ServerFixture fixture = fixture(persistence);
                HmfsClient client = fixture.client()) {
            OpenedFile opened = LeasedFiles.create(client, "/f", PLAIN);
            FileInfo file = opened.info();
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int at = 0; at < data.length; at += 10_000) {
                writes.add(client.writeBlockAsync(
                        opened.grant(), file.id(), 3, at, data, at, Math.min(10_000, data.length - at)));
            }
            for (CompletableFuture<Void> write : writes) {
                write.get();
            }
            client.syncBlockAsync(file.id(), 3).get();
            LeasedFiles.close(client, opened, 4L * ServerFixture.BLOCK_SIZE);
            byte[] read = new byte[data.length + 500];
            int count = client.readBlock(file.id(), 3, 0, read, 0, data.length); // several chunks
            assertEquals(data.length, count);
            assertArrayEquals(data, Arrays.copyOf(read, data.length));
            assertEquals(5, client.readBlock(file.id(), 3, data.length - 5, read, 7, 5));
            assertArrayEquals(Arrays.copyOfRange(data, data.length - 5, data.length), Arrays.copyOfRange(read, 7, 12));
            int port = fixture.port();
            fixture.restart();
            if (fixture.port() != port) { // the system may give the same one again
                assertThrows(IOException.class, () -> client.stat("/f")); // its connection died with the old port
            }
            try (HmfsClient again = fixture.client()) {
                assertEquals(data.length, again.readBlock(file.id(), 3, 0, read, 0, data.length));
                assertArrayEquals(data, Arrays.copyOf(read, data.length));
                assertEquals(4L * ServerFixture.BLOCK_SIZE, again.stat("/f").size());
            }
        }
    }

    @Test
    void readsEndWhereTheObjectEnds() throws IOException {
        try (ServerFixture fixture = fixture(Persistence.PROCESS);
                HmfsClient client = fixture.client()) {
            FileInfo file = fileOf(client, "/f", 1);
            byte[] target = new byte[200_000];
            assertEquals(100, client.readBlock(file.id(), 0, 900, target, 0, 150_000));
            assertEquals(-1, client.readBlock(file.id(), 0, 1000, target, 0, 10));
            assertEquals(-1, client.readBlock(file.id(), 1, 0, target, 0, 10));
            assertEquals(0, client.readBlock(file.id(), 0, 10, target, 0, 0));
        }
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void damagedBytesAreRefusedAlsoAfterARestart(Persistence persistence) throws IOException {
        try (ServerFixture fixture = fixture(persistence)) {
            FileInfo file;
            try (HmfsClient client = fixture.client()) {
                file = fileOf(client, "/f", 2);
            }
            try (Stream<Path> all = Files.walk(fixture.dataDirectory())) {
                Path object = all.filter(each -> each.getFileName().toString().endsWith("-1.v1"))
                        .findFirst()
                        .orElseThrow();
                byte[] bytes = Files.readAllBytes(object);
                bytes[bytes.length - 300] ^= 1;
                Files.write(object, bytes);
            }
            for (int start = 0; start < 2; start++) {
                try (HmfsClient client = fixture.client()) {
                    byte[] target = new byte[1000];
                    HmfsException refused = assertThrows(
                            HmfsException.class, () -> client.readBlock(file.id(), 1, 500, target, 0, 500));
                    assertEquals(ResultCode.CORRUPT, refused.code());
                    assertEquals(ServerFixture.BLOCK_SIZE + 512, refused.damagedAt());
                    assertEquals(512, client.readBlock(file.id(), 1, 0, target, 0, 512));
                    assertTrue(client.metrics().contains("\nhmfs_data_corrupt_total 1.0\n"));
                    OpenedFile again = LeasedFiles.append(client, "/f");
                    assertCode(
                            ResultCode.CORRUPT,
                            client.writeBlockAsync(again.grant(), file.id(), 1, 1000, target, 0, 10));
                    client.leases().end(file.id(), again.grant()).join();
                }
                fixture.restart();
            }
        }
    }

    @Test
    void accessOutsideABlockIsRefused() throws IOException {
        try (ServerFixture fixture = fixture(Persistence.PROCESS);
                HmfsClient client = fixture.client()) {
            byte[] one = new byte[1];
            assertCode(
                    ResultCode.INVALID_ARGUMENT,
                    client.writeBlockAsync(Grant.NONE, 7, 0, ServerFixture.BLOCK_SIZE, one, 0, 1));
            assertCode(ResultCode.INVALID_ARGUMENT, client.writeBlockAsync(Grant.NONE, 7, -1, 0, one, 0, 1));
            assertCode(ResultCode.INVALID_ARGUMENT, client.writeBlockAsync(Grant.NONE, 0, 0, 0, one, 0, 1));
            assertCode(ResultCode.INVALID_ARGUMENT, client.readBlockAsync(7, 0, -1, one, 0, 1));
            assertEquals(List.of(), objects(fixture));
        }
    }

    private static void assertCode(ResultCode code, CompletableFuture<?> future) {
        var thrown = assertThrows(java.util.concurrent.ExecutionException.class, future::get);
        assertEquals(
                code, assertInstanceOf(HmfsException.class, thrown.getCause()).code());
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void objectsGoWithTheirFile(Persistence persistence) throws Exception {
        try (ServerFixture fixture = fixture(persistence);
                HmfsClient client = fixture.client()) {
            fileOf(client, "/deleted", 3);
            fileOf(client, "/overwritten", 2);
            fileOf(client, "/replaced", 2);
            FileInfo kept = fileOf(client, "/kept", 1);
            OpenedFile uncommitted = LeasedFiles.create(client, "/uncommitted", PLAIN);
            LeasedFiles.write(client, uncommitted, 0, 0, bytes(1, 10));
            assertEquals(9, objects(fixture).size());
            client.delete("/deleted");
            client.delete("/uncommitted");
            client.create("/overwritten", OVERWRITE);
            client.rename("/kept", "/replaced", true);
            client.rename("/replaced", "/replaced", true); // onto itself: nothing may go
            awaitObjects(fixture, 1);
            assertEquals(List.of(Long.toHexString(kept.id()) + "-0"), objects(fixture));
        }
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void objectsGoWithTheLastName(Persistence persistence) throws Exception {
        try (ServerFixture fixture = fixture(persistence)) {
            FileInfo deleted;
            FileInfo replaced;
            try (HmfsClient client = fixture.client()) {
                deleted = fileOf(client, "/d1", 2);
                replaced = fileOf(client, "/r1", 3);
                client.create("/over1", PLAIN);
                client.create("/over2", PLAIN);
            }
            fixture.server().close();
            try (Namespace namespace = Hmfs.open(fixture.pool, fixture.config().openOptions(Progress.NONE))) {
                Attributes out = new Attributes();
                assertEquals(Status.OK, namespace.link(1, Name.of("d1"), 1, Name.of("d2"), out));
                assertEquals(Status.OK, namespace.link(1, Name.of("r1"), 1, Name.of("r2"), out));
            }
            fixture.restart();
            try (HmfsClient client = fixture.client()) {
                client.rename("/r1", "/r2", true); // two names of one file: nothing may go
                client.delete("/d1");
                client.rename("/over1", "/r1", true);
                assertEquals(1000, client.readBlock(deleted.id(), 1, 0, new byte[1000], 0, 1000));
                assertEquals(1000, client.readBlock(replaced.id(), 2, 0, new byte[1000], 0, 1000));
                assertEquals(deleted.id(), client.stat("/d2").id());
                assertEquals(5, objects(fixture).size());
                fixture.restart();
            }
            try (HmfsClient client = fixture.client()) {
                assertEquals(1000, client.readBlock(deleted.id(), 1, 0, new byte[1000], 0, 1000));
                client.delete("/d2");
                awaitObjects(fixture, 3);
                client.rename("/over2", "/r2", true);
                awaitObjects(fixture, 0);
            }
        }
    }

    @Test
    void writesAfterTheRemovalAreRefused() throws Exception {
        try (ServerFixture fixture = fixture(Persistence.PROCESS);
                HmfsClient client = fixture.client()) {
            fileOf(client, "/f", 1);
            OpenedFile file = LeasedFiles.append(client, "/f");
            client.delete("/f");
            awaitObjects(fixture, 0);
            long inode = file.info().id();
            assertCode(ResultCode.LEASE_LOST, client.writeBlockAsync(file.grant(), inode, 1, 0, new byte[5], 0, 5));
            assertEquals(List.of(), objects(fixture));
        }
    }

    @Test
    void truncateCutsTheObjects() throws IOException {
        try (ServerFixture fixture = fixture(Persistence.PROCESS);
                HmfsClient client = fixture.client()) {
            FileInfo file = fileOf(client, "/f", 3);
            client.truncate("/f", ServerFixture.BLOCK_SIZE + 10);
            byte[] target = new byte[1000];
            assertEquals(10, client.readBlock(file.id(), 1, 0, target, 0, 1000));
            assertEquals(2, objects(fixture).size());
            client.truncate("/f", 0);
            assertEquals(List.of(), objects(fixture));
        }
    }

    @Test
    void manyDeletesInFlightAreAllReaped() throws Exception {
        try (ServerFixture fixture = fixture(Persistence.PROCESS);
                HmfsClient client = fixture.client()) {
            for (int i = 0; i < 300; i++) {
                fileOf(client, "/f" + i, 1);
            }
            assertEquals(300, objects(fixture).size());
            List<CompletableFuture<Void>> deletes = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                deletes.add(client.deleteAsync("/f" + i));
            }
            for (CompletableFuture<Void> delete : deletes) {
                delete.get();
            }
            awaitObjects(fixture, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void removalsCutShortByACrashAreSettledAtTheNextStart(Persistence persistence) throws Exception {
        FileInfo stays;
        try (ServerFixture fixture = fixture(persistence)) {
            try (HmfsClient client = fixture.client()) {
                fileOf(client, "/gone", 2);
                stays = fileOf(client, "/stays", 1);
                LeasedFiles.write(
                        client,
                        LeasedFiles.append(client, "/stays"),
                        0,
                        1000,
                        bytes(3, 10)); // by a stream that goes on
                fileOf(client, "/taken", 2);
            }
            fixture.server().close();
            // As a crash would leave it: name gone, taken by another file or untouched, objects still there.
            try (Namespace namespace = Hmfs.open(fixture.pool, fixture.config().openOptions(Progress.NONE))) {
                Attributes out = new Attributes();
                assertEquals(Status.OK, namespace.delete(1, Name.of("gone"), out));
                assertEquals(Status.OK, namespace.delete(1, Name.of("taken"), out));
                assertEquals(Status.OK, namespace.create(1, Name.of("taken"), 0644, 0, 0, out));
            }
            fixture.restart();
            awaitObjects(fixture, 1);
            assertEquals(List.of(Long.toHexString(stays.id()) + "-0"), objects(fixture));
            try (HmfsClient client = fixture.client()) {
                assertEquals(10, client.readBlock(stays.id(), 0, 1000, new byte[10], 0, 10), "not yet committed");
            }
            fixture.restart();
            assertEquals(1, objects(fixture).size());
        }
    }

    @Test
    void externalDataStoreIsAnnouncedAndTheClientHearsWhatWasRemoved() throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        directory, builder -> builder.set(ServerSetting.DATA_STORE, "file:///somewhere"));
                HmfsClient client = fixture.client()) {
            assertEquals("file:///somewhere", client.server().dataStore());
            assertCode(ResultCode.BAD_REQUEST, client.readBlockAsync(1, 0, 0, new byte[1], 0, 1));
            List<Long> removed = java.util.Collections.synchronizedList(new ArrayList<>());
            client.onRemoved((inode, size) -> {
                removed.add(inode);
                removed.add(size);
            });
            FileInfo first = client.create("/a", PLAIN);
            client.append(first, 10);
            FileInfo second = client.create("/a", OVERWRITE);
            client.append(second, 20);
            FileInfo third = client.create("/b", PLAIN);
            client.rename("/b", "/a", true);
            client.delete("/a");
            assertEquals(List.of(first.id(), 10L, second.id(), 20L, third.id(), 0L), removed);
            assertTrue(Files.notExists(fixture.dataDirectory()));
        }
    }

    /** One user's sparse file must not keep the reaper from the files of all others, nor show old bytes when it grows again. */
    @Test
    void aHugeSparseFileIsCutAndRemovedLikeAnyOther() throws Exception {
        try (ServerFixture fixture = fixture(Persistence.PMEM);
                HmfsClient client = fixture.client()) {
            FileInfo file = fileOf(client, "/huge", 1);
            client.truncate("/huge", 1L << 60);
            OpenedFile again = LeasedFiles.append(client, "/huge");
            LeasedFiles.write(client, again, 5, 0, bytes(5, 1000));
            LeasedFiles.close(client, again, (1L << 61) + 1);
            client.truncate("/huge", 1000);
            client.truncate("/huge", 1L << 61);
            assertEquals(-1, client.readBlock(file.id(), 5, 0, new byte[10], 0, 10));
            client.delete("/huge");
            fileOf(client, "/f", 2);
            client.delete("/f");
            awaitObjects(fixture, 0);
        }
    }

    /** No size tells of it, and no quota: it must go with the file. */
    @Test
    void aBlockFarBehindTheSizeGoesWithTheFile() throws Exception {
        try (ServerFixture fixture = fixture(Persistence.PMEM)) {
            try (HmfsClient client = fixture.client()) {
                for (String path : List.of("/f", "/g")) {
                    OpenedFile file = LeasedFiles.create(client, path, PLAIN);
                    LeasedFiles.write(client, file, 1L << 40, 0, bytes(5, 1000));
                }
                client.delete("/f");
                awaitObjects(fixture, 2); // that of the other, and its mark
            }
            fixture.restart();
            try (HmfsClient client = fixture.client()) {
                client.delete("/g");
                awaitObjects(fixture, 0);
            }
        }
    }
}
