package io.hmfs.server.exec;

import static io.hmfs.server.exec.BareService.FRAME_MAX;
import static io.hmfs.server.exec.BareService.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: requests that arrive together are executed together where that pays, and nobody can tell but by the clock.
 * Method: random requests on few names, handed to one worker frame by frame and to another, on a pool of its own, in turns of
 * random length; the replies must be the same, in the same order. Of several connections each has a tree and a user of its own, and
 * their requests come in random order.
 */
class TurnTest {
    private static final int REQUESTS = 6_000;
    private static final int TURN_MAX = 300; // more than one batch holds
    private static final int STRETCH = 250; // of nothing but creates, now and then
    private static final int CONNECTIONS = 7;
    private static final String[] DIRECTORIES = {"", "/d", "/e", "/d/sub", "/f0", "/new"};

    @TempDir
    private Path directory;

    private int joined;
    private int batches;
    private int joinedStats;
    private int statBatches;

    /** A connection that keeps all replies. */
    private static final class KeptSession extends BareSession {
        KeptSession() {
            super(Unpooled.buffer(1 << 20));
        }

        @Override
        public ByteBuf room(int bytes) {
            return replies.ensureWritable(bytes);
        }
    }

    private Namespace open(String name) throws IOException {
        Path pool = directory.resolve(name);
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        Namespace real = Hmfs.open(pool, OpenOptions.process());
        return (Namespace) Proxy.newProxyInstance(
                TurnTest.class.getClassLoader(), new Class<?>[] {Namespace.class}, (proxy, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof CreateBatch batch) {
                        joined += batch.size();
                        batches++;
                    }
                    if (arguments != null && arguments[0] instanceof StatBatch batch) {
                        joinedStats += batch.size();
                        statBatches++;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Worker worker(Namespace namespace, BareSession session) throws IOException {
        Meters meters = new Meters();
        Observation observation =
                new Observation(meters, new ServerMetrics(meters, namespace, "test"), null, Long.MAX_VALUE);
        return BareService.greeted(namespace, directory.resolve("key"), "u", List.of(), observation, session);
    }

    private static String path(Random random, String tree) {
        int odd = random.nextInt(30);
        if (odd == 0) {
            return tree.isEmpty() ? "/" : tree;
        }
        String name = odd == 1 ? "n".repeat(300) : "f" + random.nextInt(60);
        return tree + DIRECTORIES[random.nextInt(DIRECTORIES.length)] + "/" + name;
    }

    private static byte[] create(long id, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(id)
                .baseId(Wire.ROOT_ID)
                .mode(0644);
        create.flags().clear();
        byte[] bytes = new byte[create.path(path).limit()];
        frame.getBytes(0, bytes);
        return bytes;
    }

    private static byte[] stat(long id, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = new StatEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(id)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
        byte[] bytes = new byte[length];
        frame.getBytes(0, bytes);
        return bytes;
    }

    /** A random request; most are plain creates. The bytes of the frame, without its length word. */
    private static byte[] request(Random random, long id, String tree) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        WireBuffer window = window(frame);
        MessageHeaderEncoder header = new MessageHeaderEncoder();
        String path = path(random, tree);
        int kind = random.nextInt(20);
        int length = switch (kind) {
            case 0, 1, 2, 7, 8, 9 ->
                new StatEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(Wire.ROOT_ID)
                        .path(path)
                        .limit();
            case 3, 4 ->
                new DeleteEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(Wire.ROOT_ID)
                        .path(path)
                        .limit();
            case 5 ->
                new MkdirEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(Wire.ROOT_ID)
                        .mode(0755)
                        .path(tree + DIRECTORIES[random.nextInt(DIRECTORIES.length)])
                        .limit();
            case 6 ->
                new RenameEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .sourceBaseId(Wire.ROOT_ID)
                        .targetBaseId(Wire.ROOT_ID)
                        .source(path)
                        .target(path(random, tree))
                        .limit();
            default -> {
                CreateEncoder create = new CreateEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(random.nextInt(10) == 0 ? 77 : Wire.ROOT_ID)
                        .mode(0644)
                        .parentMode(0755);
                create.flags().clear().overwrite(random.nextInt(20) == 0).createParents(random.nextInt(4) == 0);
                yield create.path(path).limit();
            }
        };
        if (random.nextInt(50) == 0) {
            length -= 1 + random.nextInt(4); // its path reaches behind it
        }
        byte[] bytes = new byte[length];
        frame.getBytes(0, bytes);
        return bytes;
    }

    private static void run(List<byte[]> requests, Worker worker, Session session, Random turns) {
        for (int begin = 0; begin < requests.size(); ) {
            int end = Math.min(requests.size(), begin + 1 + turns.nextInt(TURN_MAX));
            for (byte[] request : requests.subList(begin, end)) {
                ByteBuf frame = Unpooled.copiedBuffer(request);
                worker.execute(session, frame, 0, request.length);
                frame.setZero(0, request.length); // the next read may stand there
            }
            worker.endTurn();
            begin = end;
        }
    }

    /** What each reply says, times and ids aside. */
    private static List<String> told(ByteBuf replies) {
        List<String> told = new ArrayList<>();
        for (int at = 0; at < replies.writerIndex(); at += Wire.LENGTH_SIZE + replies.getIntLE(at)) {
            WireBuffer reply = new WireBuffer().wrap(replies, at + Wire.LENGTH_SIZE, replies.getIntLE(at));
            MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(reply, 0);
            long id = replies.getLongLE(at + Wire.LENGTH_SIZE + Wire.HEADER_SIZE);
            String what = "";
            if (header.templateId() == FailureDecoder.TEMPLATE_ID) {
                what = " code "
                        + new FailureDecoder()
                                .wrapAndApplyHeader(reply, 0, header)
                                .code();
            } else if (header.templateId() == EntryDecoder.TEMPLATE_ID) {
                what = " of "
                        + new EntryDecoder()
                                .wrapAndApplyHeader(reply, 0, header)
                                .owner();
            }
            told.add(id + ": " + header.templateId() + what);
        }
        return told;
    }

    @Test
    void theBaseItselfIsThere() throws IOException {
        KeptSession session = new KeptSession();
        try (Namespace namespace = open("one")) {
            run(List.of(create(5, "/"), stat(6, "/"), stat(7, "")), worker(namespace, session), session, new Random(1));
        }
        assertEquals(List.of("0: 2", "5: 101 code 2", "6: 102 of root", "7: 102 of root"), told(session.replies));
    }

    @Test
    void aTurnAnswersWhatItsRequestsWouldOneByOne() throws IOException {
        Random random = new Random(Long.getLong("hmfs.seed", 7));
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            String plain = "/g" + random.nextInt(2 * REQUESTS);
            requests.add(
                    switch (i / STRETCH % 5) {
                        case 0 -> create(i + 1, plain);
                        case 1 -> stat(i + 1, plain);
                        default -> request(random, i + 1, "");
                    });
        }
        KeptSession alone = new KeptSession();
        KeptSession together = new KeptSession();
        try (Namespace one = open("one");
                Namespace many = open("many")) {
            Worker single = worker(one, alone);
            for (byte[] request : requests) {
                run(List.of(request), single, alone, random);
            }
            joined = 0;
            batches = 0;
            joinedStats = 0;
            statBatches = 0;
            run(requests, worker(many, together), together, random);
        }
        List<String> expected = told(alone.replies);
        assertEquals(REQUESTS + 1, expected.size());
        List<String> actual = told(together.replies);
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), actual.get(i), "reply " + i);
        }
        assertEquals(expected.size(), actual.size());
        assertTrue(joined > 2 * batches, joined + " creates in " + batches + " batches");
        assertTrue(joinedStats > 2 * statBatches, joinedStats + " stats in " + statBatches + " batches");
        assertTrue(
                expected.stream().filter(reply -> reply.contains(": 102")).count() > REQUESTS / 20, "hardly a success");
    }

    /** One connection's requests, and how far they have been handed in. */
    private static final class Peer {
        final KeptSession session = new KeptSession();
        final List<byte[]> requests = new ArrayList<>();
        int next;

        void handIn(Worker worker) {
            byte[] request = requests.get(next++);
            ByteBuf frame = Unpooled.copiedBuffer(request);
            worker.execute(session, frame, 0, request.length);
            frame.setZero(0, request.length);
        }
    }

    /** Connections of a user each, with a directory in which each may do what he likes. */
    private List<Peer> peers(Namespace namespace, Worker worker, long seed) {
        List<Peer> peers = new ArrayList<>();
        Random random = new Random(seed);
        for (int i = 0; i < CONNECTIONS; i++) {
            Peer peer = new Peer();
            String user = "user" + i;
            int uid = namespace.principalId(user);
            assertEquals(
                    Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("t" + i), 0700, uid, uid, new Attributes()));
            BareService.greet(worker, user, peer.session);
            peers.add(peer);
            String tree = "/t" + i;
            for (int j = 0; j < REQUESTS / CONNECTIONS; j++) {
                int kind = j / 20 % 3; // stretches of one kind, so that they fill batches too
                peer.requests.add(
                        kind == 0
                                ? create(j + 1, tree + "/g" + random.nextInt(400))
                                : kind == 1
                                        ? stat(j + 1, tree + "/g" + random.nextInt(400))
                                        : request(random, j + 1, tree));
            }
        }
        return peers;
    }

    @Test
    void eachOfManyConnectionsHasTheAnswersThatItWouldHaveAlone() throws IOException {
        long seed = Long.getLong("hmfs.seed", 7);
        Random random = new Random(seed);
        List<Peer> alone;
        List<Peer> together;
        try (Namespace one = open("one");
                Namespace many = open("many")) {
            Worker single = worker(one, new KeptSession());
            alone = peers(one, single, seed);
            for (Peer peer : alone) {
                while (peer.next < peer.requests.size()) {
                    peer.handIn(single);
                    single.endTurn();
                }
            }
            Worker worker = worker(many, new KeptSession());
            together = peers(many, worker, seed);
            joined = 0;
            batches = 0;
            List<Peer> left = new ArrayList<>(together);
            while (!left.isEmpty()) {
                for (int n = random.nextInt(TURN_MAX); n > 0 && !left.isEmpty(); n--) {
                    Peer peer = left.get(random.nextInt(left.size()));
                    peer.handIn(worker);
                    left.removeIf(each -> each.next == each.requests.size());
                }
                worker.endTurn();
            }
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            assertEquals(told(alone.get(i).session.replies), told(together.get(i).session.replies), "connection " + i);
        }
        assertTrue(joined > 2 * batches, joined + " creates in " + batches + " batches");
    }

    @Test
    void oneRequestOfEachOfManyConnectionsIsOneBatch() throws IOException {
        try (Namespace namespace = open("one")) {
            KeptSession first = new KeptSession();
            Worker worker = worker(namespace, first);
            List<Peer> peers = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                Peer peer = new Peer();
                BareService.greet(worker, "u", peer.session);
                peer.session.replies.clear();
                peer.requests.add(create(i, "/f" + i));
                peer.requests.add(stat(i, "/f" + i));
                peers.add(peer);
            }
            worker.execute(first, Unpooled.copiedBuffer(create(1, "/first")), 0, create(1, "/first").length);
            worker.endTurn(); // the user has a number now
            batches = 0;
            joined = 0;
            peers.forEach(peer -> peer.handIn(worker));
            assertEquals(0, batches);
            assertEquals(List.of(), told(peers.get(5).session.replies), "before the batch is durable");
            worker.endTurn();
            peers.forEach(peer -> peer.handIn(worker));
            worker.endTurn();
            assertEquals("64 in 1, 64 in 1", joined + " in " + batches + ", " + joinedStats + " in " + statBatches);
            assertEquals(List.of("5: 102 of u", "5: 102 of u"), told(peers.get(5).session.replies));
        }
    }
}
