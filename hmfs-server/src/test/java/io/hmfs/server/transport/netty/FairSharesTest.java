package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a client that floods the disk, by however many connections, does not stop others from being read and served,
 * and is read again when there is room. Method: the server without a network, and a disk that does one request when the
 * test says so.
 */
class FairSharesTest {
    private static final int READ_BLOCK = 40;
    private static final int STATUS = 12;
    private static final int CONNECTIONS = 100;
    private static final int SOON = 5; // requests at the disk: a client's share of a round, and one more

    @TempDir
    private Path directory;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final List<FuzzChannel> flood = new ArrayList<>();
    private FuzzRig rig;
    private FuzzRequests requests;
    private long emptyBytes;
    private int sent;

    @BeforeEach
    void start() throws IOException {
        rig = new FuzzRig(directory, disk::add);
        rig.reset();
        requests = new FuzzRequests(new Random(3), rig);
        emptyBytes = rig.allocator.live();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        flood.forEach(FuzzChannel::leave);
        work(disk.size());
        flood.forEach(FuzzChannel::runPendingTasks);
        assertEquals(emptyBytes, rig.allocator.live());
        rig.close();
    }

    private FuzzChannel connect(String user) {
        FuzzChannel channel = rig.connect();
        requests.user(user);
        channel.send(requests.frame(Objects.requireNonNull(WireSchema.INSTANCE.request(WireSchema.HELLO))));
        assertFalse(channel.takeReplies().getFirst().isFailure());
        return channel;
    }

    /** A read of a whole chunk that is there. */
    private byte[] read() {
        return requests.chunk(
                Objects.requireNonNull(WireSchema.INSTANCE.request(READ_BLOCK)),
                rig.known().getLast());
    }

    private void work(int count) {
        for (int i = 0; i < count; i++) {
            disk.remove().run();
        }
    }

    /** One user's connections, each another client, send until none of them is read. */
    private void flood() {
        requests.user("eve");
        byte[] read = read();
        for (int i = 0; i < CONNECTIONS; i++) {
            FuzzChannel channel = connect("eve");
            flood.add(channel);
            while (channel.config().isAutoRead()) {
                channel.send(read);
                sent++;
            }
        }
    }

    @Test
    void manyConnectionsOfAFloodNeitherTakeAllRoomNorHoldUpAnother() {
        flood();
        long room = FuzzRig.DISK_MAX - (long) disk.size() * FuzzRig.CHUNK_SIZE;
        assertTrue(room > 0, room + " bytes free");
        FuzzChannel bystander = connect("bob");
        bystander.send(requests.frame(Objects.requireNonNull(WireSchema.INSTANCE.request(STATUS))));
        assertEquals(1, bystander.takeReplies().size());
        requests.user("bob");
        bystander.send(read());
        assertTrue(bystander.config().isAutoRead());
        work(SOON);
        bystander.runPendingTasks();
        assertEquals(1, bystander.takeReplies().size());
        bystander.leave();
    }

    @Test
    void everyConnectionOfAFloodIsReadOnWhenThereIsRoomAgain() {
        flood();
        byte[] read = read();
        while (!disk.isEmpty()) {
            work(1);
        }
        for (FuzzChannel channel : flood) {
            channel.runPendingTasks();
        }
        work(disk.size()); // what had been read and waited
        int replies = 0;
        for (FuzzChannel channel : flood) {
            channel.runPendingTasks();
            assertTrue(channel.config().isAutoRead());
            replies += channel.takeReplies().size();
        }
        assertEquals(sent, replies);
        FuzzChannel first = flood.getFirst();
        first.send(read);
        work(1);
        first.runPendingTasks();
        assertEquals(1, first.takeReplies().size());
    }

    /** All that it sends stands in one buffer: it is held up in the middle. */
    @Test
    void whatAHeldUpConnectionHasSentIsServedInItsTime() {
        flood();
        FuzzChannel late = connect("eve");
        requests.user("eve");
        byte[] read = read();
        byte[] all = new byte[2_000 / read.length * read.length];
        for (int at = 0; at < all.length; at += read.length) {
            System.arraycopy(read, 0, all, at, read.length);
        }
        late.send(Arrays.copyOf(all, all.length - 3));
        late.send(Arrays.copyOfRange(all, all.length - 3, all.length));
        for (int turn = 0; turn < all.length; turn++) {
            work(disk.size());
            late.runPendingTasks();
        }
        assertEquals(all.length / read.length, late.takeReplies().size());
        late.leave();
    }
}
