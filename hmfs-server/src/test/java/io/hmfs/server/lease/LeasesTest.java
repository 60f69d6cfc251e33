package io.hmfs.server.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.Records;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.share.UserShares;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: one writer at a time, which loses a file only as the limits say, and for good. Method: the table of leases with a clock of the test,
 * one after another on the records of one pool.
 */
@Timeout(60)
class LeasesTest {
    private static final Duration SOFT = Duration.ofSeconds(60);
    private static final Duration HARD = Duration.ofMinutes(20);
    private static final long FILE = 77;
    private static final long OTHER_FILE = 78;
    private static final ClientKey ANNE = new ClientKey(0xa, 1);
    private static final ClientKey BERT = new ClientKey(0xb, 2);

    @TempDir
    private Path directory;

    private long now = 1_000;

    private ServerNamespace namespace;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("pool");
        if (!Files.exists(pool)) {
            Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        }
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    /** What a start of the server finds. */
    private Leases start() {
        return new Leases(namespace.records(), new Leases.Limits(SOFT, HARD), new UserShares(Map.of()), () -> now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static boolean take(Leases leases, long inode, ClientKey client, long number) {
        long stamp = leases.alone(inode, true);
        try {
            return leases.take(inode, client, "host" + client, number) == null;
        } finally {
            leases.endAlone(inode, stamp);
        }
    }

    private static void displace(Leases leases, long inode) {
        long stamp = leases.alone(inode, true);
        leases.displace(inode);
        leases.endAlone(inode, stamp);
    }

    @Test
    void aFileIsOnesUntilHeIsSilentForTheSoftLimit() throws IOException {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        assertFalse(leases.isClosed(FILE));
        assertFalse(take(leases, FILE, BERT, 1));
        assertFalse(take(leases, FILE, ANNE, 2), "nor another stream of the same client");
        assertTrue(take(leases, FILE, ANNE, 1), "it is asked for again");
        pass(SOFT);
        assertFalse(take(leases, FILE, BERT, 1));
        pass(Duration.ofNanos(1));
        assertTrue(leases.isHeld(FILE, ANNE, 1), "until another client wants it");
        assertTrue(take(leases, FILE, BERT, 1));
        assertFalse(leases.isHeld(FILE, ANNE, 1));
        assertTrue(leases.isHeld(FILE, BERT, 1));
        leases.renew(ANNE, true);
        assertFalse(leases.isHeld(FILE, ANNE, 1), "renewing does not bring back what was taken");
        assertEquals(1, leases.count());
    }

    @Test
    void aClientThatTookAFileBeforeItsMakerHadALeaseHasIt() throws IOException {
        Leases leases = start();
        assertTrue(take(leases, FILE, BERT, 1));
        leases.give(FILE, ANNE, "h", 1);
        assertTrue(leases.isHeld(FILE, BERT, 1));
        assertFalse(leases.isHeld(FILE, ANNE, 1));
        leases.end(FILE, BERT, 1);
        assertTrue(leases.isClosed(FILE), "there is no other one below it");
        leases.give(FILE, ANNE, "h", 1);
        assertTrue(leases.isClosed(FILE), "nor when the client that took it has gone");
    }

    @Test
    void aClientThatRecoversAFileIsFasterThanItsMakerToo() throws IOException {
        Leases leases = start();
        displace(leases, FILE);
        leases.give(FILE, ANNE, "h", 1);
        assertTrue(leases.isClosed(FILE));
        leases.give(OTHER_FILE, ANNE, "h", 2);
        assertTrue(leases.isHeld(OTHER_FILE, ANNE, 2));
    }

    @Test
    void ofAFileThatIsNewOneHasALease() throws Exception {
        Leases leases = start();
        int rounds = 30_000;
        int makers = 0;
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        boolean[] took = new boolean[rounds];
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < rounds; i++) {
                while (begun.get() <= i) {
                    Thread.onSpinWait();
                }
                took[i] = take(leases, 1_000 + i, BERT, 1);
                done.incrementAndGet();
            }
        });
        for (int i = 0; i < rounds; i++) {
            long file = 1_000L + i;
            begun.incrementAndGet();
            leases.give(file, ANNE, "h", 1);
            while (done.get() <= i && !other.isCompletedExceptionally()) {
                Thread.onSpinWait();
            }
            assertEquals(took[i], leases.isHeld(file, BERT, 1));
            assertEquals(!took[i], leases.isHeld(file, ANNE, 1));
            assertEquals(1, leases.count());
            makers += took[i] ? 0 : 1;
            leases.end(file, took[i] ? BERT : ANNE, 1);
        }
        other.get();
        assertTrue(makers > 0 && makers < rounds, "each was faster sometimes: " + makers);
    }

    @Test
    void aLeaseIsGivenAgainUnlessAnotherClientMayHaveTakenTheFileSinceTheStart() throws IOException {
        start().give(FILE, ANNE, "h", 1);
        Leases leases = start();
        leases.giveAgain(FILE, ANNE, "h", 1);
        leases.giveAgain(OTHER_FILE, ANNE, "h", 2);
        assertTrue(leases.isHeld(FILE, ANNE, 1));
        assertTrue(leases.isHeld(OTHER_FILE, ANNE, 2));
        displace(leases, FILE);
        leases.giveAgain(FILE, ANNE, "h", 1);
        assertTrue(leases.isClosed(FILE), "it was recovered");
        for (long inode = 1_000; inode < 20_000; inode++) {
            displace(leases, inode);
        }
        leases.giveAgain(FILE, ANNE, "h", 1);
        assertTrue(leases.isClosed(FILE), "and others since");
        leases.end(OTHER_FILE, ANNE, 2);
        leases = start();
        assertTrue(take(leases, OTHER_FILE, BERT, 1));
        leases.end(OTHER_FILE, BERT, 1);
        leases.giveAgain(OTHER_FILE, ANNE, "h", 2);
        assertTrue(leases.isClosed(OTHER_FILE), "another one has written it");
    }

    @Test
    void aClientThatIsGivenALeaseAgainWaitsForNoOtherClient() throws IOException {
        Leases leases = start();
        long stamp = leases.alone(FILE, true);
        leases.giveAgain(FILE, ANNE, "h", 1);
        leases.endAlone(FILE, stamp);
        assertTrue(leases.isClosed(FILE), "another client takes it, perhaps");
        long shared = leases.share(FILE, true);
        leases.giveAgain(FILE, ANNE, "h", 1);
        leases.unshare(FILE, shared);
        assertTrue(leases.isHeld(FILE, ANNE, 1));
    }

    @Test
    void aRefusedClientIsToldTheHolderOfTheLease() throws IOException {
        Leases leases = start();
        leases.give(FILE, ANNE, "10.0.0.1", 1);
        long stamp = leases.alone(FILE, true);
        assertEquals("HMFSClient_a on 10.0.0.1", leases.take(FILE, BERT, "h", 1));
        leases.endAlone(FILE, stamp);
    }

    @Test
    void aRenewalIsForAllLeasesOfAClient() throws IOException {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        leases.give(OTHER_FILE, ANNE, "h", 2);
        for (int i = 0; i < 100; i++) {
            pass(SOFT);
            leases.renew(ANNE, true);
        }
        assertFalse(take(leases, FILE, BERT, 1));
        assertFalse(take(leases, OTHER_FILE, BERT, 2));
        assertEquals(2, leases.count());
    }

    @Test
    void afterTheHardLimitALeaseIsGoneAlsoForAClientThatComesBack() throws IOException {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        pass(HARD);
        assertTrue(leases.isHeld(FILE, ANNE, 1));
        pass(Duration.ofNanos(1));
        assertTrue(leases.isClosed(FILE));
        assertFalse(leases.isHeld(FILE, ANNE, 1));
        leases.renew(ANNE, true);
        assertFalse(leases.isHeld(FILE, ANNE, 1));
        assertEquals(0, leases.count(), "what others do not ask for goes too");
        leases.give(OTHER_FILE, ANNE, "h", 2);
        assertTrue(leases.isHeld(OTHER_FILE, ANNE, 2));
        assertFalse(leases.isHeld(FILE, ANNE, 1));
        assertEquals(1, start().count(), "the next start knows of the other one alone");
    }

    @Test
    void aLookForTheSilentIsNotForThreadsThatMustNotWait() throws IOException {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        leases.renew(ANNE, false);
        pass(HARD);
        assertThrows(KeyLocks.MustWaitException.class, () -> leases.renew(BERT, false));
        leases.renew(BERT, true);
        leases.renew(BERT, false);
    }

    @Test
    void onlyItsHolderEndsALease() throws IOException {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        leases.end(FILE, BERT, 1);
        leases.end(FILE, ANNE, 2);
        leases.end(OTHER_FILE, ANNE, 1);
        assertTrue(leases.isHeld(FILE, ANNE, 1));
        leases.end(FILE, ANNE, 1);
        assertTrue(leases.isClosed(FILE));
        leases.end(FILE, ANNE, 1);
        assertEquals(0, leases.count());
        assertTrue(take(leases, FILE, BERT, 1));
    }

    /** Another user can say any client's id: it is told to any client that wants the file. */
    @Test
    void theIdOfAClientIsNothingWithoutItsUser() throws IOException {
        ClientKey eve = new ClientKey(ANNE.id(), 3);
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        for (int i = 0; i < 2; i++) {
            assertFalse(leases.isHeld(FILE, eve, 1));
            assertFalse(take(leases, FILE, eve, 1));
            leases.end(FILE, eve, 1);
            assertTrue(leases.isHeld(FILE, ANNE, 1));
            leases = start();
        }
        pass(SOFT);
        leases.renew(eve, true);
        pass(Duration.ofNanos(1));
        assertTrue(take(leases, FILE, BERT, 1), "another user's renewal is of that user's own");
    }

    @Test
    void aStartKnowsWhichClientsWriteAndWhichDoNotAnyMore() throws IOException {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        leases.give(OTHER_FILE, ANNE, "h", 2);
        leases.give(79, BERT, "h", 1);
        leases.end(79, BERT, 1);
        displace(leases, OTHER_FILE);
        Leases next = start();
        pass(HARD.plus(HARD)); // however long it takes until clients can come
        next.begin();
        assertTrue(next.isHeld(FILE, ANNE, 1));
        assertFalse(next.isHeld(OTHER_FILE, ANNE, 2), "it was taken");
        assertTrue(next.isClosed(79));
        assertEquals(1, next.count());
        assertFalse(take(next, FILE, BERT, 2), "the writer may still come back");
        assertTrue(take(next, OTHER_FILE, BERT, 3));
        pass(SOFT);
        pass(Duration.ofNanos(1));
        assertTrue(take(next, FILE, BERT, 2));
        Leases third = start();
        assertFalse(third.isHeld(FILE, ANNE, 1), "and now that writer may not");
        assertTrue(third.isHeld(FILE, BERT, 2));
    }

    /** A crash between the new one and the clearing of the old one leaves both. */
    @Test
    void ofTwoForOneFileTheLaterCounts() throws IOException {
        Records records = namespace.records();
        long first = records.put(Records.Kind.LEASE, 1, 1, 1, 1);
        records.put(Records.Kind.LEASE, FILE, ANNE.id(), ANNE.mark(), 1);
        records.clear(first); // so that the later one stands before
        assertEquals(first, records.put(Records.Kind.LEASE, FILE, BERT.id(), BERT.mark(), 1));
        records.put(Records.Kind.LEASE, OTHER_FILE, ANNE.id(), ANNE.mark(), 1);
        records.put(Records.Kind.LEASE, OTHER_FILE, BERT.id(), BERT.mark(), 1);
        for (int i = 0; i < 2; i++) {
            close();
            open();
            Leases leases = start();
            assertEquals(2, leases.count());
            assertTrue(leases.isHeld(FILE, BERT, 1));
            assertTrue(leases.isHeld(OTHER_FILE, BERT, 1));
        }
    }

    @Test
    void whatAFullPoolHasNoRoomForIsThereForThisStart() {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        for (long each = 1; namespace.records().put(Records.Kind.QUOTA, each, 1, 1, 0) != Records.NONE; each++) {}
        leases.give(OTHER_FILE, ANNE, "h", 2);
        assertTrue(leases.isHeld(OTHER_FILE, ANNE, 2));
        assertFalse(start().isHeld(OTHER_FILE, ANNE, 2));
        leases.end(OTHER_FILE, ANNE, 2);
        leases.end(FILE, ANNE, 1);
        leases.give(79, BERT, "h", 9);
        assertTrue(start().isHeld(79, BERT, 9), "there was room again");
    }

    @Test
    void aThreadThatHasAFileAloneWaitsForWhatIsUnderWay() throws Exception {
        Leases leases = start();
        leases.give(FILE, ANNE, "h", 1);
        long shared = leases.share(FILE, true);
        assertThrows(KeyLocks.MustWaitException.class, () -> leases.alone(FILE, false));
        CompletableFuture<Void> displaced = CompletableFuture.runAsync(() -> displace(leases, FILE));
        assertThrows(java.util.concurrent.TimeoutException.class, () -> displaced.get(50, TimeUnit.MILLISECONDS));
        assertTrue(leases.isHeld(FILE, ANNE, 1));
        leases.unshare(FILE, shared);
        displaced.get();
        assertFalse(leases.isHeld(FILE, ANNE, 1));
        long alone = leases.alone(FILE, true);
        assertEquals(0, leases.tryShare(FILE));
        assertThrows(KeyLocks.MustWaitException.class, () -> leases.share(FILE, false));
        leases.endAlone(FILE, alone);
        long again = leases.tryShare(FILE);
        assertNotEquals(0, again);
        leases.unshare(FILE, again);
    }

    /** Of each file one of several clients has it, whatever they do at once; at the end none is left in the table. */
    @Test
    void manyAtOnce() throws Exception {
        Leases leases = start();
        AtomicInteger[] writers = new AtomicInteger[16];
        for (int i = 0; i < writers.length; i++) {
            writers[i] = new AtomicInteger();
        }
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int c = 1; c <= 6; c++) {
            ClientKey client = new ClientKey(c, 1);
            all.add(CompletableFuture.supplyAsync(() -> {
                int taken = 0;
                for (int i = 0; i < 20_000; i++) {
                    int file = (i * 7 + (int) client.id()) % writers.length;
                    if (take(leases, file + 1, client, i)) {
                        assertEquals(1, writers[file].incrementAndGet());
                        assertTrue(leases.isHeld(file + 1, client, i));
                        writers[file].decrementAndGet();
                        leases.end(file + 1, client, i);
                        taken++;
                    }
                    leases.give(1_000 + i * 8L + client.id(), client, "h", i);
                    leases.end(1_000 + i * 8L + client.id(), client, i);
                }
                return taken;
            }));
        }
        for (CompletableFuture<Integer> each : all) {
            assertTrue(each.get() > 0);
        }
        assertEquals(0, leases.count());
        assertEquals(0, start().count());
    }
}
