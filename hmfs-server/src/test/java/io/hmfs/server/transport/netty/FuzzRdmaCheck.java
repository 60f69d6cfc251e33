package io.hmfs.server.transport.netty;

import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.server.transport.netty.FuzzReference.Exchange;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import io.hmfs.server.transport.netty.FuzzSession.Part;
import io.hmfs.server.transport.rdma.RdmaServerTransport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Runs sessions over RDMA, on verbs in memory, beside a client that does as docs/wire.md says. The thread of the server goes on in
 * steps, so that a session does the same each time. Says what is wrong after each: what {@link FuzzReference} finds; a connection
 * that goes on where it must end, or ends where it must not; a message that the server may not send; memory that is not given back;
 * an answer of the other client that is not the one it would have without RDMA; and a byte of that client's window that has changed
 * before it has asked for anything.
 */
final class FuzzRdmaCheck implements FuzzTarget, FuzzRdmaRun.Network {
    private static final int STAT = 10;
    private static final int LIST = 11;
    private static final int READ_BLOCK = 40;
    private static final int STATS = 60;

    private final FuzzRig server;
    private final FuzzReference reference;
    private final LogWatch log;
    private final MemoryVerbs serverVerbs = new MemoryVerbs();
    private final RdmaServerTransport transport;
    private final FuzzProbe probe = new FuzzProbe(serverVerbs, this);
    private final FuzzPeer.Memory peersMemory = new FuzzPeer.Memory();
    private final MemoryVerbs bystandersVerbs = new MemoryVerbs();
    private final FuzzPeer bystander;
    private final FuzzChannel direct; // of the same user without RDMA
    private @Nullable MemoryVerbs peersVerbs; // of the session that runs
    private boolean ended; // the connection of the last session, before its peer left
    private long frames;
    private long malformed;

    FuzzRdmaCheck(Path directory, LogWatch log) throws IOException {
        server = new FuzzRig(directory.resolve("server"));
        reference = new FuzzReference(directory.resolve("reference"));
        this.log = log;
        reset();
        serverVerbs.stepped(true);
        transport = server.rdma(serverVerbs);
        transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        direct = server.connect();
        bystander = new FuzzPeer(bystandersVerbs, new FuzzPeer.Memory(), transport.address(), FuzzMessage.greeting());
        pump();
        bystander.announce(FuzzWindows.RIGHT, bystander);
        pump();
        String wrong = ask(frame(WireSchema.HELLO));
        if (wrong == null) {
            probe.missing(1); // which registers what is registered once
            wrong = probe.missing(1);
        }
        if (wrong != null) {
            throw new IllegalStateException("the server is not there: " + wrong);
        }
    }

    // ---- the network

    @Override
    public void step() {
        serverVerbs.step();
    }

    @Override
    public void pump() {
        boolean any;
        do {
            step();
            MemoryVerbs peers = peersVerbs;
            any = bystandersVerbs.poll();
            any |= peers != null && peers.poll();
        } while (any);
    }

    // ---- the other client

    private byte[] frame(int template) {
        return new FuzzRequests(new Random(1), server).frame(message(template));
    }

    private static WireSchema.Message message(int template) {
        return Objects.requireNonNull(WireSchema.INSTANCE.request(template));
    }

    /** Requests that are long together and have long answers. */
    private byte[] questions() {
        FuzzRequests requests = new FuzzRequests(new Random(1), server);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < STATS; i++) {
            all.writeBytes(requests.frame(message(STAT)));
        }
        all.writeBytes(requests.frame(message(LIST)));
        all.writeBytes(requests.chunk(message(READ_BLOCK), server.known().getLast()));
        return all.toByteArray();
    }

    /** Asks as the other client. Null, or what is wrong with the answers. */
    private @Nullable String ask(byte[] requests) {
        bystander.sendLong(requests);
        pump();
        byte[] answers = bystander.takeBytes();
        direct.send(requests);
        byte[] expected = direct.takeBytes();
        if (bystander.hasEnded() || bystander.wrong() != null) {
            return "another client's connection has ended, or: " + bystander.wrong();
        }
        int other = Arrays.mismatch(answers, expected);
        return other < 0
                ? null
                : "another client has other answers from byte " + other + " on: " + FuzzReplies.in(answers)
                        + " instead of " + FuzzReplies.in(expected);
    }

    // ---- sessions

    FuzzRig rig() {
        return server;
    }

    /** Whether the server has ended the connection of the last session. */
    boolean hasEnded() {
        return ended;
    }

    @Override
    public void reset() throws IOException {
        server.reset();
        reference.reset();
        log.take();
    }

    @Override
    public FuzzSession session(long seed, long number) {
        return FuzzRdmaGenerator.session(seed, number, server);
    }

    @Override
    public long takeFrames() {
        long taken = frames;
        frames = 0;
        return taken;
    }

    @Override
    public long takeMalformed() {
        long taken = malformed;
        malformed = 0;
        return taken;
    }

    @Override
    public @Nullable String run(FuzzSession session) throws IOException {
        byte[] window = bystander.writtenWindow();
        MemoryVerbs verbs = new MemoryVerbs();
        peersVerbs = verbs;
        byte[] greeting = greeting(session.parts());
        try {
            FuzzPeer peer = new FuzzPeer(verbs, peersMemory, transport.address(), greeting);
            FuzzRdmaRun run = new FuzzRdmaRun(peer, bystander, verbs, this);
            pump();
            boolean isForeign =
                    !Arrays.equals(Arrays.copyOf(greeting, FuzzMessage.greeting().length), FuzzMessage.greeting());
            if (isForeign != peer.hasEnded()) {
                return isForeign ? "a foreign request for a connection was accepted" : "a connection was refused";
            }
            run.run(session.parts());
            ended = peer.hasEnded();
            String wrong = isForeign ? null : outcome(run, peer);
            peer.leave();
            pump();
            return wrong != null ? wrong : common(window);
        } catch (RuntimeException | AssertionError e) {
            return "an exception: " + e + " at " + Arrays.toString(e.getStackTrace()) + ", logged: " + log.take();
        } finally {
            verbs.close();
            peersVerbs = null;
        }
    }

    private static byte[] greeting(List<Part> parts) {
        boolean isOwn = !parts.isEmpty() && parts.getFirst().act() == FuzzAct.GREETING;
        return isOwn ? parts.getFirst().sent() : FuzzMessage.greeting();
    }

    private @Nullable String outcome(FuzzRdmaRun run, FuzzPeer peer) throws IOException {
        if (peer.wrong() != null || run.stuck() != null) {
            return peer.wrong() + " " + run.stuck();
        }
        StreamModel model = new StreamModel(run.stream(), FuzzRig.CLUSTER, FuzzRig.FRAME_MAX);
        frames += model.frames.size();
        malformed += model.malformed() + (run.breach() == null ? 0 : 1);
        List<Reply> replies = peer.takeReplies();
        boolean mustEnd = run.breach() != null || model.ends;
        if (mustEnd && !peer.hasEnded() && !run.hasLeft()) {
            return "the connection goes on after " + (run.breach() == null ? "its stream has ended" : run.breach());
        }
        if (peer.hasEnded() && !mustEnd && !run.isCut()) {
            return "the connection has ended: " + replies;
        }
        return run.isCut()
                ? reference.compareCut(model, replies, server, Math.max(model.framesIn(run.settled()), replies.size()))
                : reference.compare(
                        List.of(new Exchange(model, replies)), Collections.nCopies(model.frames.size(), 0), server);
    }

    private @Nullable String common(byte[] window) {
        if (server.failure() != null || reference.failure() != null) {
            return "the server has failed: " + server.failure() + " / " + reference.failure();
        }
        if (serverVerbs.exposed() > 0) {
            return "peers can reach memory of the server";
        }
        if (!Arrays.equals(window, bystander.writtenWindow())) {
            return "another client's window has changed";
        }
        String wrong = ask(questions());
        String missing = wrong != null ? wrong : probe.missing(1);
        List<String> logged = log.take();
        return missing != null || logged.isEmpty() ? missing : "logged: " + logged;
    }

    @Override
    public void close() throws IOException {
        direct.leave();
        serverVerbs.stepped(false);
        transport.close();
        bystandersVerbs.close();
        server.close();
        reference.close();
    }
}
