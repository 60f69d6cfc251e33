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
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.data.RemovalTable;
import io.hmfs.server.setting.ServerSetting;
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
 * Goal: where the data is not the server's, exactly the files that are gone are told to clients until one says that their objects are
 * gone too, whatever crashes and whichever client says what. Method: a server that announces another store, deletes of all kinds by clients that
 * remove no objects; a namespace that stops the server just before or after one operation.
 */
@Timeout(300)
class ClientRemovalsTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);
    private static final int MANY = 20_000;

    @TempDir
    private Path directory;

    private static ServerConfig.Builder elsewhere(ServerConfig.Builder builder) {
        return builder.set(ServerSetting.DATA_STORE, "file:///elsewhere");
    }

    private ServerFixture fixture() throws IOException {
        return new ServerFixture(directory, ClientRemovalsTest::elsewhere);
    }

    /** What is on record when all that was removed has come to be told of, and what was cleared has gone. */
    private static Set<Long> recorded(HmfsClient client) throws Exception {
        Await.until("all that is on record is told", () -> told(client).size() == onRecord(client));
        Set<Long> told = told(client);
        assertEquals(told.size(), onRecord(client));
        return told;
    }

    private static int onRecord(HmfsClient client) throws IOException {
        return new Removals(client).pending(0, RemovalTable.PLACES).recorded();
    }

    private static Set<Long> told(HmfsClient client) throws IOException {
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

    /** A stranger who could clear another's files would leave their objects for ever; who reads them would learn ids and sizes. */
    @Test
    void recordsAreReadAndClearedByTheirUsersAndSuperusersAlone() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient superuser = fixture.client();
                HmfsClient owner = fixture.client("owner");
                HmfsClient stranger = fixture.client("stranger")) {
            superuser.mkdir("/all", 0777, false);
            superuser.chmod("/all", 0777);
            FileInfo mine = owner.create("/all/mine", PLAIN);
            FileInfo removed = owner.create("/all/removed", PLAIN);
            owner.delete("/all/mine");
            stranger.delete("/all/removed"); // the directory is everybody's
            Await.until("both are on record", () -> told(superuser).size() == 2);
            assertEquals(Set.of(mine.id(), removed.id()), told(owner));
            assertEquals(Set.of(removed.id()), told(stranger));
            new Removals(stranger).tell(new long[] {mine.id()}).get();
            assertEquals(Set.of(mine.id(), removed.id()), told(superuser));
            new Removals(stranger).tell(new long[] {removed.id()}).get();
            new Removals(owner).tell(new long[] {mine.id()}).get();
            assertEquals(Set.of(), recorded(superuser));
        }
    }

    @Test
    void allThatRemovesFilesRecordsThem() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient client = fixture.client()) {
            Set<Long> gone = ids(make(client, "/batched", 200));
            delete(client, "/batched", 200);
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
            forger.tell(new long[] {gone.get(1).id(), gone.get(2).id()}).get();
            new Removals(client)
                    .tell(new long[] {gone.get(1).id(), gone.get(1).id()})
                    .get();
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
    void clearsOfManyFilesInTheOrderOfTheirRemovalReachThePool() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient client = fixture.client()) {
            List<FileInfo> files = make(client, "/f", MANY);
            delete(client, "/f", files.size());
            Removals removals = new Removals(client);
            for (int from = 0; from < MANY; from += Removals.TOLD_MAX) {
                removals.tell(files.stream()
                                .skip(from)
                                .limit(Removals.TOLD_MAX)
                                .mapToLong(FileInfo::id)
                                .toArray())
                        .get();
            }
            Await.until("all are done", () -> onRecord(client) == 0);
            assertEquals(Set.of(), recorded(client));
        }
    }

    @Test
    void whatAClientDeletesThatNeverSaysThatObjectsAreGoneIsOnRecordForOthers() throws Exception {
        try (ServerFixture fixture = fixture();
                HmfsClient client = fixture.client()) {
            Set<Long> gone = ids(make(client, "/gone", 20));
            try (RawPeer peer = new RawPeer(fixture.port())) {
                peer.send(RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "alice"));
                assertEquals(WelcomeDecoder.TEMPLATE_ID, template(peer.read()));
                for (int i = 0; i < 20; i++) {
                    peer.send(RawPeer.delete(i + 1, "/gone" + i));
                    assertEquals(DoneDecoder.TEMPLATE_ID, template(peer.read()));
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
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.SUPERUSER, "alice")
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
        Set<Long> made = new HashSet<>();
        try (ServerNamespace real =
                Hmfs.openForServer(config().pool(), OpenOptions.process().keepingDataElsewhere())) {
            HmfsServer server = HmfsServer.start(config(), cutting(real, operation, before));
            CompletableFuture<IOException> removed;
            try (HmfsClient client = connect(server)) {
                all.addAll(ids(make(client, "/f", 2)));
                made.addAll(all);
                removed =
                        CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, () -> removal.run(client)));
                assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            }
            removed.join();
        }
        try (HmfsServer again = HmfsServer.start(config());
                HmfsClient client = connect(again)) {
            client.list("/", io.hmfs.client.ListingCursor.START, 0).entries().forEach(file -> all.remove(file.id()));
            assertEquals(before ? 0 : 1, all.size());
            Await.until("the scan has found it", () -> {
                Set<Long> told = told(client);
                told.retainAll(made); // a staging file that the crash left is gone too
                return told.equals(all);
            });
        }
    }

    private static ServerNamespace cutting(ServerNamespace real, String operation, boolean before) {
        return (ServerNamespace) Proxy.newProxyInstance(
                ServerNamespace.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> {
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
    void batchedDeleteCutOffAfterTheNamespace() throws Exception {
        cutOff("deleteAll", false, client -> client.delete("/f0"));
    }

    @Test
    void batchedDeleteCutOffBeforeTheNamespace() throws Exception {
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
                                .set(ServerSetting.PERSISTENCE, Persistence.LOGGED)
                                .set(ServerSetting.EMULATE_PMEM, true)
                                .set(ServerSetting.LOG_DIRECTORY, directory.resolve("log")));
                HmfsClient client = fixture.client()) {
            Set<Long> gone = ids(make(client, "/f", 300));
            delete(client, "/f", 300);
            gone.add(client.create("/one", PLAIN).id());
            client.create("/one", OVERWRITE);
            Await.until("all told", () -> told(client).equals(gone));
            fixture.loseMachine();
            Await.until("all told again", () -> told(client).equals(gone));
            assertEquals(gone, recorded(client));
            assertFalse(gone.contains(client.stat("/one").id()));
        }
    }

    /** The log's ring is so small that its thread has to make room for whatever ends a removed file. */
    @Test
    void clearsBesideChangesThatFillTheLogsRingEnd() throws Exception {
        Path log = directory.resolve("log");
        ServerConfig config = elsewhere(ServerConfig.builder(directory.resolve("p.pool")))
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.EVENT_LOOPS, 2)
                .set(ServerSetting.EMULATE_PMEM, true)
                .set(ServerSetting.LOG_DIRECTORY, log)
                .set(ServerSetting.PERSISTENCE, Persistence.LOGGED)
                .set(ServerSetting.SUPERUSER, "alice")
                .build();
        LogOptions tiny = LogOptions.in(log).withOnVolatile(true).withSizes(256 << 10, 1 << 20, 64);
        Hmfs.format(config.pool(), new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, tiny));
        ServerNamespace namespace = Hmfs.openForServer(
                config.pool(), OpenOptions.logged(tiny).withoutWaiting().keepingDataElsewhere());
        try (HmfsServer server = HmfsServer.start(config, namespace)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String prefix = "/f" + i + "-";
                all.add(CompletableFuture.runAsync(() -> fillAndClear(server, prefix)));
            }
            for (CompletableFuture<Void> each : all) {
                each.get();
            }
            try (HmfsClient client = connect(server)) {
                Await.until("all are done", () -> onRecord(client) == 0);
            }
        }
    }

    private static void fillAndClear(HmfsServer server, String prefix) {
        try (HmfsClient client = connect(server)) {
            Removals removals = new Removals(client);
            for (int round = 0; round < 4; round++) {
                List<FileInfo> files = make(client, prefix + round + "-", 300);
                List<CompletableFuture<Void>> all = new ArrayList<>();
                for (int i = 0; i < files.size(); i++) {
                    all.add(client.deleteAsync(prefix + round + "-" + i));
                }
                for (int i = 0; i < files.size(); i += 30) { // some of them before the log has the removal
                    List<FileInfo> some = files.subList(i, i + 30);
                    for (CompletableFuture<Void> each : all.subList(i, i + 30)) {
                        each.get();
                    }
                    all.add(removals.tell(some.stream().mapToLong(FileInfo::id).toArray()));
                }
                for (CompletableFuture<Void> each : all) {
                    each.get();
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
