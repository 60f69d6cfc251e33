package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Records;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: a truncate that was begun is brought to its end in the builtin store too, by the next start at the latest. */
final class BuiltinCutTest {
    @TempDir
    private Path directory;

    private ServerFixture fixture(Persistence persistence) throws IOException {
        return BuiltinDataTest.fixture(directory, persistence);
    }

    private static Path object(ServerFixture fixture) throws IOException {
        try (Stream<Path> all = Files.walk(fixture.dataDirectory())) {
            return all.filter(file -> file.getFileName().toString().contains("-") && Files.isRegularFile(file))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void cutsCutShortByACrashAreSettledAtTheNextStart(Persistence persistence) throws Exception {
        try (ServerFixture fixture = fixture(persistence)) {
            FileInfo cut;
            FileInfo stays;
            FileInfo deleted;
            try (HmfsClient client = fixture.client()) {
                cut = BuiltinDataTest.fileOf(client, "/cut", 3);
                stays = BuiltinDataTest.fileOf(client, "/stays", 2);
                deleted = BuiltinDataTest.fileOf(client, "/deleted", 1);
            }
            fixture.server().close();
            // As a crash would leave it: cut recorded, the size committed or not, objects still there; one was deleted
            // next.
            try (ServerNamespace namespace =
                    Hmfs.openForServer(fixture.pool, fixture.config().openOptions(Progress.NONE))) {
                assertEquals(0, cuts(namespace), "a clean stop left a record");
                record(namespace, cut, "cut", 2L * ServerFixture.BLOCK_SIZE + 1000);
                record(namespace, stays, "stays", ServerFixture.BLOCK_SIZE + 1000L);
                record(namespace, deleted, "deleted", 1000);
                assertEquals(Status.OK, namespace.truncate(1, Name.of("cut"), 10));
                assertEquals(Status.OK, namespace.delete(1, Name.of("deleted"), new Attributes()));
            }
            fixture.restart();
            try (HmfsClient client = fixture.client()) {
                Await.until(
                        "the objects of the deleted file are gone",
                        () -> ObjectFiles.in(fixture.dataDirectory()).size() == 3);
                client.truncate("/cut", 1000);
                byte[] target = new byte[1000];
                assertEquals(10, client.readBlock(cut.id(), 0, 0, target, 0, 1000), "nothing came back");
                assertEquals(1000, client.readBlock(stays.id(), 1, 0, target, 0, 1000), "its size had not changed");
                client.truncate("/stays", 10);
            }
            fixture.server().close();
            try (ServerNamespace namespace =
                    Hmfs.openForServer(fixture.pool, fixture.config().openOptions(Progress.NONE))) {
                assertEquals(0, cuts(namespace), "a truncate left a record");
            }
        }
    }

    private static void record(ServerNamespace namespace, FileInfo file, String name, long size) {
        Records records = namespace.records();
        assertNotEquals(
                Records.NONE, records.put(Records.Kind.CUT, file.id(), 1, records.hash(1, Name.of(name)), size));
        records.fence();
    }

    private static int cuts(ServerNamespace namespace) {
        int[] count = new int[1];
        namespace.records().each(Records.Kind.CUT, (_, _, _, _, _) -> count[0]++);
        return count[0];
    }

    @Test
    void whatTheDiskDoesNotCutTheNextStartCuts() throws Exception {
        try (ServerFixture fixture = fixture(Persistence.PROCESS)) {
            FileInfo file;
            try (HmfsClient client = fixture.client()) {
                file = BuiltinDataTest.fileOf(client, "/file", 1);
            }
            fixture.server().close();
            Path object = object(fixture);
            Path aside = Files.move(object, directory.resolve("aside"));
            Files.createDirectory(object); // which no disk cuts
            fixture.restart();
            try (HmfsClient client = fixture.client()) {
                assertEquals(
                        ResultCode.IO_ERROR,
                        assertThrows(HmfsException.class, () -> client.truncate("/file", 10))
                                .code());
            }
            fixture.server().close();
            Files.delete(object);
            Files.move(aside, object);
            fixture.restart();
            try (HmfsClient client = fixture.client()) {
                client.truncate("/file", 1000);
                assertEquals(10, client.readBlock(file.id(), 0, 0, new byte[1000], 0, 1000), "nothing came back");
            }
        }
    }
}
