package io.hmfs.client;

import io.hmfs.client.authentication.ClientAuthenticator;
import io.hmfs.client.transport.Transport;
import io.hmfs.wire.ChallengeDecoder;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.ResponseEncoder;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection: the handshake, calls out, replies in. On the loop. A connection that ended stays ended;
 * its {@link Owner} is told of everything that happens here, and makes another.
 */
final class Connection implements Transport.Receiver {
    private static final int OUTCOMES_MAX = 1 << 20;
    private static final long HELLO_ID = 0;
    private static final int CLIENT_ID_AT = Wire.FRAME_MIN; // of a numbered request; its sequence follows
    private static final int SEQUENCE_AT = CLIENT_ID_AT + Long.BYTES;

    private final Owner owner;
    private final Transport transport;
    private final ClientLoop loop;
    private final String address;
    private final ClientOptions options;
    private final Introduction introduction;
    private final ReplyFrame reply;
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final WelcomeDecoder welcome = new WelcomeDecoder();
    private final ChallengeDecoder challenge = new ChallengeDecoder();

    private Transport.@Nullable Link link;
    private ClientAuthenticator.@Nullable Exchange exchange; // while the handshake lasts
    private ClientLoop.@Nullable Timer deadline; // of the step that the handshake is at
    private boolean makesToken; // a token was asked for and is not there yet
    private String host = "";
    private boolean connected;
    private boolean ready;
    private boolean ended;
    private boolean dismissed;
    private long serverFrameMax = Wire.METADATA_FRAME_MAX;

    /** What the client says of itself. */
    record Introduction(UUID expectedCluster, long clientId, long oldestSequence, long nextSequence) {}

    /**
     * What the server says of itself.
     *
     * @param incarnation another number after each start of the server
     * @param outcomesKept how many outcomes the server's retry cache keeps for this client
     * @param outcomesSurvive whether they survive a crash of the server
     * @param offersRdma whether RDMA reaches it, too, at the same address
     */
    record Greeting(
            ServerInfo server, long incarnation, int outcomesKept, boolean outcomesSurvive, boolean offersRdma) {}

    /** Is told what happens to a connection. */
    interface Owner {
        /** The handshake is through. */
        void welcomed(Greeting greeting);

        /** A reply to a request has come. */
        void replied(long correlationId, ReplyFrame reply) throws IOException;

        /** What was to be read for the call with this id has come, to be found there during the call. */
        void read(long correlationId, ByteBuffer bytes, int at) throws IOException;

        /** The connection was lost or never made. {@code wasReady}: after its handshake. */
        void ended(Connection connection, IOException reason, boolean wasReady);
    }

    Connection(
            Owner owner,
            Transport transport,
            ClientLoop loop,
            String address,
            ClientOptions options,
            Introduction introduction,
            ReplyFrame reply) {
        this.owner = owner;
        this.transport = transport;
        this.loop = loop;
        this.address = address;
        this.options = options;
        this.introduction = introduction;
        this.reply = reply;
    }

    /** Begins to make it. */
    void connect(String toHost, int port) {
        host = toHost;
        link = transport.connect(toHost, port, this);
        limit(this::checkConnected);
    }

    /** Begins a step of the handshake: the check runs if the step takes longer than an attempt to connect may. */
    private void limit(Runnable check) {
        forgetLimit();
        deadline = loop.schedule(check, options.connectTimeout().toNanos());
    }

    /** Cancels the check. Otherwise the loop would keep this connection in memory until the check is due, even if the attempt failed at once. */
    private void forgetLimit() {
        ClientLoop.Timer last = deadline;
        deadline = null;
        if (last != null) {
            loop.cancel(last);
        }
    }

    private Transport.Link link() {
        Transport.Link live = link;
        if (live == null) {
            throw new IllegalStateException("not connected");
        }
        return live;
    }

    /** Whether the server said that it has executed nothing of this connection that it did not answer. */
    boolean isDismissed() {
        return dismissed;
    }

    /** Whether something has come since then, on the clock of {@code System.nanoTime}. */
    boolean hasReadSince(long nanos) {
        return link().hasReadSince(nanos);
    }

    /** Writes a call, which goes out with {@link #flush} at the latest; false if it is longer than the server takes. */
    <A> boolean write(Call<A, ?> call) {
        CallKind<A, ?> kind = call.kind;
        int bound = kind.bound(call.arguments);
        if (bound > serverFrameMax + Wire.METADATA_FRAME_MAX) { // the bound is generous; the exact check comes below
            return false;
        }
        Transport.Link live = link();
        WireBuffer out = live.begin(bound);
        header.wrap(out, 0)
                .blockLength(kind.requestBlock)
                .templateId(kind.request)
                .schemaId(MessageHeaderEncoder.SCHEMA_ID)
                .version(MessageHeaderEncoder.SCHEMA_VERSION);
        out.putLong(Wire.HEADER_SIZE, call.correlationId, ByteOrder.LITTLE_ENDIAN);
        if (call.isNumbered()) {
            out.putLong(CLIENT_ID_AT, introduction.clientId, ByteOrder.LITTLE_ENDIAN);
            out.putLong(SEQUENCE_AT, call.sequence, ByteOrder.LITTLE_ENDIAN);
        }
        int length = kind.encoder.encode(call.arguments, out);
        if (length > serverFrameMax) {
            live.drop();
            return false;
        }
        live.end(length);
        return true;
    }

    /** Begins to read a record of the server's memory for the call with this id; false: it cannot now. Leaves with {@link #flush}. */
    boolean read(long address, int key, long correlationId) {
        return link().read(address, key, correlationId);
    }

    /** Sends what was written; later, if more is about to be. */
    void flush() {
        if (!ended) {
            link().flush();
        }
    }

    private void checkConnected() {
        if (!connected) {
            end(new IOException("cannot connect to " + address + ": no answer within " + options.connectTimeout()
                    + "; is the server running?"));
        }
    }

    @Override
    public void connected() {
        connected = true;
        limit(this::checkWelcome);
        ClientAuthenticator.Exchange begun = options.authentication().begin(host);
        exchange = begun;
        when(begun.first(), this::sendHello);
    }

    /** Goes on with a token when there is one; at once, or later on the loop. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows is all that becomes of it
    private void when(CompletableFuture<byte[]> token, Consumer<byte[]> next) {
        makesToken = true;
        if (token.isDone()) {
            take(token, next);
        } else {
            token.whenComplete((made, failure) -> loop.execute(() -> take(token, next)));
        }
    }

    private void take(CompletableFuture<byte[]> done, Consumer<byte[]> next) {
        makesToken = false;
        if (ended) {
            return;
        }
        byte[] token;
        try {
            token = done.join();
        } catch (CompletionException | CancellationException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            end(new IOException(
                    "cannot prove to " + address + " who this is, by "
                            + options.authentication().label() + ": " + cause.getMessage(),
                    cause)); // no final refusal: the service that issues tickets may be reachable at the next attempt
            return;
        }
        if (token.length > Wire.TOKEN_MAX) {
            end(new HmfsException(
                    ResultCode.BAD_REQUEST,
                    "a token of " + options.authentication().label() + " has " + token.length + " bytes; at most "
                            + Wire.TOKEN_MAX + " can be sent"));
            return;
        }
        next.accept(token);
        link().flush();
    }

    private void sendHello(byte[] token) {
        byte[] user = options.user().getBytes(StandardCharsets.UTF_8);
        byte[] realUser = options.realUser().getBytes(StandardCharsets.UTF_8);
        Transport.Link live = link();
        HelloEncoder hello = new HelloEncoder()
                .wrapAndApplyHeader(live.begin(128 + user.length + token.length + realUser.length), 0, header)
                .correlationId(HELLO_ID)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        hello.clusterId()
                .high(introduction.expectedCluster.getMostSignificantBits())
                .low(introduction.expectedCluster.getLeastSignificantBits());
        live.end(hello.clientId(introduction.clientId)
                .authMethod((short) options.authentication().method())
                .oldestSequence(introduction.oldestSequence)
                .nextSequence(introduction.nextSequence)
                .putUser(user, 0, user.length)
                .putToken(token, 0, token.length)
                .putRealUser(realUser, 0, realUser.length)
                .limit());
    }

    private void sendResponse(byte[] token) {
        Transport.Link live = link();
        live.end(new ResponseEncoder()
                .wrapAndApplyHeader(live.begin(32 + token.length), 0, header)
                .correlationId(HELLO_ID)
                .putToken(token, 0, token.length)
                .limit());
    }

    private void receiveChallenge(ClientAuthenticator.Exchange asked) throws IOException {
        if (makesToken) {
            throw new IOException("a challenge came before the last one was answered");
        }
        challenge.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        byte[] token = new byte[challenge.tokenLength()];
        challenge.getToken(token, 0, token.length);
        when(asked.answer(token), this::sendResponse);
    }

    private void checkWelcome() {
        if (!ready) {
            end(new HmfsException(
                    ResultCode.TIMEOUT,
                    makesToken
                            ? "authentication by " + options.authentication().label() + " for " + address
                                    + " took longer than " + options.connectTimeout()
                            : address + " took the connection but did not answer the handshake"));
        }
    }

    @Override
    public void received(WireBuffer frame) throws IOException {
        long id = reply.open(frame);
        if (!ready) {
            receiveWelcome();
        } else if (id != HELLO_ID) {
            owner.replied(id, reply);
        } else if (reply.isFailure()) { // not about a request: the server gives the connection up
            refused();
        }
    }

    @Override
    public void read(long number, ByteBuffer bytes, int at) throws IOException {
        owner.read(number, bytes, at);
    }

    private void refused() {
        ResultCode code = reply.failureCode();
        dismissed = ready && code == ResultCode.SHUTTING_DOWN;
        end(new HmfsException(code, address + ": " + reply.failureMessage()));
    }

    private void receiveWelcome() throws IOException {
        if (reply.isFailure()) {
            refused();
            return;
        }
        ClientAuthenticator.Exchange asked = exchange;
        if (asked != null && reply.isMessage(ChallengeDecoder.TEMPLATE_ID)) {
            receiveChallenge(asked);
            return;
        }
        reply.expect(WelcomeDecoder.TEMPLATE_ID);
        if (asked == null || !asked.isComplete()) {
            end(new HmfsException(
                    ResultCode.ACCESS_DENIED,
                    address + " did not prove by " + options.authentication().label() + " that it is the server"));
            return;
        }
        endExchange();
        welcome.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        if (welcome.protocolVersion() != Wire.PROTOCOL_VERSION) {
            end(new HmfsException(
                    ResultCode.UNSUPPORTED_VERSION,
                    address + " speaks protocol version " + welcome.protocolVersion() + ", this client "
                            + Wire.PROTOCOL_VERSION));
            return;
        }
        long outcomes = welcome.outcomesKept();
        if (outcomes < 1 || outcomes > OUTCOMES_MAX) {
            end(new HmfsException(
                    ResultCode.BAD_REQUEST,
                    address + " keeps " + outcomes + " outcomes for a client; this client works with 1 to "
                            + OUTCOMES_MAX));
            return;
        }
        serverFrameMax = welcome.frameMax();
        ready = true;
        forgetLimit();
        long incarnation = welcome.incarnation();
        boolean survive = welcome.outcomesSurvive() == 1;
        boolean rdma = welcome.rdma() == 1;
        owner.welcomed(new Greeting(serverInfo(), incarnation, (int) outcomes, survive, rdma));
    }

    private ServerInfo serverInfo() {
        UUID cluster = new UUID(welcome.clusterId().high(), welcome.clusterId().low());
        return new ServerInfo(
                (int) welcome.protocolVersion(),
                cluster,
                welcome.mapVersion(),
                welcome.serverVersion(),
                welcome.persistence(),
                welcome.dataStore(),
                welcome.blockSize(),
                (int) welcome.chunkSize());
    }

    @Override
    public void ended(IOException reason) {
        end(reason);
    }

    private void endExchange() {
        ClientAuthenticator.Exchange last = exchange;
        exchange = null;
        if (last != null) {
            last.close();
        }
    }

    /** Ends the connection; the first reason counts. */
    void end(IOException reason) {
        if (ended) {
            return;
        }
        ended = true;
        forgetLimit();
        endExchange();
        link().close();
        owner.ended(this, reason, ready);
    }
}
