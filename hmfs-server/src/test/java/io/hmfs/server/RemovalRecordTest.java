package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.Removals;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.data.RemovalRecord;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: where the data is not the server's, exactly the files that are gone are on record until a client says that their objects are
 * too, whatever crashes and whoever says what. Method: a server that announces another store, deletes of all kinds by clients that
 * remove no objects; a namespace that stops the server just before or after one operation.
 */
@Timeout(300)
class RemovalRecordTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);
    private static final int MORE = 300;

    @TempDir
    private Path directory;

    private static ServerConfig.Builder elsewhere(ServerConfig.Builder builder) {
        return builder.dataStore("file:///elsewhere");
    }

    private ServerFixture fixture() throws IOException {
        return new ServerFixture(directory, RemovalRecordTest::elsewhere);
    }

    private static Set<Long> recorded(HmfsClient client) throws IOException {
        Set<Long> inodes = new HashSet<>();
        Removals removals = new Removals(client);
        Removals.Pending part;
        int from = 0;
        do {
            part = removals.pending(0, from);
            for (Removals.RemovedFile each : part.files()) {
                assertTrue(inodes.add(each.inode()));
            }
            from = part.next();
        } while (!part.isLast());
        assertEquals(inodes.size(), part.recorded());
        return inodes;
    }

    private static List<FileInfo> make(HmfsClient client, String prefix, int count) throws Exception {
        List<CompletableFuture<FileInfo>> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(client.createAsync(prefix + i, PLAIN));
        }
        List<FileInfo> files = new ArrayList<>();
        for (CompletableFuture<FileInfo> each : made) {
            files.add(each.get());
        }
        return files;
    }

    private static void delete(HmfsClient client, String prefix, int count) throws Exception {
        List<CompletableFuture<Void>> deletes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            deletes.add(client.deleteAsync(prefix + i));
        }
        for (CompletableFuture<Void> each : deletes) {
            each.get();
        }
    }

    private static Set<Long> ids(List<FileInfo> files) {
        Set<Long> ids = new HashSet<>();
        files.forEach(file -> ids.add(file.id()));
        return ids;
    }

    @Test
    void allThatRemovesFilesRecordsThem() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient client = fixture.client()) {
            Set<Long> gone = ids(make(client, "/joined", 200));
            delete(client, "/joined", 200);
            FileInfo replaced = client.create("/replaced", PLAIN);
            client.append(replaced, 1234);
            gone.add(replaced.id());
            client.create("/replaced", OVERWRITE);
            gone.add(client.create("/target", PLAIN).id());
            client.rename("/replaced", "/target", true);
            client.rename("/target", "/moved", true); // over nothing
            client.create("/new", OVERWRITE); // of nothing
            client.symlink("/link", "/moved", PLAIN);
            client.delete("/link");
            assertEquals(gone, recorded(client));
            List<Removals.RemovedFile> told = new Removals(client).pending(0, 0).files();
            assertTrue(told.contains(new Removals.RemovedFile(replaced.id(), 1234)));
            fixture.restart();
            assertEquals(gone, recorded(client));
        }
    }

    @Test
    void whatIsToldIsClearedAndNothingElse() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient client = fixture.client();
                HmfsClient eve = fixture.client("eve")) {
            List<FileInfo> live = make(client, "/live", 3);
            List<FileInfo> gone = make(client, "/gone", 3);
            delete(client, "/gone", 3);
            Removals forger = new Removals(eve);
            forger.tell(new long[] {live.get(0).id(), 0, -1, Long.MIN_VALUE, 1, 4711})
                    .get();
            assertEquals(ids(gone), recorded(client));
            client.delete("/live0"); // told of before it was removed
            assertTrue(recorded(client).contains(live.get(0).id()));
            assertThrows(IllegalArgumentException.class, () -> forger.tell(new long[Removals.TOLD_MAX + 1]));
            forger.tell(new long[] {gone.get(1).id(), gone.get(1).id()}).get(); // an orphan for gc, at worst
            Set<Long> left = new HashSet<>(
                    Set.of(gone.get(0).id(), gone.get(2).id(), live.get(0).id()));
            assertEquals(left, recorded(client));
            assertEquals(live.get(1).id(), client.stat("/live1").id());
            fixture.restart();
            assertEquals(left, recorded(client));
            new Removals(client)
                    .tell(left.stream().mapToLong(Long::longValue).toArray())
                    .get();
            assertEquals(Set.of(), recorded(client));
        }
    }

    @Test
    void aFullRecordHoldsUpNobody() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient client = fixture.client()) {
            List<FileInfo> files = make(client, "/f", RemovalRecord.SLOTS + MORE);
            delete(client, "/f", files.size());
            Set<Long> recorded = recorded(client);
            assertEquals(RemovalRecord.SLOTS, recorded.size());
            assertTrue(ids(files).containsAll(recorded));
            assertTrue(client.metrics().contains("hmfs_removals_unrecorded_total " + (double) MORE), client.metrics());
            assertTrue(client.metrics().contains("hmfs_removals_recorded " + (double) RemovalRecord.SLOTS));
            long[] some =
                    recorded.stream().mapToLong(Long::longValue).limit(1000).toArray();
            new Removals(client).tell(some).get();
            Set<Long> more = ids(make(client, "/g", 10));
            delete(client, "/g", 10);
            assertTrue(recorded(client).containsAll(more));
        }
    }

    /** Of version 5 of the schema, which knows no record: it never says that objects are gone. */
    @Test
    void whatAnOldClientDeletesIsOnRecordForOthers() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient client = fixture.client()) {
            Set<Long> gone = ids(make(client, "/old", 20));
            try (RawPeer old = new RawPeer(fixture.port())) {
                old.send(RawPeer.older(5, RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "alice")));
                assertEquals(WelcomeDecoder.TEMPLATE_ID, template(old.read()));
                for (int i = 0; i < 20; i++) {
                    old.send(RawPeer.older(5, RawPeer.delete(i + 1, "/old" + i)));
                    assertEquals(DoneDecoder.TEMPLATE_ID, template(old.read()));
                }
            }
            assertEquals(gone, recorded(client));
        }
    }

    private static int template(WireBuffer frame) {
        return new MessageHeaderDecoder().wrap(frame, 0).templateId();
    }

    private ServerConfig config() {
        return elsewhere(ServerConfig.builder(directory.resolve("p.pool")))
                .port(0)
                .access(access -> access.withSuperuser("alice"))
                .build();
    }

    private interface Removal {
        void run(HmfsClient client) throws IOException;
    }

    private static HmfsClient connect(HmfsServer server) throws IOException {
        return HmfsClient.connect(
                "127.0.0.1",
                server.address().getPort(),
                ClientOptions.defaults().withUser("alice"));
    }

    /** Cuts a removal off, starts again, looks whether exactly the file that is gone is on record. */
    private void cutOff(String operation, boolean before, Removal removal) throws Exception {
        Hmfs.format(config().pool(), FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        Set<Long> all = new HashSet<>();
        try (Namespace real = Hmfs.open(config().pool(), OpenOptions.process())) {
            HmfsServer server = HmfsServer.start(config(), cutting(real, operation, before));
            CompletableFuture<IOException> removed;
            try (HmfsClient client = connect(server)) {
                all.addAll(ids(make(client, "/f", 2)));
                removed =
                        CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, () -> removal.run(client)));
                assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            }
            removed.join();
        }
        try (HmfsServer again = HmfsServer.start(config());
                HmfsClient client = connect(again)) {
            client.list("/", io.hmfs.client.ListCursor.START, 0).entries().forEach(file -> all.remove(file.id()));
            assertEquals(before ? 0 : 1, all.size());
            assertEquals(all, recorded(client));
        }
    }

    private static Namespace cutting(Namespace real, String operation, boolean before) {
        return (Namespace) Proxy.newProxyInstance(
                Namespace.class.getClassLoader(), new Class<?>[] {Namespace.class}, (proxy, method, arguments) -> {
                    boolean here = method.getName().equals(operation);
                    if (here && before) {
                        throw new IllegalStateException("cut off before " + operation);
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        if (here) {
                            throw new IllegalStateException("cut off after " + operation);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void joinedDeleteCutOffAfterTheNamespace() throws Exception {
        cutOff("deleteAll", false, client -> client.delete("/f0"));
    }

    @Test
    void joinedDeleteCutOffBeforeTheNamespace() throws Exception {
        cutOff("deleteAll", true, client -> client.delete("/f0"));
    }

    @Test
    void overwriteCutOffAfterTheRename() throws Exception {
        cutOff("rename", false, client -> client.create("/f0", OVERWRITE));
    }

    @Test
    void overwriteCutOffBeforeTheRename() throws Exception {
        cutOff("rename", true, client -> client.create("/f0", OVERWRITE));
    }

    @Test
    void renameCutOffAfterTheNamespace() throws Exception {
        cutOff("rename", false, client -> client.rename("/f0", "/f1", true));
    }

    @Test
    void renameCutOffBeforeTheNamespace() throws Exception {
        cutOff("rename", true, client -> client.rename("/f0", "/f1", true));
    }

    /** With a log, on which the removals are certain some time after they were done. */
    @Test
    void inModeLoggedWhatWasAnsweredIsOnRecordAfterTheLossOfTheMachine() throws Exception {
        try (ServerFixture fixture = new ServerFixture(
                        directory,
                        builder -> elsewhere(builder)
                                .persistence(Persistence.LOGGED)
                                .emulatePmem(true)
                                .logDirectory(directory.resolve("log")));
                HmfsClient client = fixture.client()) {
            Set<Long> gone = ids(make(client, "/f", 300));
            delete(client, "/f", 300);
            gone.add(client.create("/one", PLAIN).id());
            client.create("/one", OVERWRITE);
            Await.until("all on record", () -> recorded(client).equals(gone));
            fixture.loseMachine();
            assertEquals(gone, recorded(client));
            assertFalse(gone.contains(client.stat("/one").id()));
        }
    }
}
