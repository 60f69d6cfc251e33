package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListingCursor;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.Wire;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what FuzzTest shows without a network holds on a real socket, where requests at the disk run beside the others.
 * Method: the same sessions, to a real server; its clients are served on, and the malformed frames of each session, sent once more
 * alone, change nothing in a listing of the tree.
 */
@Timeout(300)
class FuzzSocketTest {
    private static final int SESSIONS = 300;
    private static final int TRUNCATE = 29;
    private static final int LISTED_MAX = 60;
    private static final int PARTS_MAX = 100; // replies are read when all is sent: more would fill both directions

    @TempDir
    private Path directory;

    private HmfsServer start() throws IOException {
        Path pool = directory.resolve("real.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        return HmfsServer.start(ServerConfig.builder(pool)
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.FRAME_MAX, (long) FuzzRig.FRAME_MAX)
                .set(ServerSetting.CHUNK_SIZE, 4L << 10)
                .set(ServerSetting.EVENT_LOOPS, 2)
                .set(ServerSetting.SUPERUSER, FuzzRig.SUPERUSER)
                .set(ServerSetting.GROUP_SOURCE, AccessConfig.Source.STATIC)
                .set(ServerSetting.STATIC_GROUPS, "bob=staff;eve=")
                .build());
    }

    /** All that is not deeper than most paths; some are a thousand deep. */
    private static List<String> tree(HmfsClient client) throws IOException {
        List<String> lines = new ArrayList<>();
        ArrayDeque<String> directories = new ArrayDeque<>(List.of(""));
        for (String path = directories.poll(); path != null; path = directories.poll()) {
            String directory = path.isEmpty() ? "/" : path;
            for (FileInfo each : client.list(directory, ListingCursor.START, 0).entries()) {
                String child = path + "/" + each.name();
                lines.add(child + " " + each);
                if (each.directory() && child.length() < LISTED_MAX) {
                    directories.add(child);
                }
            }
        }
        return lines;
    }

    /** Sends all that, and reads the replies that the wire promises. Returns their templates. */
    private static List<Integer> exchange(int port, byte[] stream, StreamModel model) throws IOException {
        List<Integer> templates = new ArrayList<>();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(stream);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            if (!model.ends) {
                for (int i = 0; i < model.frames.size(); i++) {
                    templates.add(WireSchema.templateOf(frame(in, in.readInt())));
                }
                return templates;
            }
            for (int first = in.read(); first != -1; first = in.read()) {
                int rest = in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16 | in.readUnsignedByte() << 24;
                templates.add(WireSchema.templateOf(frame(in, Integer.reverseBytes(first | rest))));
            }
        }
        return templates;
    }

    private static byte[] frame(DataInputStream in, int reversedLength) throws IOException {
        byte[] frame = new byte[Integer.reverseBytes(reversedLength)];
        in.readFully(frame);
        return frame;
    }

    /** The Hello of a session and its malformed frames. */
    private static byte[] malformedOf(StreamModel model) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (StreamModel.Frame frame : model.frames) {
            if (frame.kind() != StreamModel.Kind.REQUEST) {
                int length = frame.bytes().length;
                all.writeBytes(new byte[] {(byte) length, (byte) (length >>> 8), (byte) (length >>> 16), 0});
                all.writeBytes(frame.bytes());
            }
        }
        return all.toByteArray();
    }

    @Test
    void realSessionsDoWhatTheWireSaysToo() throws IOException {
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        LogWatch log = new LogWatch();
        int malformed = 0;
        try (FuzzRig rig = new FuzzRig(directory.resolve("rig"));
                HmfsServer server = start();
                HmfsClient client = HmfsClient.connect(
                        "127.0.0.1",
                        server.address().getPort(),
                        ClientOptions.defaults().withUser(FuzzRig.SUPERUSER))) {
            client.mkdir("/all", 0755, true);
            client.chmod("/all", 0777);
            client.mkdir("/tmp", 0755, true);
            client.chmod("/tmp", 01777);
            client.create("/f", new CreateOptions(0644, false, false, 0755));
            for (int number = 0; number < SESSIONS; number++) {
                rig.reset();
                FuzzSession session = FuzzGenerator.session(2, number, rig);
                if (session.parts().size() > PARTS_MAX) {
                    continue;
                }
                byte[] stream = session.stream();
                StreamModel model = new StreamModel(stream, cluster(client), FuzzRig.FRAME_MAX);
                List<Integer> templates = exchange(server.address().getPort(), stream, model);
                String what = "session " + number + ": " + templates;
                assertTrue(!model.ends || templates.getLast() == FailureDecoder.TEMPLATE_ID, what);
                if (model.ends && model.frames.stream().anyMatch(frame -> frame.template() == TRUNCATE)) {
                    continue; // it may still be at the disk, and no reply tells when it is done
                }
                byte[] again = malformedOf(model);
                StreamModel alone = new StreamModel(again, cluster(client), FuzzRig.FRAME_MAX);
                List<String> tree = tree(client);
                List<Integer> refused = exchange(server.address().getPort(), again, alone);
                for (int i = 1; i < refused.size(); i++) {
                    assertEquals(FailureDecoder.TEMPLATE_ID, refused.get(i), what);
                    malformed++;
                }
                assertEquals(tree, tree(client), what);
            }
        } finally {
            System.gc(); // Netty tells of what was not released when something else is allocated
            ByteBufAllocator.DEFAULT.buffer(Wire.HEADER_SIZE).release();
            ResourceLeakDetector.setLevel(before);
            log.close();
        }
        assertEquals(List.of(), log.take());
        assertTrue(malformed > SESSIONS / 2, malformed + " malformed");
    }

    private static UUID cluster(HmfsClient client) {
        return client.server().clusterId();
    }
}
