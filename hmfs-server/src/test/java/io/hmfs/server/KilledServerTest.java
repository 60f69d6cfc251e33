package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.XattrSetMode;
import io.hmfs.client.Xattrs;
import io.hmfs.core.pmem.Persistence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a change is executed once, and answered, though the server is killed again and again. Method: clients in several threads change
 * their own directories while a server process gets SIGKILL and is started again, also on a machine that has lost its memory. A change
 * that was executed twice, or not at all, shows in its answer: a second create finds its file, a second delete or rename finds nothing.
 */
@Timeout(600)
class KilledServerTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVER = new CreateOptions(0640, true, false, 0755);
    private static final Duration LONG = Duration.ofSeconds(500);
    private static final Duration SOON = Duration.ofMillis(1);
    private static final int CLIENTS = 3;
    private static final int TOGETHER = 12;
    private static final int KILLS = Integer.getInteger("hmfs.kills", 6);
    private static final int ROUNDS_BETWEEN = 2;

    @TempDir
    private Path directory;

    private final Semaphore rounds = new Semaphore(0);
    private volatile boolean over;

    /** One client's changes, until the last server has lived for a while; how many rounds. */
    private int work(int port, String home) throws Exception {
        Set<String> expected = new TreeSet<>();
        ClientOptions options = new ClientOptions("alice", LONG, LONG, 64, SOON, SOON);
        try (HmfsClient client = HmfsClient.connect("127.0.0.1", port, options)) {
            client.mkdir(home, 0755, false);
            int round = 0;
            for (; !over; round++) {
                changeAll(client, home + "/" + round);
                expected.add(round + "kept");
                rounds.release();
            }
            Set<String> found = new TreeSet<>();
            client.list(home, ListingCursor.START, 0).entries().forEach(each -> found.add(each.name()));
            assertEquals(expected, found);
            return round;
        }
    }

    private static void changeAll(HmfsClient client, String at) throws Exception {
        client.mkdir(at, 0755, false);
        List<CompletableFuture<FileInfo>> made = new ArrayList<>();
        for (int i = 0; i < TOGETHER; i++) {
            made.add(client.createAsync(at + "/" + i, PLAIN));
        }
        for (int i = 0; i < TOGETHER; i++) {
            FileInfo each = made.get(i).join();
            FileInfo there = client.stat(at + "/" + i);
            assertEquals(there, each, "the answer is about the file that was made");
        }
        FileInfo first = made.get(0).join();
        client.append(first, 10);
        client.chmod(at + "/0", 0600);
        client.rename(at + "/0", at + "/moved", false);
        client.rename(at + "/1", at + "/moved", true);
        FileInfo over = client.create(at + "/moved", OVER);
        client.append(over, 30);
        client.truncate(at + "/moved", 20);
        assertEquals(20, client.stat(at + "/moved").size());
        assertEquals(over.id(), client.stat(at + "/moved").id());
        client.setTimes(at + "/moved", 1_000, 2_000);
        assertEquals(2_000, client.stat(at + "/moved").atimeMillis());
        Xattrs xattrs = client.xattrs();
        xattrs.set(at + "/moved", "user.a", new byte[] {1}, XattrSetMode.CREATE); // twice: EXISTS
        xattrs.remove(at + "/moved", "user.a"); // twice: NO_ATTRIBUTE
        client.delete(at + "/moved");
        for (int i = 2; i < TOGETHER; i++) {
            client.delete(at + "/" + i);
        }
        client.mkdir(at + "/sub", 0755, false);
        client.rmdir(at + "/sub");
        client.mkdir(at + "/tree/sub", 0755, true);
        client.create(at + "/tree/sub/f", PLAIN);
        client.trees().remove(at + "/tree");
        assertEquals(List.of(), client.list(at, ListingCursor.START, 0).entries());
        client.rmdir(at);
        client.create(at + "kept", PLAIN);
    }

    private void killAgainAndAgain(Persistence persistence, boolean withMachine) throws Exception {
        try (ServerChild server = ServerChild.onNewPool(directory, persistence);
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            try {
                killAgainAndAgain(persistence, server, threads, withMachine);
            } finally {
                over = true; // before the threads are waited for
                threads.shutdownNow(); // none waits for a server that did not start again
            }
        }
    }

    private void killAgainAndAgain(
            Persistence persistence, ServerChild server, ExecutorService threads, boolean withMachine)
            throws Exception {
        List<Future<Integer>> clients = new ArrayList<>();
        int port = server.port();
        for (int i = 0; i < CLIENTS; i++) {
            String home = "/home" + i;
            clients.add(threads.submit(() -> work(port, home)));
        }
        for (int i = 0; i < KILLS; i++) {
            for (int done = 0; done < ROUNDS_BETWEEN; done++) {
                awaitRound(clients);
            }
            server.killAndRestart(withMachine);
        }
        awaitRound(clients);
        over = true;
        int sum = 0;
        for (Future<Integer> each : clients) {
            sum += each.get();
        }
        System.out.println(persistence + ": " + KILLS + " kills, " + sum + " rounds");
        assertTrue(sum >= KILLS * ROUNDS_BETWEEN);
    }

    /** Waits for a client to have done all changes once more; ends at once if one has failed. */
    private void awaitRound(List<Future<Integer>> clients) throws Exception {
        while (!rounds.tryAcquire(1, TimeUnit.SECONDS)) {
            for (Future<Integer> each : clients) {
                if (each.isDone()) {
                    each.get();
                }
            }
        }
    }

    @Test
    void aServerProcessThatIsKilled() throws Exception {
        killAgainAndAgain(Persistence.PROCESS, false);
    }

    @Test
    void aServerWithALogThatIsKilled() throws Exception {
        killAgainAndAgain(Persistence.LOGGED, false);
    }

    @Test
    void aMachineThatLosesItsMemory() throws Exception {
        killAgainAndAgain(Persistence.LOGGED, true);
    }
}
