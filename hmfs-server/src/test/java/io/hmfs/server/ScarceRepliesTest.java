package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: peers that ask for much and take nothing use no more of the server's memory than it has for that, however many they are, and others are served.
 * Method: real sockets; each peer asks for more pages of a listing than the system takes off the server.
 */
@ParameterizedClass
@EnumSource(
        value = SocketKind.class,
        names = {"EPOLL", "IO_URING", "NIO"})
class ScarceRepliesTest {
    private static final int PEERS = 24;
    private static final int PAGES = 40;
    private static final int FILES = 1_000;
    private static final int LISTINGS = 10;
    private static final int RECEIVE_BUFFER = 64 << 10;
    private static final long BYTES_MAX = 4 << 20;

    /** A short page, or what is not counted yet, and half a batch of what is. */
    private static final long OF_ONE_PEER = 64 << 10;

    private static final Logger LOG = Logger.getLogger("io.hmfs.server.share.UserShares");
    private static final Pattern WAITING = Pattern.compile("\nhmfs_replies_waiting_bytes (\\S+)\n");

    @Parameter
    private SocketKind sockets = SocketKind.AUTO;

    @TempDir
    private Path directory;

    private final Semaphore scarce = new Semaphore(0);
    private final Handler log = new Handler() {
        @Override
        public void publish(LogRecord record) {
            if (record.getMessage().startsWith("half of a share is used")) {
                scarce.release();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOG.addHandler(log);
    }

    @AfterEach
    void listenNoMore() {
        LOG.removeHandler(log);
    }

    @Test
    void peersThatTakeNothingTakeNoMoreMemoryThanThereIsForThem() throws Exception {
        try (ServerFixture server =
                        ServerFixture.on(sockets, directory, b -> b.set(ServerSetting.REPLY_BYTES_MAX, BYTES_MAX));
                HmfsClient client = server.client()) {
            client.mkdir("/d", 0755, false);
            for (int i = 0; i < FILES; i++) {
                client.create("/d/" + "n".repeat(200) + i, new CreateOptions(0644, false, false, 0755));
            }
            List<RawPeer> peers = new ArrayList<>();
            for (int i = 0; i < PEERS; i++) {
                RawPeer peer = new RawPeer(server.port(), RECEIVE_BUFFER);
                peers.add(peer);
                peer.greet();
                peer.send(requests());
            }
            long most = 0;
            assertTrue(scarce.tryAcquire(5, TimeUnit.MINUTES), "memory is scarce at last, and the server says so");
            for (int i = 0; i < LISTINGS; i++) {
                assertEquals(FILES, listed(client));
                most = Math.max(most, waiting(client));
            }
            assertTrue(most <= BYTES_MAX / 2 + PEERS * OF_ONE_PEER, most + " bytes");
            for (RawPeer peer : peers) {
                for (int i = 0; i < PAGES; i++) {
                    WireBuffer page = peer.read();
                    assertEquals(
                            PageDecoder.TEMPLATE_ID,
                            new MessageHeaderDecoder().wrap(page, 0).templateId());
                }
                peer.close();
            }
        }
    }

    private static int listed(HmfsClient client) throws IOException {
        int entries = 0;
        for (ListingCursor cursor = ListingCursor.START; cursor != null; ) {
            ListPage page = client.list("/d", cursor, 0);
            entries += page.size();
            cursor = page.next();
        }
        return entries;
    }

    private static long waiting(HmfsClient client) throws IOException {
        Matcher gauge = WAITING.matcher(client.metrics());
        assertTrue(gauge.find());
        return (long) Double.parseDouble(gauge.group(1));
    }

    private static byte[] requests() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < PAGES; i++) {
            all.writeBytes(RawPeer.list(100 + i, "/d"));
        }
        return all.toByteArray();
    }
}
