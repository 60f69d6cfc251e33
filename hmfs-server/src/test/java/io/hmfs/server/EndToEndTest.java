package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.client.ServerStatus;
import io.hmfs.server.transport.SocketKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: every metadata operation does over the wire what its contract says.
 * Method: the real client against a real server on a real pool, over loopback; one test per operation and kind of failure.
 */
@ParameterizedClass
@EnumSource(
        value = SocketKind.class,
        names = {"EPOLL", "IO_URING", "NIO"})
class EndToEndTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0600, true, false, 0755);

    @Parameter
    private SocketKind sockets = SocketKind.AUTO;

    @TempDir
    private Path directory;

    private ServerFixture fixture;
    private HmfsClient client;

    @BeforeEach
    void start() throws IOException {
        fixture = ServerFixture.on(sockets, directory);
        client = fixture.client();
    }

    @AfterEach
    void stop() {
        client.close();
        fixture.close();
    }

    private static void assertCode(ResultCode code, Executable call) {
        HmfsException thrown = assertThrows(HmfsException.class, call);
        assertEquals(code, thrown.code(), thrown.getMessage());
    }

    @Test
    void handshakeTellsWhatTheServerIs() throws IOException {
        assertEquals(1, client.server().protocolVersion());
        assertEquals(1, client.server().mapVersion());
        assertEquals("builtin", client.server().dataStore());
        assertEquals("process", client.server().persistence());
        assertEquals(ServerFixture.BLOCK_SIZE, client.server().blockSize());
        assertEquals(ServerFixture.CHUNK_SIZE, client.server().chunkSize());
        assertEquals(HmfsServer.version(), client.server().serverVersion());
        assertEquals(client.status().clusterId(), client.server().clusterId());
    }

    @Test
    void rootIsADirectory() throws IOException {
        FileInfo root = client.stat("/");
        assertTrue(root.directory());
        assertEquals(1, root.id());
        assertEquals(0, root.parentId());
        assertEquals("", root.name());
    }

    @Test
    void createdFileIsFoundWithItsAttributes() throws IOException {
        long before = System.currentTimeMillis();
        FileInfo made = client.create("/größe.txt", PLAIN);
        FileInfo found = client.stat("/größe.txt");
        assertEquals(made, found);
        assertEquals("größe.txt", found.name());
        assertFalse(found.directory());
        assertEquals(0644, found.mode());
        assertEquals("alice", found.owner());
        assertEquals(client.stat("/").group(), found.group());
        assertEquals(1, found.parentId());
        assertEquals(0, found.size());
        assertTrue(found.mtimeMillis() >= before - 1000 && found.mtimeMillis() <= System.currentTimeMillis() + 1000);
    }

    @Test
    void createMakesMissingParentsOnlyWhenAsked() throws IOException {
        assertCode(ResultCode.NOT_FOUND, () -> client.create("/a/b/c", PLAIN));
        client.create("/a/b/c", new CreateOptions(0644, false, true, 0711));
        assertEquals(0711, client.stat("/a").mode());
        assertEquals("alice", client.stat("/a/b").owner());
        assertFalse(client.stat("/a/b/c").directory());
    }

    @Test
    void createOfATakenNameFailsUnlessItOverwrites() throws IOException {
        FileInfo first = client.create("/f", PLAIN);
        assertCode(ResultCode.EXISTS, () -> client.create("/f", PLAIN));
        FileInfo second = client.create("/f", OVERWRITE);
        assertNotEquals(first.id(), second.id());
        assertEquals(0600, client.stat("/f").mode());
        client.mkdir("/d", 0755, false);
        assertCode(ResultCode.IS_DIRECTORY, () -> client.create("/d", OVERWRITE));
        assertCode(ResultCode.EXISTS, () -> client.create("/", OVERWRITE));
        assertCode(ResultCode.NOT_DIRECTORY, () -> client.create("/f/g", PLAIN));
    }

    @Test
    void mkdirWithParentsAcceptsADirectoryThatIsThere() throws IOException {
        FileInfo made = client.mkdir("/x/y/z", 0750, true);
        assertEquals(0750, client.stat("/x").mode());
        assertEquals(made, client.mkdir("/x/y/z", 0700, true));
        assertTrue(client.mkdir("/", 0700, true).directory());
        assertCode(ResultCode.EXISTS, () -> client.mkdir("/x/y", 0700, false));
        assertCode(ResultCode.NOT_FOUND, () -> client.mkdir("/p/q", 0700, false));
        client.create("/x/f", PLAIN);
        assertCode(ResultCode.EXISTS, () -> client.mkdir("/x/f", 0700, true));
        assertCode(ResultCode.NOT_DIRECTORY, () -> client.mkdir("/x/f/g", 0700, true));
    }

    @Test
    void newEntriesTakeTheirParentsGroup() throws IOException {
        client.mkdir("/team", 0770, false);
        client.chown("/team", null, "engineers");
        assertEquals("engineers", client.create("/team/f", PLAIN).group());
        assertEquals("engineers", client.mkdir("/team/a/b", 0755, true).group());
        assertEquals("engineers", client.stat("/team/a").group());
    }

    @Test
    void deleteRemovesFilesOnlyAndRmdirEmptyDirectoriesOnly() throws IOException {
        client.create("/f", PLAIN);
        client.mkdir("/d", 0755, false);
        client.create("/d/g", PLAIN);
        assertCode(ResultCode.IS_DIRECTORY, () -> client.delete("/d"));
        assertCode(ResultCode.IS_DIRECTORY, () -> client.delete("/"));
        assertCode(ResultCode.NOT_DIRECTORY, () -> client.rmdir("/f"));
        assertCode(ResultCode.NOT_EMPTY, () -> client.rmdir("/d"));
        assertCode(ResultCode.IS_ROOT, () -> client.rmdir("/"));
        client.delete("/f");
        client.delete("/d/g");
        client.rmdir("/d");
        assertCode(ResultCode.NOT_FOUND, () -> client.stat("/f"));
        assertCode(ResultCode.NOT_FOUND, () -> client.delete("/f"));
        assertCode(ResultCode.NOT_FOUND, () -> client.rmdir("/d"));
    }

    @Test
    void renameMovesAndReplacesOnlyWhenAsked() throws IOException {
        FileInfo file = client.create("/f", PLAIN);
        client.create("/g", PLAIN);
        client.mkdir("/d/e", 0755, true);
        assertCode(ResultCode.EXISTS, () -> client.rename("/f", "/g", false));
        client.rename("/f", "/g", true);
        assertEquals(file.id(), client.stat("/g").id());
        client.rename("/g", "/d/e/h", false);
        assertEquals(file.id(), client.stat("/d/e/h").id());
        client.rename("/d/e", "/e", true);
        assertEquals(file.id(), client.stat("/e/h").id());
        assertCode(ResultCode.NOT_FOUND, () -> client.stat("/d/e"));
        assertCode(ResultCode.LOOP, () -> client.rename("/e", "/e/under", false));
        assertCode(ResultCode.NOT_FOUND, () -> client.rename("/nothing", "/x", false));
        assertCode(ResultCode.NOT_FOUND, () -> client.rename("/e", "/nowhere/x", false));
        assertCode(ResultCode.IS_DIRECTORY, () -> client.rename("/e/h", "/d", true));
        assertCode(ResultCode.IS_ROOT, () -> client.rename("/", "/x", false));
    }

    @Test
    void attributesChangeAsAsked() throws IOException {
        client.create("/f", PLAIN);
        client.chmod("/f", 01777);
        client.chown("/f", "bob", null);
        client.setTimes("/f", 1_000_000_000_123L, -1);
        FileInfo info = client.stat("/f");
        assertEquals(01777, info.mode());
        assertEquals("bob", info.owner());
        assertEquals(1_000_000_000_123L, info.mtimeMillis());
        client.setTimes("/f", -1, 1_500_000_000_456L);
        assertEquals(1_000_000_000_123L, client.stat("/f").mtimeMillis());
        assertEquals(1_500_000_000_456L, client.stat("/f").atimeMillis());
        client.chmod("/", 0711);
        assertEquals(0711, client.stat("/").mode());
        assertCode(ResultCode.INVALID_ARGUMENT, () -> client.chmod("/f", 010000));
        assertCode(ResultCode.NOT_FOUND, () -> client.chmod("/g", 0644));
    }

    @Test
    void appendCommitsTheSizeOfTheSameFileOnly() throws IOException {
        FileInfo file = client.create("/d/f", new CreateOptions(0644, false, true, 0755));
        client.append(file, 1000);
        assertEquals(1000, client.stat("/d/f").size());
        client.truncate("/d/f", 10);
        assertEquals(10, client.stat("/d/f").size());
        FileInfo other = client.create("/d/f", OVERWRITE);
        assertCode(ResultCode.STALE, () -> client.append(file, 2000));
        client.append(other, 3);
        client.delete("/d/f");
        assertCode(ResultCode.STALE, () -> client.append(other, 4));
        assertCode(ResultCode.INVALID_ARGUMENT, () -> {
            client.create("/d/g", PLAIN);
            client.truncate("/d/g", -1);
        });
        assertCode(ResultCode.IS_DIRECTORY, () -> client.truncate("/d", 0));
    }

    @Test
    void listPagesShowEveryEntryOnce() throws Exception {
        client.mkdir("/dir", 0755, false);
        List<CompletableFuture<FileInfo>> made = new ArrayList<>();
        for (int i = 0; i < 2500; i++) {
            made.add(client.createAsync("/dir/file-" + i, PLAIN));
        }
        for (CompletableFuture<FileInfo> each : made) {
            each.get();
        }
        client.mkdir("/dir/sub", 0755, false);
        Set<String> names = new HashSet<>();
        int pages = 0;
        int entries = 0;
        for (ListingCursor cursor = ListingCursor.START; cursor != null; pages++) {
            ListPage page = client.list("/dir", cursor, 700);
            assertTrue(page.entries().size() <= 700);
            page.entries().forEach(entry -> names.add(entry.name()));
            entries += page.entries().size();
            cursor = page.next();
        }
        assertEquals(2501, names.size());
        assertEquals(2501, entries);
        assertTrue(pages >= 4);
        FileInfo first = client.list("/dir", ListingCursor.START, 1).entries().get(0);
        assertEquals(client.stat("/dir/sub"), first); // newest first, and the same attributes as a stat shows
    }

    @Test
    void listOfEmptyDirectoryEndsAtOnceAndOfAFileFails() throws IOException {
        ListPage page = client.list("/", ListingCursor.START, 0);
        assertEquals(List.of(), page.entries());
        assertNull(page.next());
        client.create("/f", PLAIN);
        assertCode(ResultCode.NOT_DIRECTORY, () -> client.list("/f", ListingCursor.START, 0));
        assertCode(ResultCode.NOT_FOUND, () -> client.list("/g", ListingCursor.START, 0));
    }

    @Test
    void manyLongNamesFillSeveralPages() throws Exception {
        String stem = "n".repeat(240);
        List<CompletableFuture<FileInfo>> made = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            made.add(client.createAsync("/" + stem + i, PLAIN));
        }
        for (CompletableFuture<FileInfo> each : made) {
            each.get();
        }
        ListPage first = client.list("/", ListingCursor.START, 10_000);
        assertTrue(first.entries().size() < 2000, "a page is bounded in bytes");
        ListPage second = client.list("/", java.util.Objects.requireNonNull(first.next()), 10_000);
        Set<String> names = new HashSet<>();
        first.entries().forEach(entry -> names.add(entry.name()));
        second.entries().forEach(entry -> names.add(entry.name()));
        assertEquals(first.entries().size() + second.entries().size(), names.size());
    }

    @Test
    void statusTellsAboutPoolAndServer() throws IOException {
        ServerStatus status = client.status();
        assertEquals(fixture.pool.toString(), status.poolPath());
        assertEquals("mapped", status.backing());
        assertEquals(1, status.connections());
        assertTrue(status.capacity() > 0);
        assertTrue(status.regionsMax() >= status.regionsUsed());
        try (HmfsClient other = fixture.client()) {
            assertEquals(2, other.status().connections());
        }
    }

    @Test
    void everythingIsThereAfterARestartAndTheClientReconnects() throws Exception {
        FileInfo file = client.create("/kept/f", new CreateOptions(0644, false, true, 0755));
        client.append(file, 77);
        FileInfo before = client.stat("/kept/f");
        fixture.server().close();
        CompletableFuture<FileInfo> meanwhile = client.statAsync("/kept/f");
        fixture.restart();
        assertEquals(before, meanwhile.get());
    }

    @Test
    void requestsOfManyThreadsAllGetTheirOwnReply() throws Exception {
        List<CompletableFuture<Set<String>>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int number = t;
            threads.add(CompletableFuture.supplyAsync(() -> names(number)));
        }
        for (int t = 0; t < 4; t++) {
            int number = t;
            Set<String> expected = java.util.stream.IntStream.range(0, 500)
                    .mapToObj(i -> number + "-" + i)
                    .collect(Collectors.toSet());
            assertEquals(expected, threads.get(t).get());
        }
    }

    private Set<String> names(int thread) {
        List<CompletableFuture<FileInfo>> stats = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            String path = "/" + thread + "-" + i;
            stats.add(client.createAsync(path, PLAIN).thenCompose(made -> client.statAsync(path)));
        }
        return stats.stream().map(CompletableFuture::join).map(FileInfo::name).collect(Collectors.toSet());
    }
}
