package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.RemovedFile;
import io.hmfs.core.type.Status;
import io.hmfs.server.Await;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: files whose objects cannot be removed hold up nothing else, and nothing waits for them. Method: a directory that is not empty stands
 * where the object of such a file should be; waits that are longer than the test may take.
 */
@Timeout(60)
class ReaperTest {
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(5);

    @TempDir
    private Path directory;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private ServerNamespace namespace;
    private BlockStore store;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process().keepingDataElsewhere());
        store = new BlockStore(directory.resolve("data"), 1 << 20, 16, false);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        namespace.close();
    }

    private Reaper started() {
        Reaper reaper = new Reaper(store, namespace);
        reaper.start(failure::set);
        return reaper;
    }

    private long create(String name) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, Name.of(name), 0644, 0, 0, made));
        return made.id;
    }

    private void delete(String name) {
        assertEquals(Status.OK, namespace.delete(Namespace.ROOT_ID, Name.of(name), new Attributes()));
    }

    private void removeWithStuckObject(String name) throws IOException {
        Files.createDirectories(store.path(create(name), 0).resolve("inner"));
        delete(name);
    }

    private static void awaitFailing(Reaper reaper, int count) throws Exception {
        Await.until("the reaper", () -> reaper.failing().size() >= count);
    }

    @Test
    void nothingWaitsForFilesThatCannotBeRemoved() throws Exception {
        for (int i = 0; i < 300; i++) {
            removeWithStuckObject("stuck" + i);
        }
        try (Reaper reaper = started()) {
            awaitFailing(reaper, 300);
            create("f");
            delete("f");
            Await.until("the reaper", () -> namespace.removedFiles().count() <= 300);
            reaper.watch(LONG_NANOS); // ends, though they stay
            assertFalse(reaper.isMakingRoom());
        }
        assertEquals(300, namespace.removedFiles().count());
    }

    @Test
    void whatCouldNotBeRemovedIsTriedAgain() throws Exception {
        long inode = create("f");
        Path inner = store.path(inode, 0).resolve("inner");
        Files.createDirectories(inner);
        delete("f");
        try (Reaper reaper = started()) {
            awaitFailing(reaper, 1);
            Files.delete(inner);
            Await.until("the reaper", () -> namespace.removedFiles().count() == 0);
            Await.until("the reaper", () -> reaper.failing().isEmpty());
        }
    }

    @Test
    void aFullPoolHasRoomAtOnceThoughOneFileCannotBeRemoved() throws Exception {
        removeWithStuckObject("stuck");
        try (Reaper reaper = started()) {
            awaitFailing(reaper, 1);
            namespace.whenFull(reaper::isMakingRoom);
            int count = 0;
            Attributes made = new Attributes();
            while (namespace.create(Namespace.ROOT_ID, Name.of("f" + count), 0644, 0, 0, made) == Status.OK) {
                count++;
            }
            for (int i = 0; i < 1_000; i++) {
                delete("f" + i);
            }
            create("new");
        }
    }

    @Test
    void aStopEndsAWaitForWhatIsNotSafeYet() throws Exception {
        ServerNamespace late = changed("whenDurableAnyway", _ -> {});
        create("f");
        delete("f");
        Reaper reaper = new Reaper(store, late);
        reaper.start(failure::set);
        CompletableFuture<Void> first =
                CompletableFuture.runAsync(() -> reaper.watch(LONG_NANOS)); // before it waits, or never
        CompletableFuture<Void> later = first.thenRunAsync(() -> reaper.watch(LONG_NANOS));
        reaper.endWaits();
        later.get();
    }

    @Test
    void whatIsRemovedAndStillHasDataIsKnownWhileObjectsAreListed() throws Exception {
        long going = create("going");
        long live = create("live");
        delete("going");
        ServerNamespace late = changed("whenDurableAnyway", _ -> {}); // so that it stays
        Reaper reaper = new Reaper(store, late);
        CompletableFuture<Void> known = CompletableFuture.runAsync(() -> reaper.watch(LONG_NANOS));
        Await.until("the reaper", reaper::isAsked);
        reaper.start(failure::set);
        known.get();
        assertTrue(reaper.isRemoved(going));
        assertFalse(reaper.isRemoved(live));
        reaper.endWaits();
    }

    /** A removal that the log loses brings the file back, which then has its objects. */
    @Test
    void noObjectGoesBeforeTheLogHasTheRemoval() throws Exception {
        Path object = store.path(create("f"), 0);
        Files.createDirectories(object.getParent());
        Files.createFile(object);
        delete("f");
        CompletableFuture<Runnable> asked = new CompletableFuture<>();
        ServerNamespace late = changed("whenDurableAnyway", arguments -> asked.complete((Runnable) arguments[1]));
        try (Reaper reaper = new Reaper(store, late)) {
            reaper.start(failure::set);
            Await.until("the reaper", () -> asked.isDone() || Files.notExists(object));
            assertTrue(Files.exists(object));
            asked.get().run();
            Await.until("the object has gone", () -> Files.notExists(object));
        }
        assertNull(failure.get());
    }

    /** The reaper waits for others to ask the log, and in a full pool a request waits for the reaper. */
    @Test
    void aFullPoolHasTheLogAskedForItsRoom() throws Exception {
        create("f");
        delete("f");
        CompletableFuture<Runnable> waits = new CompletableFuture<>();
        ServerNamespace late = changed("whenDurableAnyway", arguments -> waits.complete((Runnable) arguments[1]));
        ServerNamespace asked = changed(late, "whenDurable", _ -> waits.join().run());
        try (Reaper reaper = new Reaper(store, asked)) {
            reaper.start(failure::set);
            waits.join();
            assertTrue(reaper.isMakingRoom());
        }
        assertNull(failure.get());
    }

    /** There may be many more, and nobody else may ask the log. Its objects must wait for it all the same. */
    @Test
    void aWholeBatchAsksTheLogAndWaitsForIt() throws Exception {
        Path object = store.path(create("f"), 0);
        Files.createDirectories(object.getParent());
        Files.createFile(object);
        delete("f");
        for (int i = 0; i < 300; i++) {
            create("f" + i);
            delete("f" + i);
        }
        CompletableFuture<Runnable> asked = new CompletableFuture<>();
        ServerNamespace late = changed("whenDurable", arguments -> asked.complete((Runnable) arguments[1]));
        try (Reaper reaper = new Reaper(store, late)) {
            reaper.start(failure::set);
            Runnable safe = asked.get(20, TimeUnit.SECONDS);
            assertTrue(Files.exists(object));
            safe.run();
            Await.until("the object has gone", () -> Files.notExists(object));
            Await.until("the rest", () -> namespace.removedFiles().count() == 0);
        }
        assertNull(failure.get());
    }

    /** At a stop there may be no request that asks the log. */
    @Test
    void aStopAsksTheLog() throws Exception {
        create("f");
        delete("f");
        CompletableFuture<Runnable> asked = new CompletableFuture<>();
        ServerNamespace late = changed("whenDurable", arguments -> asked.complete((Runnable) arguments[1]));
        Reaper reaper = new Reaper(store, late);
        reaper.close(); // it has no thread yet, and will stop as soon as it has one
        reaper.start(failure::set);
        asked.get(20, TimeUnit.SECONDS).run();
        Await.until("the file is done", () -> namespace.removedFiles().count() == 0);
        assertNull(failure.get());
    }

    /** Else no start would find them: a clean one believes that the pool knows all. */
    @Test
    void anErrorInTheMidstOfACloseKeepsNoFile() throws Exception {
        CompletableFuture<Consumer<Throwable>> asked = new CompletableFuture<>();
        ServerNamespace late = changed("whenDurableAnyway", arguments -> asked.complete(failure(arguments[2])));
        for (int i = 0; i < 3; i++) {
            create("f" + i);
            delete("f" + i);
        }
        Reaper reaper = new Reaper(store, late);
        reaper.start(failure::set);
        Consumer<Throwable> fail = asked.get();
        Thread closer = Thread.ofPlatform().start(reaper::close);
        Await.until("the close waits", () -> closer.getState() == Thread.State.TIMED_WAITING);
        fail.accept(new AssertionError("planted"));
        closer.join();
        RemovedFile file = new RemovedFile();
        int given = 0;
        while (namespace.removedFiles().next(file)) {
            given++;
        }
        assertEquals(3, given);
        assertNull(failure.get());
    }

    @SuppressWarnings("unchecked")
    private static Consumer<Throwable> failure(Object argument) {
        return (Consumer<Throwable>) argument;
    }

    @Test
    void anErrorOfTheThreadIsTold() throws Exception {
        AssertionError planted = new AssertionError("planted");
        ServerNamespace failing = changed("logPosition", _ -> {
            throw planted;
        });
        create("f");
        delete("f");
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        try (Reaper reaper = new Reaper(store, failing)) {
            reaper.start(told::complete);
            assertSame(planted, told.get(10, TimeUnit.SECONDS));
        }
    }

    /** The namespace as if a log had to have what was done; one method does this with its arguments instead, and returns null. */
    private ServerNamespace changed(String name, Consumer<Object[]> instead) {
        return changed(namespace, name, instead);
    }

    private static ServerNamespace changed(ServerNamespace other, String name, Consumer<Object[]> instead) {
        return (ServerNamespace) Proxy.newProxyInstance(
                ReaperTest.class.getClassLoader(), new Class<?>[] {ServerNamespace.class}, (_, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        instead.accept(arguments);
                        return null;
                    }
                    if (method.getName().equals("logPosition")) {
                        return 1L;
                    }
                    try {
                        return method.invoke(other, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
