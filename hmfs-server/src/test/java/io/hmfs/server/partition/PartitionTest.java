package io.hmfs.server.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.Await;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.data.RemovalTable;
import io.hmfs.server.data.RemovalUser;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a partition settles at its opening what the last start left, works in the background from its start on, and leaves at its close
 * nothing open and nothing forgotten. Method: a pool that is opened again and again.
 */
class PartitionTest {
    private static final Name TREE = Name.of("tree");
    private static final Name FILE = Name.of("f");

    @TempDir
    private Path directory;

    private Path pool;

    @BeforeEach
    void format() throws IOException {
        pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
    }

    private PartitionConfig config(@Nullable Path data) {
        OpenOptions options = OpenOptions.process().keepingDataElsewhere();
        return new PartitionConfig(
                pool,
                options,
                ServerConfig.of(Path.of("p")).leases(),
                data,
                1 << 20,
                false,
                ScrubLimits.ASKED,
                0,
                0,
                Map.of());
    }

    private Partition open(@Nullable Path data) throws IOException {
        return Partition.open(config(data), _ -> {});
    }

    /** Makes a directory with a file and takes it out of the tree as a whole. */
    private static void removeTree(Partition in) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, in.namespace().mkdir(Namespace.ROOT_ID, TREE, 0755, 0, 0, made));
        assertEquals(Status.OK, in.namespace().create(made.id, FILE, 0644, 0, 0, new Attributes()));
        Attributes there = new Attributes();
        assertEquals(Status.OK, in.orphans().open(there));
        assertEquals(Status.OK, in.orphans().take(there, Namespace.ROOT_ID, TREE, made.id, Change.NONE));
    }

    private static List<String> orphans(Partition of) {
        Attributes there = new Attributes();
        assertEquals(Status.OK, of.namespace().orphans(false, there));
        List<String> names = new ArrayList<>();
        of.namespace().list(there.id, new ListCursor(), (name, _) -> names.add(name.toString()));
        return names;
    }

    @Test
    void openingTellsItsStepsInTheirOrder() throws IOException {
        List<String> steps = new ArrayList<>();
        Partition.open(config(null), steps::add).close();
        assertEquals(List.of("pool", "data store", "removals"), steps);
    }

    @Test
    void anOpeningDropsTemporaryFilesAndLeavesTreesForTheStart() throws Exception {
        try (Partition before = open(null)) {
            removeTree(before);
            Attributes temporary = new Attributes();
            assertEquals(
                    Status.OK,
                    before.orphans().createTemporaryFile(Name.of("temporary-0"), 0644, 0, 0, new long[0], temporary));
            assertEquals(2, orphans(before).size());
            before.stop();
        }
        try (Partition after = open(null)) {
            assertEquals(1, orphans(after).size());
            assertTrue(after.orphans().isBusy());
            after.start(failure -> {
                throw new AssertionError(failure);
            });
            Await.until("the tree to go", () -> !after.orphans().isBusy());
            assertEquals(List.of(), orphans(after));
            after.stop();
        }
    }

    @Test
    void theDataOfARemovedFileGoesInTheBackground() throws Exception {
        try (Partition partition = open(directory.resolve("data"))) {
            assertEquals(
                    Status.OK, partition.namespace().create(Namespace.ROOT_ID, FILE, 0644, 0, 0, new Attributes()));
            assertEquals(Status.OK, partition.namespace().delete(Namespace.ROOT_ID, FILE, new Attributes()));
            assertEquals(1, partition.namespace().removedFiles().count());
            partition.start(_ -> {});
            Await.until(
                    "the data to go", () -> partition.namespace().removedFiles().count() == 0);
            partition.stop();
        }
    }

    @Test
    void whatClientsHaveNotRemovedIsToldByTheNextStart() throws IOException {
        Attributes made = new Attributes();
        try (Partition before = open(null)) {
            assertEquals(Status.OK, before.namespace().create(Namespace.ROOT_ID, FILE, 0644, 0, 0, made));
            assertEquals(Status.OK, before.namespace().delete(Namespace.ROOT_ID, FILE, new Attributes()));
            assertEquals(List.of(made.id), told(before));
        }
        try (Partition after = open(null)) {
            assertEquals(List.of(made.id), told(after));
        }
    }

    private static List<Long> told(Partition by) {
        RemovalTable removals = Objects.requireNonNull(by.removals());
        ByteBuffer page = ByteBuffer.allocate(2 * RemovalTable.ENTRY_BYTES);
        removals.work();
        removals.page(new RemovalUser(0, 0, true), 0, 0, page);
        page.flip();
        List<Long> inodes = new ArrayList<>();
        while (page.hasRemaining()) {
            inodes.add(page.getLong());
            page.getLong();
        }
        return inodes;
    }

    @Test
    void aPartitionWhoseDataCannotBeOpenedLeavesThePoolClosed() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        IOException refused = assertThrows(IOException.class, () -> open(file));
        assertTrue(String.valueOf(refused.getMessage()).contains("cannot open the data directory " + file));
        open(null).close();
    }

    @Test
    void anErrorInTheBackgroundIsToldAndEndsIt() throws Exception {
        IllegalStateException cause = new IllegalStateException("planted");
        ServerNamespace real = Hmfs.openForServer(pool, config(null).options());
        ServerNamespace failing = (ServerNamespace) Proxy.newProxyInstance(
                PartitionTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("deleteAll")) {
                        throw cause;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        try (Partition partition = Partition.open(config(null), failing, _ -> {})) {
            CompletableFuture<Throwable> told = new CompletableFuture<>();
            partition.start(told::complete);
            removeTree(partition);
            assertSame(cause, told.get(10, TimeUnit.SECONDS));
            partition.stop();
            assertTrue(partition.orphans().isClosed());
        }
    }

    @Test
    void oneThatWasNotStartedStopsAndClosesThePool() throws IOException {
        Partition partition = open(directory.resolve("data"));
        assertFalse(partition.orphans().isClosed());
        partition.stop();
        assertTrue(partition.orphans().isClosed());
        partition.close();
        assertThrows(
                IllegalStateException.class,
                () -> partition.namespace().create(Namespace.ROOT_ID, FILE, 0644, 0, 0, new Attributes()));
        open(null).close();
    }
}
