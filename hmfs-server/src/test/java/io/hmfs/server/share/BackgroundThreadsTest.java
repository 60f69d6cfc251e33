package io.hmfs.server.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.Niceness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: what goes on behind the requests yields the processor, and so do the processes it starts; nothing else does. Method: the system is asked. */
class BackgroundThreadsTest {
    private static int inThisThread() {
        try {
            return Niceness.ofThisThread();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String inAProcess() {
        try {
            Process process = new ProcessBuilder("nice").start(); // tells its own
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aThreadAndTheProcessesThatItStartsYieldTheProcessor() throws Exception {
        int before = Niceness.ofThisThread();
        CompletableFuture<Integer> own = new CompletableFuture<>();
        CompletableFuture<String> ofProcess = new CompletableFuture<>();
        Thread thread = BackgroundThreads.start("hmfs-test", () -> {
            own.complete(inThisThread());
            ofProcess.complete(inAProcess());
        });
        assertTrue(thread.isDaemon());
        assertEquals("hmfs-test", thread.getName());
        assertEquals(10, own.get(1, TimeUnit.MINUTES));
        assertEquals("10", ofProcess.get(1, TimeUnit.MINUTES));
        thread.join();
        assertEquals(before, Niceness.ofThisThread());
    }

    @Test
    void aFactoryNumbersItsThreads() throws Exception {
        var factory = BackgroundThreads.named("hmfs-test");
        assertEquals("hmfs-test-1", factory.newThread(() -> {}).getName());
        CompletableFuture<Integer> niceness = new CompletableFuture<>();
        Thread second = factory.newThread(() -> niceness.complete(inThisThread()));
        assertEquals("hmfs-test-2", second.getName());
        second.start();
        assertEquals(10, niceness.get(1, TimeUnit.MINUTES));
    }
}
