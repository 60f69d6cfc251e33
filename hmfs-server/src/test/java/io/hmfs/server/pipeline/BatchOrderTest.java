package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.request.Session;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: requests that arrive together are executed together where that pays, and a client can tell only by the clock.
 * Method: random requests on few names, handed to one worker frame by frame and to another, on a pool of its own, in turns of
 * random length; the replies must be the same, in the same order. Of several connections each has a tree and a user of its own, and
 * their requests come in random order.
 */
class BatchOrderTest {
    private static final int REQUESTS = 6_000;
    private static final int TURN_MAX = 300; // more than one batch holds
    private static final int STRETCH = 250; // of nothing but creates, now and then
    private static final int CONNECTIONS = 7;

    @TempDir
    private Path directory;

    private final Map<Class<?>, int[]> batched = new HashMap<>(); // requests and batches, by the kind of batch

    /** A connection that keeps all replies. */
    private static final class KeptSession extends BareSession {}

    private ServerNamespace open(String name) throws IOException {
        Path pool = directory.resolve(name);
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerNamespace real = Hmfs.openForServer(pool, OpenOptions.process());
        return (ServerNamespace) Proxy.newProxyInstance(
                BatchOrderTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof NameBatch batch) {
                        int[] counts = batched(batch.getClass());
                        counts[0] += batch.size();
                        counts[1]++;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private int[] batched(Class<?> kind) {
        return batched.computeIfAbsent(kind, _ -> new int[2]);
    }

    private void assertBatched(Class<?> kind) {
        int[] counts = batched(kind);
        assertTrue(counts[0] > 2 * counts[1], counts[0] + " of " + kind + " in " + counts[1] + " batches");
    }

    private Pipeline worker(ServerNamespace namespace, BareSession session) throws IOException {
        Meters meters = new Meters();
        Observation observation =
                new Observation(meters, new ServerMetrics(meters, namespace, "test"), null, Long.MAX_VALUE);
        return BareService.greeted(namespace, directory.resolve("key"), "u", List.of(), observation, session);
    }

    private static void run(List<byte[]> requests, Pipeline worker, Session session, Random turns) {
        for (int begin = 0; begin < requests.size(); ) {
            int end = Math.min(requests.size(), begin + 1 + turns.nextInt(TURN_MAX));
            for (byte[] request : requests.subList(begin, end)) {
                ByteBuf frame = Unpooled.copiedBuffer(request);
                worker.frame(session, frame, 0, request.length);
                frame.setZero(0, request.length); // the next read may stand there
            }
            worker.endBatch();
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
        try (ServerNamespace namespace = open("one")) {
            run(
                    List.of(BatchFrames.create(5, "/"), BatchFrames.stat(6, "/"), BatchFrames.stat(7, "")),
                    worker(namespace, session),
                    session,
                    new Random(1));
        }
        assertEquals(List.of("0: 2", "5: 101 code 2", "6: 102 of root", "7: 102 of root"), told(session.replies));
    }

    @Test
    void aTurnAnswersWhatItsRequestsWouldOneByOne() throws IOException {
        Random random = new Random(Long.getLong("hmfs.seed", 7));
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(BatchFrames.some(i / STRETCH, random, i + 1, ""));
        }
        KeptSession alone = new KeptSession();
        KeptSession together = new KeptSession();
        try (ServerNamespace one = open("one");
                ServerNamespace many = open("many")) {
            Pipeline single = worker(one, alone);
            for (byte[] request : requests) {
                run(List.of(request), single, alone, random);
            }
            batched.clear();
            run(requests, worker(many, together), together, random);
        }
        List<String> expected = told(alone.replies);
        assertEquals(REQUESTS + 1, expected.size());
        List<String> actual = told(together.replies);
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), actual.get(i), "reply " + i);
        }
        assertEquals(expected.size(), actual.size());
        assertBatched(CreateBatch.class);
        assertBatched(StatBatch.class);
        assertBatched(DeleteBatch.class);
        assertTrue(
                expected.stream().filter(reply -> reply.contains(": 102")).count() > REQUESTS / 20, "hardly a success");
    }

    /** One connection's requests, and how far they have been handed in. */
    private static final class Peer {
        final KeptSession session = new KeptSession();
        final List<byte[]> requests = new ArrayList<>();
        int next;

        void handIn(Pipeline worker) {
            byte[] request = requests.get(next++);
            ByteBuf frame = Unpooled.copiedBuffer(request);
            worker.frame(session, frame, 0, request.length);
            frame.setZero(0, request.length);
        }
    }

    /** Connections of a user each, with a directory in which each user may do anything. */
    private List<Peer> peers(ServerNamespace namespace, Pipeline worker, long seed) {
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
                peer.requests.add(BatchFrames.some(j / 20, random, j + 1, tree));
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
        try (ServerNamespace one = open("one");
                ServerNamespace many = open("many")) {
            Pipeline single = worker(one, new KeptSession());
            alone = peers(one, single, seed);
            for (Peer peer : alone) {
                while (peer.next < peer.requests.size()) {
                    peer.handIn(single);
                    single.endBatch();
                }
            }
            Pipeline worker = worker(many, new KeptSession());
            together = peers(many, worker, seed);
            batched.clear();
            List<Peer> left = new ArrayList<>(together);
            while (!left.isEmpty()) {
                for (int n = random.nextInt(TURN_MAX); n > 0 && !left.isEmpty(); n--) {
                    Peer peer = left.get(random.nextInt(left.size()));
                    peer.handIn(worker);
                    left.removeIf(each -> each.next == each.requests.size());
                }
                worker.endBatch();
            }
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            assertEquals(told(alone.get(i).session.replies), told(together.get(i).session.replies), "connection " + i);
        }
        assertBatched(CreateBatch.class);
    }

    /** As many connections of this user. */
    private static List<Peer> peers(Pipeline worker, String user, int count) {
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Peer peer = new Peer();
            BareService.greet(worker, user, peer.session);
            peer.session.replies.clear();
            peers.add(peer);
        }
        return peers;
    }

    @Test
    void oneRequestOfEachOfManyConnectionsIsOneBatch() throws IOException {
        int count = 64;
        try (ServerNamespace namespace = open("one")) {
            KeptSession first = new KeptSession();
            Pipeline worker = worker(namespace, first);
            run(List.of(BatchFrames.create(1, "/first")), worker, first, new Random(1)); // the user has a number now
            List<Peer> peers = peers(worker, "u", count);
            long[] inodes = new long[count];
            Attributes out = new Attributes();
            batched.clear();
            for (int i = 0; i < count; i++) {
                peers.get(i).requests.add(BatchFrames.create(i, "/f" + i));
                peers.get(i).handIn(worker);
            }
            assertEquals(0, batched.size());
            assertEquals(List.of(), told(peers.get(5).session.replies), "before the batch is durable");
            worker.endBatch();
            for (int i = 0; i < count; i++) {
                assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, Name.of("f" + i), out));
                inodes[i] = out.id;
            }
            for (int i = 0; i < count; i++) {
                Peer peer = peers.get(i);
                peer.requests.add(BatchFrames.append(i, "f" + i, inodes[i], 10 + i));
                peer.requests.add(
                        BatchFrames.append(i, i == 6 ? "nothing" : "f" + i, inodes[i] + (i == 5 ? 1 : 0), 20 + i));
                peer.requests.add(BatchFrames.stat(i, "/f" + i));
                peer.requests.add(BatchFrames.delete(i, "/f" + i));
                peer.requests.add(BatchFrames.delete(i, "/f" + i));
            }
            for (int request = 0; request < 5; request++) {
                peers.forEach(peer -> peer.handIn(worker));
                worker.endBatch();
            }
            List<Class<?>> kinds = List.of(CreateBatch.class, AppendBatch.class, StatBatch.class, DeleteBatch.class);
            for (Class<?> kind : kinds) {
                assertEquals(kind == CreateBatch.class || kind == StatBatch.class ? 1 : 2, batched(kind)[1]);
                assertEquals(count * batched(kind)[1], batched(kind)[0]);
            }
            String entry = ": " + EntryDecoder.TEMPLATE_ID + " of u";
            String done = ": " + DoneDecoder.TEMPLATE_ID;
            String gone = ": " + FailureDecoder.TEMPLATE_ID + " code " + ResultCode.NOT_FOUND.code();
            String stale = ": " + FailureDecoder.TEMPLATE_ID + " code " + ResultCode.STALE.code();
            for (int i = 0; i < count; i++) {
                assertEquals(
                        List.of(
                                i + entry,
                                i + done,
                                i + (i == 5 || i == 6 ? stale : done),
                                i + entry,
                                i + done,
                                i + gone),
                        told(peers.get(i).session.replies));
            }
        }
    }

    /** A batch that is full is executed while another user's request is at hand. */
    @Test
    void whatAFullBatchLeavesOverIsItsOwnUsers() throws IOException {
        try (ServerNamespace namespace = open("one")) {
            Pipeline worker = worker(namespace, new KeptSession());
            List<Peer> peers = peers(namespace, worker, 1);
            for (int i = 0; i < 2; i++) { // their users have numbers afterwards
                peers.get(i).requests.clear();
                peers.get(i).requests.add(BatchFrames.create(i, "/t" + i + "/first"));
                peers.get(i).handIn(worker);
            }
            worker.endBatch();
            for (int j = 0; j < TURN_MAX; j++) {
                Peer peer = peers.get(j % 2);
                peer.requests.add(BatchFrames.create(j, "/t" + j % 2 + "/f" + j));
                peer.handIn(worker);
            }
            worker.endBatch();
            for (int j = 0; j < TURN_MAX; j++) {
                Attributes out = new Attributes();
                assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, Name.of("t" + j % 2), out));
                int owner = out.uid;
                assertEquals(Status.OK, namespace.stat(out.id, Name.of("f" + j), out));
                assertEquals(owner, out.uid, "file " + j);
            }
        }
    }

    @Test
    void aStickyBitIsAskedOfEachDelete() throws IOException {
        try (ServerNamespace namespace = open("one")) {
            Pipeline worker = worker(namespace, new KeptSession());
            Attributes out = new Attributes();
            assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("tmp"), 01777, 0, 0, out));
            long sticky = out.id;
            assertEquals(Status.OK, namespace.create(sticky, Name.of("another"), 0666, 0, 0, out));
            Peer peer = peers(worker, "user", 1).getFirst();
            run(List.of(BatchFrames.delete(1, "/tmp/another")), worker, peer.session, new Random(1));
            assertEquals(
                    List.of("1: " + FailureDecoder.TEMPLATE_ID + " code " + ResultCode.ACCESS_DENIED.code()),
                    told(peer.session.replies));
            assertEquals(Status.OK, namespace.stat(sticky, Name.of("another"), out));
        }
    }

    @Test
    void aGrantIsAskedOfEachAppend() throws IOException {
        try (ServerNamespace namespace = open("one")) {
            Pipeline worker = worker(namespace, new KeptSession());
            Attributes out = new Attributes();
            assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, Name.of("f"), 0644, 0, 0, out));
            Peer peer = peers(worker, "user", 1).getFirst();
            run(List.of(BatchFrames.append(1, "f", out.id, 5)), worker, peer.session, new Random(1));
            assertEquals(
                    List.of("1: " + FailureDecoder.TEMPLATE_ID + " code " + ResultCode.ACCESS_DENIED.code()),
                    told(peer.session.replies));
            assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, Name.of("f"), out));
            assertEquals(0, out.size);
        }
    }
}
