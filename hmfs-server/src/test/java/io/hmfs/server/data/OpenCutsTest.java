package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Records;
import io.hmfs.server.Await;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a cut that is open is brought to its end once, and its record cleared once. Method: a store on a disk, records that are a list. */
class OpenCutsTest {
    private static final long INODE = 7;
    private static final int LENGTH = 100;

    @TempDir
    private Path directory;

    private Runnable whenCleared = () -> {};
    private final List<Long> cleared = Collections.synchronizedList(new ArrayList<>());
    private final Records records = (Records) Proxy.newProxyInstance(
            Records.class.getClassLoader(), new Class<?>[] {Records.class}, (_, method, given) -> {
                if (method.getName().equals("clear")) {
                    cleared.add((Long) given[0]);
                    whenCleared.run();
                }
                return null;
            });
    private BlockStore store;
    private OpenCuts cuts;

    @BeforeEach
    void open() throws IOException {
        store = new BlockStore(directory, 1 << 10, 4, false);
        store.write(INODE, 0, 0, 0, Unpooled.wrappedBuffer(new byte[LENGTH]), 0, LENGTH);
        cuts = new OpenCuts(store);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private long length() throws IOException {
        return store.bytes(Files.size(store.path(INODE, 0)));
    }

    @Test
    void aCutIsSettledOnce() throws IOException {
        assertFalse(cuts.isOpen(INODE));
        cuts.settle(records, INODE);
        assertEquals(LENGTH, length());
        cuts.add(INODE, 11, 50, LENGTH);
        assertTrue(cuts.isOpen(INODE));
        assertFalse(cuts.isOpen(INODE + 1));
        cuts.settle(records, INODE + 1);
        assertEquals(LENGTH, length());
        cuts.settle(records, INODE);
        cuts.settle(records, INODE);
        assertFalse(cuts.isOpen(INODE));
        assertEquals(50, length());
        assertEquals(List.of(11L), cleared);
    }

    @Test
    void noMoreCutsWaitThanTheirRecordsAreFor() {
        for (int i = 0; i < OpenCuts.BEHIND_MAX; i++) {
            assertTrue(cuts.addBehind(INODE + 1 + i, i + 1, 0, LENGTH));
        }
        assertFalse(cuts.addBehind(INODE, 1_000, 0, LENGTH));
        assertFalse(cuts.isOpen(INODE), "its request cuts it");
    }

    private static void awaitBlocked(Thread thread) {
        try {
            Await.until("the thread has seen an open cut", () -> thread.getState() == Thread.State.BLOCKED);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The record of the first cut is cleared, and may be another file's by now. */
    @Test
    void aThreadThatComesLateSettlesTheCutThatIsOpenThen() throws Exception {
        cuts.add(INODE, 11, 50, LENGTH);
        CompletableFuture<Void> late = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().unstarted(() -> {
            try {
                cuts.settle(records, INODE);
                late.complete(null);
            } catch (IOException | RuntimeException e) {
                late.completeExceptionally(e);
            }
        });
        whenCleared = () -> {
            whenCleared = () -> {};
            thread.start();
            awaitBlocked(thread);
            cuts.add(INODE, 22, 20, 50);
        };
        cuts.settle(records, INODE);
        late.get();
        assertEquals(List.of(11L, 22L), cleared);
        assertEquals(20, length());
        assertFalse(cuts.isOpen(INODE));
    }
}
