package io.hmfs.client;

import io.hmfs.client.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that each call ends: sends it, sends it again on another connection when one was lost, and gives it up at
 * its deadline. On the loop only, but for opening and closing. While no call waits for a reply, no connection is made.
 *
 * <p>A change is never executed twice. It keeps its sequence, by which the server knows it; where the server cannot
 * know any more, the call ends as {@link ResultCode#OUTCOME_UNKNOWN}. Calls go out in the order in which they were
 * submitted, and again in that order.
 */
final class Dispatcher implements Connection.Owner, ClientLoop.Work {
    /** Calls that wait while there is no connection; more are refused. */
    static final int WAITING_MAX = 65_536;

    private static final UUID ANY_CLUSTER = new UUID(0, 0);

    private final String host;
    private final int port;
    private final String address;
    private final ClientOptions options;
    private final Transport transport;
    private final ClientLoop loop;
    private final CallKind<byte[], ExportedDirectory> export;
    private final RemoteStats remoteStats;
    private final ReplyFrame reply = new ReplyFrame();
    private final SecureRandom seeds = new SecureRandom();
    private final long clientId = seeds.nextLong();

    private final CompletableFuture<ServerInfo> welcome = new CompletableFuture<>();
    private volatile @Nullable IOException closed;

    private final ArrayDeque<Call<?, ?>> waiting = new ArrayDeque<>();
    private final InFlight inFlight;
    private final Sequences sequences = new Sequences();
    private final Backoff backoff;
    private UUID cluster = ANY_CLUSTER;
    private long incarnation;
    private @Nullable Connection connection;
    private boolean ready;
    private boolean connecting; // or waiting to
    private @Nullable IOException lastReason;

    Dispatcher(
            String host,
            int port,
            ClientOptions options,
            Transport transport,
            ClientLoop loop,
            NamespaceCalls namespace) {
        this.host = host;
        this.port = port;
        this.options = options;
        this.transport = transport;
        this.loop = loop;
        export = namespace.export;
        remoteStats = new RemoteStats(namespace.stat);
        address = host + ":" + port;
        inFlight = new InFlight(options.inFlightMax());
        backoff = new Backoff(
                options.retryFirst().toNanos(),
                options.retryLongest().toNanos(),
                new SplittableRandom(seeds.nextLong()));
    }

    /**
     * Makes the first connection. Completes when the handshake is through, or fails with the reason why not: it is not
     * tried again.
     */
    CompletableFuture<ServerInfo> open() {
        long tick = Math.min(Math.max(options.requestTimeout().toNanos() / 4, 1_000_000), 1_000_000_000);
        loop.start(this);
        loop.repeat(this::expire, tick);
        loop.execute(this::connect);
        return welcome;
    }

    @Override
    public int openCalls() {
        return inFlight.size() + waiting.size();
    }

    @Override
    public void flush() {
        Connection live = connection;
        if (live != null && ready) {
            live.flush();
        }
    }

    /** Sends a call as soon as there is a connection with room for it; its future tells the outcome. */
    @Override
    public void begin(Call<?, ?> call) {
        IOException reason = closed;
        if (reason != null) {
            lose(call, reason);
        } else if (ready && waiting.isEmpty() && hasRoom(call)) {
            write(call);
        } else if (!ready && waiting.size() >= WAITING_MAX) {
            lose(
                    call,
                    new IOException("no connection to " + address + ", and " + WAITING_MAX
                            + " calls wait for one already" + because()));
        } else {
            waiting.add(call);
            reconnect();
        }
    }

    private boolean hasRoom(Call<?, ?> call) {
        return !inFlight.isFull() && (call.sequence != 0 || !call.isNumbered() || sequences.hasRoom());
    }

    private void startWaiting() {
        while (ready && !waiting.isEmpty() && hasRoom(waiting.element())) {
            write(waiting.remove());
        }
    }

    private void write(Call<?, ?> call) {
        Connection live = connection;
        if (live == null) {
            throw new IllegalStateException("not connected");
        }
        if (call.isNumbered() && call.sequence == 0) {
            call.sequence = sequences.take();
        }
        inFlight.add(call);
        boolean reads = transport.isRdma() && remoteStats.isReading(call, live);
        if (!reads) {
            send(call, live);
        }
        String toAsk = remoteStats.takeToAsk();
        if (toAsk != null) {
            askExported(toAsk);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the call that is taken out again is this one
    private void send(Call<?, ?> call, Connection live) {
        if (live.write(call)) {
            call.sends++;
        } else {
            inFlight.remove(call.correlationId);
            forget(call);
            call.fail(ResultCode.TOO_LARGE, "");
        }
    }

    /** The call ends now: the server need not remember it. */
    private void forget(Call<?, ?> call) {
        if (call.sequence != 0) {
            sequences.close(call.sequence);
            call.sequence = 0;
        }
    }

    private void connect() {
        if (closed != null) {
            return;
        }
        connecting = true;
        var introduction = new Connection.Introduction(cluster, clientId, sequences.oldest(), sequences.next());
        Connection fresh = new Connection(this, transport, loop, address, options, introduction, reply);
        connection = fresh;
        fresh.connect(host, port);
    }

    /** Makes a connection if there is none: at once, or some time after an attempt that failed. */
    private void reconnect() {
        if (!ready && !connecting) {
            connecting = true;
            connect();
        }
    }

    /** What was sent to a server that has ended is sent again if that one, or this one, knows of it. */
    @Override
    public void welcomed(Connection.Greeting greeting) {
        if (greeting.offersRdma() && transport.offersRdma()) {
            Connection old = connection;
            connect(); // nothing was sent by the old one, whose end is of no interest any more
            if (old != null) {
                old.end(new IOException("RDMA reaches " + address + ", too"));
            }
            return;
        }
        cluster = greeting.server().clusterId();
        if (incarnation != greeting.incarnation() && !greeting.outcomesSurvive()) {
            loseWhatWasSent();
        }
        incarnation = greeting.incarnation();
        sequences.window(greeting.outcomesKept());
        ready = true;
        connecting = false;
        welcome.complete(greeting.server());
        startWaiting();
    }

    private void loseWhatWasSent() {
        List<Call<?, ?>> sent =
                waiting.stream().filter(call -> call.sequence != 0).toList();
        waiting.removeIf(call -> call.sequence != 0);
        for (Call<?, ?> call : sent) {
            forget(call);
            call.fail(
                    ResultCode.OUTCOME_UNKNOWN,
                    "whether it was executed is unknown: the server at " + address
                            + " was started again before it had answered; look, and repeat it if need be");
        }
    }

    @Override
    public void replied(long correlationId, ReplyFrame told) throws IOException {
        backoff.succeeded();
        Call<?, ?> call = inFlight.remove(correlationId);
        if (call != null) {
            forget(call);
            complete(call, told);
            startWaiting();
        }
    }

    @Override
    public void read(long correlationId, ByteBuffer bytes, int at) throws IOException {
        Call<?, ?> call = inFlight.find(correlationId);
        Connection live = connection;
        if (call == null || live == null) {
            return;
        }
        ReplyFrame told = remoteStats.reply(call, bytes, at);
        if (told != null) {
            replied(correlationId, told);
        } else {
            send(call, live);
        }
    }

    /** Asks where the stats of a directory can be read. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows is all that becomes of it
    private void askExported(String path) {
        Call<byte[], ExportedDirectory> call = new Call<>(export, path, path.getBytes(StandardCharsets.UTF_8));
        call.deadlineNanos = System.nanoTime() + options.requestTimeout().toNanos();
        call.whenComplete((exported, failure) -> remoteStats.told(path, exported));
        begin(call);
    }

    /** Stats that were answered by reads of the server's memory. Any thread. */
    long statsRead() {
        return remoteStats.answered();
    }

    private static <T> void complete(Call<?, T> call, ReplyFrame told) throws IOException {
        if (told.isFailure()) {
            ResultCode code = told.failureCode();
            call.fail(code, told.failureMessage());
            return;
        }
        T value;
        try {
            value = call.decode(told);
        } catch (IOException | RuntimeException bad) {
            lose(call, bad);
            throw bad;
        }
        call.complete(value);
    }

    /** What the connection has not answered waits for the next one. */
    @Override
    public void ended(Connection old, IOException reason, boolean wasReady) {
        if (old != connection) {
            return;
        }
        connection = null;
        ready = false;
        connecting = false;
        remoteStats.forget();
        lastReason = reason;
        takeBack(old.isDismissed());
        if (!welcome.isDone() || closed != null || isFinal(reason, wasReady)) {
            welcome.completeExceptionally(reason);
            loseAll(reason);
            return;
        }
        long pauseNanos = backoff.failed();
        if (wasReady && backoff.attempts() == 1) {
            pauseNanos = 0; // it worked till now, so the next attempt is the first
        }
        if (!waiting.isEmpty()) {
            connecting = true;
            loop.schedule(this::connectIfWaiting, pauseNanos);
        }
    }

    private void connectIfWaiting() {
        connecting = false;
        if (!waiting.isEmpty()) {
            reconnect();
        }
    }

    /** Whether the server refuses this client, now and later. */
    private static boolean isFinal(IOException reason, boolean wasReady) {
        return !wasReady
                && reason instanceof HmfsException refused
                && switch (refused.code()) {
                    case WRONG_CLUSTER, UNSUPPORTED_VERSION, ACCESS_DENIED, BAD_REQUEST -> true;
                    default -> false;
                };
    }

    /** The calls on the wire go back to the head of those that wait, in their order. */
    private void takeBack(boolean dismissed) {
        List<Call<?, ?>> lost = new ArrayList<>();
        for (Call<?, ?> call = inFlight.removeAny(); call != null; call = inFlight.removeAny()) {
            // It has been nowhere else, and here it was not executed: it is new again.
            if (dismissed && call.sends == 1) {
                forget(call);
                call.sends = 0;
            }
            lost.add(call);
        }
        lost.sort(Comparator.comparingLong(call -> -call.correlationId));
        lost.forEach(waiting::addFirst);
    }

    private void expire() {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && now - waiting.element().deadlineNanos > 0) {
            Call<?, ?> call = waiting.remove();
            timeout(call, connection == null || !ready ? because() : "");
        }
        Connection live = connection;
        if (live == null || !ready) {
            return;
        }
        long timeoutNanos = options.requestTimeout().toNanos();
        boolean silent = false;
        for (Call<?, ?> call = inFlight.removeExpired(now); call != null; call = inFlight.removeExpired(now)) {
            silent |= !live.hasReadSince(call.deadlineNanos - timeoutNanos); // nothing came since the call was made
            timeout(call, "");
        }
        if (silent) { // a dead peer shows no other way until TCP gives up
            live.end(new IOException(address + " has gone silent"));
        } else {
            startWaiting();
            flush();
        }
    }

    private void timeout(Call<?, ?> call, String because) {
        String unknown = call.sequence == 0 ? "" : "; whether it was executed is unknown";
        forget(call);
        call.fail(
                ResultCode.TIMEOUT,
                "no answer from " + address + " within " + options.requestTimeout() + because + unknown);
    }

    /** How often a connection was tried for, and what came of it. */
    private String because() {
        IOException reason = lastReason;
        return reason == null
                ? ""
                : " (" + backoff.attempts() + (backoff.attempts() == 1 ? " attempt" : " attempts")
                        + " failed; the last: " + reason.getMessage() + ")";
    }

    /** Ends everything: every call that has no reply yet fails, and so do those that come later. Any thread. */
    void close(IOException reason) {
        closed = reason;
        loop.execute(() -> {
            Connection live = connection;
            if (live != null) {
                live.end(reason);
            }
            loseAll(reason);
        });
    }

    private void loseAll(IOException reason) {
        List<Call<?, ?>> lost = List.copyOf(waiting); // a call that ends may submit another one
        waiting.clear();
        for (Call<?, ?> call : lost) {
            boolean sent = call.sequence != 0;
            forget(call);
            lose(
                    call,
                    sent
                            ? new HmfsException(
                                    ResultCode.OUTCOME_UNKNOWN,
                                    "whether it was executed is unknown: " + reason.getMessage())
                            : reason);
        }
    }

    private static void lose(Call<?, ?> call, Exception reason) {
        String text = call.describe() + ": " + reason.getMessage();
        call.completeExceptionally(
                reason instanceof HmfsException known
                        ? new HmfsException(known.code(), text)
                        : new IOException(text, reason));
    }
}
