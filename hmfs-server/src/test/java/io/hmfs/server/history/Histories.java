package io.hmfs.server.history;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ResultCode;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.FrameProxy;
import io.hmfs.server.FrameProxy.Fate;
import io.hmfs.server.FrameProxy.Weather;
import io.hmfs.server.ServerMachine;
import io.hmfs.server.history.HistoryTree.Spot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Many clients of one server in trouble. They work in epochs: each makes a few calls, and when all have their answers everything is
 * looked at. Trouble comes after a number of answers that the seed decides, amid whatever is under way then. Each epoch must be explained
 * by some order of its calls ({@link Epoch}), from what the last look saw to what the next one sees.
 */
final class Histories implements AutoCloseable {
    static final String USER = ServerMachine.USER;
    static final int CLIENTS = 64;
    private static final Duration LONG = Duration.ofSeconds(250);
    /** Where a cut can swallow the word that a server has ended, nothing but the end of its time tells a client. */
    private static final Duration CUT_SHORT = Duration.ofSeconds(20);

    private static final Duration FIRST_RETRY = Duration.ofMillis(1);
    private static final Duration LAST_RETRY = Duration.ofMillis(20);
    private static final int[] GROUP_SIZES = {1, 2, 4, 8};
    private static final int HOT = 4; // groups that all are after, in every other epoch
    private static final long CUT_NANOS_MAX = 300_000_000;
    private static final int CALM = 8; // of so many requests one has a fate

    /** What is between the clients and the server. */
    enum Network {
        DIRECT,
        /** It loses, doubles, delays and repeats frames, and cuts connections. */
        DISTURBED,
        /** A pair of devices, one of which goes down and up again. */
        CUT
    }

    /** What happens in an epoch. */
    enum Trouble {
        NONE,
        /** SIGKILL while calls are under way, and another start. */
        KILL,
        /** The same twice. */
        KILLS,
        /** SIGKILL when all calls are answered. */
        KILL_AFTERWARDS,
        /** SIGKILL while calls are under way, and the pool's memory is gone. */
        LOSS,
        LOSS_AFTERWARDS,
        /** SIGTERM while calls are under way, a clean stop, and another start. */
        STOP,
        /** The network is cut for a while. */
        CUT,
        /** And meanwhile the server is killed and started. */
        CUT_KILL
    }

    /** What to do. The troubles take turns. */
    record Plan(Persistence mode, Network network, int epochs, int callsEach, List<Trouble> troubles) {}

    private final Plan plan;
    private final long seed;
    private final Random random;
    private final @Nullable CutNetwork cutNetwork;
    private final ServerMachine machine;
    private final List<HmfsClient> clients = new ArrayList<>();
    private final List<FrameProxy> proxies = new ArrayList<>();
    private final List<HistoryCaller> callers = new ArrayList<>();
    private final HmfsClient observer;
    private final World world;
    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final AtomicLong clock = new AtomicLong();
    private final List<Long> ends = new ArrayList<>();
    private final long[] lastAsked = new long[CLIENTS];
    private int answered;
    private final Deque<Integer> strikes = new ArrayDeque<>();
    private Trouble trouble = Trouble.NONE;
    private @Nullable Throwable broken;
    private final HistoryFigures figures = new HistoryFigures();

    private Histories(Plan plan, long seed, ServerMachine machine, @Nullable CutNetwork cutNetwork) throws IOException {
        this.plan = plan;
        this.seed = seed;
        this.machine = machine;
        this.cutNetwork = cutNetwork;
        random = new Random(seed);
        machine.start();
        observer = connect(machine.host(), machine.port(), LONG); // what it asks is never cut off
        world = new World(observer);
        AtomicInteger numbers = new AtomicInteger();
        for (int i = 0; i < CLIENTS; i++) {
            HmfsClient client;
            if (plan.network == Network.DISTURBED) {
                FrameProxy proxy = new FrameProxy(machine.host(), machine.port(), weather(random.nextLong()));
                proxies.add(proxy);
                client = connect("127.0.0.1", proxy.port(), LONG);
            } else {
                client = connect(machine.host(), machine.port(), cutNetwork == null ? LONG : CUT_SHORT);
            }
            clients.add(client);
            callers.add(new HistoryCaller(i, client, world, clock, numbers, new Random(random.nextLong())));
        }
    }

    /** Does it, in a directory on a disk. An epoch that nothing explains, or that is not decided, is an AssertionError. */
    static HistoryFigures run(Plan plan, long seed, Path disk) throws IOException, InterruptedException {
        try (CutNetwork network = plan.network == Network.CUT ? new CutNetwork() : null;
                ServerMachine machine = network == null
                        ? new ServerMachine(disk, plan.mode, List.of(), ServerMachine.ownAddress())
                        : new ServerMachine(disk, plan.mode, network.inside(), network.serverAddress());
                Histories histories = new Histories(plan, seed, machine, network)) {
            return histories.run();
        }
    }

    private static HmfsClient connect(String host, int port, Duration time) throws IOException {
        return HmfsClient.connect(host, port, new ClientOptions(USER, LONG, time, 64, FIRST_RETRY, LAST_RETRY));
    }

    private static Weather weather(long seed) {
        Random random = new Random(seed);
        Fate[] fates = Fate.values();
        return (_, _) -> random.nextInt(CALM) == 0 ? fates[random.nextInt(fates.length)] : Fate.PASS;
    }

    private HistoryFigures run() throws IOException, InterruptedException {
        HistoryTree before = world.lookAtAll(observer);
        for (int epoch = 0; epoch < plan.epochs; epoch++) {
            trouble = plan.troubles.get(epoch % plan.troubles.size());
            try {
                before = epoch(before);
                figures.epochs++;
            } catch (AssertionError | IOException e) {
                throw new AssertionError(
                        "seed " + seed + ", " + plan + ", epoch " + epoch + ", " + trouble + ": " + e.getMessage(), e);
            }
        }
        figures.connections = proxies.stream().mapToInt(FrameProxy::connections).sum();
        return figures;
    }

    private HistoryTree epoch(HistoryTree before) throws IOException, InterruptedException {
        List<List<Spot>> groups = world.groups(GROUP_SIZES[random.nextInt(GROUP_SIZES.length)], random);
        List<HistoryCall> made = round(random.nextBoolean() ? groups : groups.subList(0, HOT));
        switch (trouble) {
            case KILL_AFTERWARDS -> kill(false);
            case LOSS_AFTERWARDS -> kill(true);
            default -> {
                if (made.stream().anyMatch(call -> call.answer == ResultCode.TIMEOUT)) {
                    kill(false); // it may be under way still
                    figures.kills--; // none of the plan's
                }
            }
        }
        made.stream().filter(call -> call.answer == ResultCode.TIMEOUT).forEach(call -> call.lost = ends.getLast());
        HistoryTree after = world.lookAtAll(observer);
        Epoch epoch = new Epoch(made, before, after);
        String problem = epoch.problem();
        if (problem != null) {
            throw new AssertionError(problem);
        }
        figures.parts += epoch.parts();
        figures.reached = Math.max(figures.reached, epoch.reached());
        figures.calls += made.size();
        for (HistoryCall call : made) {
            figures.refused += call.answer == ResultCode.OK || call.isOpen() ? 0 : 1;
            figures.unknown += call.answer == ResultCode.OUTCOME_UNKNOWN ? 1 : 0;
            figures.timeouts += call.answer == ResultCode.TIMEOUT ? 1 : 0;
        }
        return after;
    }

    private List<HistoryCall> round(List<List<Spot>> groups) throws IOException, InterruptedException {
        prepareStrikes();
        List<Callable<List<HistoryCall>>> work = new ArrayList<>();
        callers.forEach(caller -> work.add(() -> caller.call(groups, plan.callsEach, this::answered)));
        List<HistoryCall> made = new ArrayList<>();
        List<Future<List<HistoryCall>>> done = threads.invokeAll(work);
        for (int i = 0; i < done.size(); i++) {
            try {
                List<HistoryCall> each = done.get(i).get();
                sayWhenLost(i, each);
                made.addAll(each);
            } catch (ExecutionException e) {
                Throwable cause = broken();
                throw new AssertionError("a call has no outcome", cause == null ? e.getCause() : cause);
            }
        }
        return made;
    }

    private synchronized void prepareStrikes() {
        int many = switch (trouble) {
            case NONE, KILL_AFTERWARDS, LOSS_AFTERWARDS -> 0;
            case KILL, LOSS, STOP, CUT, CUT_KILL -> 1;
            case KILLS -> 2;
        };
        int answers = CLIENTS * plan.callsEach;
        answered = 0;
        strikes.clear();
        int[] moments = IntStream.range(0, many)
                .map(_ -> 1 + random.nextInt(answers - CLIENTS))
                .toArray();
        Arrays.stream(moments).sorted().forEach(strikes::add);
    }

    private synchronized @Nullable Throwable broken() {
        return broken;
    }

    /** The thread that has had the answer at which trouble is due makes it. */
    private synchronized void answered() {
        answered++;
        Integer next = strikes.peek();
        if (next == null || answered < next) {
            return;
        }
        strikes.remove();
        try {
            switch (trouble) {
                case STOP -> stop();
                case CUT -> cut(false);
                case CUT_KILL -> cut(true);
                default -> kill(trouble == Trouble.LOSS);
            }
        } catch (IOException | RuntimeException e) {
            broken = e;
            clients.forEach(HmfsClient::close); // no server would answer them
        }
    }

    private synchronized void kill(boolean loseMemory) throws IOException {
        machine.kill();
        ends.add(clock.incrementAndGet());
        figures.kills++;
        if (loseMemory) {
            machine.loseMemory();
            figures.losses++;
        }
        machine.start();
    }

    private synchronized void stop() throws IOException {
        machine.stop();
        ends.add(clock.incrementAndGet());
        figures.stops++;
        machine.start();
    }

    private synchronized void cut(boolean killed) throws IOException {
        CutNetwork network = cutNetwork;
        if (network == null) {
            throw new IllegalStateException("there is no network to cut");
        }
        figures.cuts++;
        network.down();
        try {
            if (killed) {
                kill(false);
            } else {
                LockSupport.parkNanos(random.nextLong(CUT_NANOS_MAX)); // what is sent now is lost
            }
        } finally {
            network.up();
        }
    }

    /** An unknown outcome means that a server has ended, after the client had last begun something that was answered. */
    private synchronized void sayWhenLost(int client, List<HistoryCall> made) {
        for (HistoryCall call : made) {
            if (call.answer == ResultCode.OUTCOME_UNKNOWN) {
                call.lost = ends.stream()
                        .filter(end -> end > lastAsked[client] && end < call.ended)
                        .reduce((_, last) -> last)
                        .orElse(HistoryCall.NEVER);
            } else if (!call.isOpen()) {
                lastAsked[client] = call.begun;
            }
        }
    }

    @Override
    public void close() throws IOException {
        clients.forEach(HmfsClient::close);
        observer.close();
        threads.shutdownNow();
        for (FrameProxy proxy : proxies) {
            proxy.close();
        }
    }
}
