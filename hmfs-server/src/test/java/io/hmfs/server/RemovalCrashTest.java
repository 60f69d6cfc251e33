package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: objects of removed files go and objects of files that stay do not, wherever a removal is cut off and whichever other client is at it.
 * Method: a real namespace that throws just before or just after one operation, which stops the server there, then a second
 * start; and several clients that fight for a few names.
 */
@Timeout(300)
class RemovalCrashTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);

    @TempDir
    private Path directory;

    private interface Removal {
        void run(HmfsClient client) throws IOException;
    }

    private ServerConfig config() {
        return ServerConfig.builder(directory.resolve("p.pool"))
                .set(ServerSetting.PORT, 0)
                .build();
    }

    /** Puts two files with an object each, cuts a removal off, starts again, looks at the objects that then are left. */
    private void objectsAfter(String operation, boolean before, int expected, Removal removal) throws Exception {
        Hmfs.format(config().pool(), FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        try (ServerNamespace real =
                Hmfs.openForServer(config().pool(), OpenOptions.process().keepingDataElsewhere())) {
            HmfsServer server = HmfsServer.start(config(), cutOff(real, operation, before));
            CompletableFuture<IOException> removed;
            try (HmfsClient client = connect(server)) {
                for (String name : new String[] {"a", "b"}) {
                    LeasedFiles.of(client, "/" + name, PLAIN, new byte[10]);
                }
                // No server answers it, and the client would wait for another server.
                removed =
                        CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, () -> removal.run(client)));
                assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            }
            removed.join();
        }
        try (HmfsServer again = HmfsServer.start(config());
                HmfsClient client = connect(again)) {
            Await.until(expected + " objects", () -> objects().size() == expected);
            assertEquals(liveObjects(client), objects());
        }
    }

    private static HmfsClient connect(HmfsServer server) throws IOException {
        return HmfsClient.connect("127.0.0.1", server.address().getPort(), io.hmfs.client.ClientOptions.defaults());
    }

    private static ServerNamespace cutOff(ServerNamespace real, String operation, boolean before) {
        return (ServerNamespace) Proxy.newProxyInstance(
                RemovalCrashTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> {
                    boolean cut = method.getName().equals(operation);
                    if (cut && before) {
                        throw new IllegalStateException("cut off before " + operation);
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        if (cut) {
                            throw new IllegalStateException("cut off after " + operation);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private List<String> objects() throws IOException {
        return ObjectFiles.in(config().dataDirectory());
    }

    private static List<String> liveObjects(HmfsClient client) throws IOException {
        TreeSet<String> live = new TreeSet<>();
        for (FileInfo file : client.list("/", ListingCursor.START, 0).entries()) {
            if (file.size() > 0) {
                live.add(Long.toHexString(file.id()) + "-0");
            }
        }
        return List.copyOf(live);
    }

    @Test
    void deleteCutOffAfterTheNamespaceTakesTheObjects() throws Exception {
        objectsAfter("deleteAll", false, 1, client -> client.delete("/a"));
    }

    @Test
    void deleteCutOffBeforeTheNamespaceKeepsTheObjects() throws Exception {
        objectsAfter("deleteAll", true, 2, client -> client.delete("/a"));
    }

    @Test
    void overwriteCutOffAfterTheRenameTakesTheObjects() throws Exception {
        objectsAfter("rename", false, 1, client -> client.create("/a", OVERWRITE));
        assertEquals(List.of(), temporaryFiles());
    }

    @Test
    void overwriteCutOffBeforeTheRenameKeepsTheObjects() throws Exception {
        objectsAfter("rename", true, 2, client -> client.create("/a", OVERWRITE));
        assertEquals(List.of(), temporaryFiles());
    }

    private List<String> temporaryFiles() throws IOException {
        List<String> names = new ArrayList<>();
        try (ServerNamespace namespace = Hmfs.openForServer(config().pool(), OpenOptions.process())) {
            Attributes orphans = new Attributes();
            assertEquals(Status.OK, namespace.orphans(false, orphans));
            namespace.list(orphans.id, new io.hmfs.core.type.ListCursor(), (name, _) -> names.add(name.toString()));
        }
        return names;
    }

    @Test
    void renameCutOffAfterTheNamespaceTakesTheReplacedObjects() throws Exception {
        objectsAfter("rename", false, 1, client -> client.rename("/a", "/b", true));
    }

    @Test
    void renameCutOffBeforeTheNamespaceKeepsBoth() throws Exception {
        objectsAfter("rename", true, 2, client -> client.rename("/a", "/b", true));
    }

    @Test
    void clientsThatFightForNamesLeaveExactlyTheObjectsOfTheFilesThatStay() throws Exception {
        Hmfs.format(config().pool(), FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        try (HmfsServer server = HmfsServer.start(config());
                HmfsClient client = connect(server)) {
            List<CompletableFuture<Integer>> fighters = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int seed = i;
                fighters.add(CompletableFuture.supplyAsync(() -> fight(client, seed)));
            }
            int committed = 0;
            for (CompletableFuture<Integer> fighter : fighters) {
                committed += fighter.get();
            }
            assertTrue(committed > 100, "only " + committed + " files were ever committed");
            List<String> needed = liveObjects(client);
            Set<String> allowed =
                    new HashSet<>(); // a file that was moved before its size was committed has an object too
            client.list("/", ListingCursor.START, 0)
                    .entries()
                    .forEach(file -> allowed.add(Long.toHexString(file.id()) + "-0"));
            Await.until("no objects of removed files", () -> allowed.containsAll(objects()));
            assertTrue(objects().containsAll(needed), needed + " but there are " + objects());
        }
    }

    /** Returns how many files it wrote and committed. */
    private static int fight(HmfsClient client, int seed) {
        Random random = new Random(seed);
        int committed = 0;
        for (int i = 0; i < 400; i++) {
            String name = "/n" + random.nextInt(4);
            try {
                switch (random.nextInt(4)) {
                    case 0 -> client.delete(name);
                    case 1 -> client.rename(name, "/n" + random.nextInt(4), random.nextBoolean());
                    default -> {
                        LeasedFiles.of(client, name, OVERWRITE, new byte[10]);
                        committed++;
                    }
                }
            } catch (HmfsException e) {
                if (e.code() != ResultCode.NOT_FOUND && e.code() != ResultCode.EXISTS && e.code() != ResultCode.STALE) {
                    throw new java.io.UncheckedIOException(e);
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
        return committed;
    }
}
