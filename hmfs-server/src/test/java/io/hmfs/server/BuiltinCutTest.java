package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.IntentJournal;
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
            try (IntentJournal journal =
                    new IntentJournal(fixture.dataDirectory().resolve("removals"), persistence.writesBack())) {
                journal.replay((slot, inode, parent, name, size) -> {
                    throw new IllegalStateException("a clean stop left an intent");
                });
                journal.begin(cut.id(), 1, Name.of("cut"), IntentJournal.cut(2L * ServerFixture.BLOCK_SIZE + 1000));
                journal.begin(stays.id(), 1, Name.of("stays"), IntentJournal.cut(ServerFixture.BLOCK_SIZE + 1000L));
                journal.begin(deleted.id(), 1, Name.of("deleted"), IntentJournal.cut(1000));
            }
            try (Namespace namespace = Hmfs.open(fixture.pool, fixture.config().openOptions(_ -> {}))) {
                assertEquals(Status.OK, namespace.truncate(1, Name.of("cut"), 10));
                assertEquals(Status.OK, namespace.delete(1, Name.of("deleted"), new Attributes()));
            }
            fixture.restart();
            try (HmfsClient client = fixture.client()) {
                assertEquals(
                        4,
                        ObjectFiles.in(fixture.dataDirectory()).size(),
                        "its removal had an intent of its own, which is not this one");
                client.truncate("/cut", 1000);
                byte[] target = new byte[1000];
                assertEquals(10, client.readBlock(cut.id(), 0, 0, target, 0, 1000), "nothing came back");
                assertEquals(1000, client.readBlock(stays.id(), 1, 0, target, 0, 1000), "its size had not changed");
                client.truncate("/stays", 10);
            }
            fixture.server().close();
            try (IntentJournal journal =
                    new IntentJournal(fixture.dataDirectory().resolve("removals"), persistence.writesBack())) {
                journal.replay((slot, inode, parent, name, size) -> {
                    throw new IllegalStateException("a truncate left an intent of " + name);
                });
            }
        }
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
