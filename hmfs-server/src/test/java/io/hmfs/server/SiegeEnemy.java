package io.hmfs.server;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Repeats one attack under one user's name until the time is over. What a pass has opened is closed from outside when its time is over. */
final class SiegeEnemy implements Runnable {
    private static final long PASS_MILLIS = 4_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final int port;
    private final SiegeAttack attack;
    private final SplittableRandom random;
    private final long endNanos;
    private final Map<ResultCode, Integer> refusals = new EnumMap<>(ResultCode.class);
    private final List<AutoCloseable> opened = new ArrayList<>(); // guarded by itself
    private @Nullable HmfsClient client;
    private volatile boolean passOver;
    private volatile @Nullable String wrong;
    private int passes;
    private int cutOff;
    private long lastNumber;

    private SiegeEnemy(int port, SiegeAttack attack, long seed, long endNanos) {
        this.port = port;
        this.attack = attack;
        this.random = new SplittableRandom(seed);
        this.endNanos = endNanos;
        lastNumber = 1_000L * attack.name().hashCode() + (seed << 32);
    }

    /** Arguments: port, seed, milliseconds, and names of attacks, or all. A line for each attack; exit code 1: one got what it must not. */
    public static void main(String[] args) throws InterruptedException {
        int port = Integer.parseInt(args[0]);
        long seed = Long.parseLong(args[1]);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[2]));
        EnumSet<SiegeAttack> attacks = EnumSet.noneOf(SiegeAttack.class);
        for (int i = 3; i < args.length; i++) {
            attacks.add(SiegeAttack.valueOf(args[i]));
        }
        List<SiegeEnemy> enemies = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (SiegeAttack attack : attacks.isEmpty() ? EnumSet.allOf(SiegeAttack.class) : attacks) {
            SiegeEnemy enemy = new SiegeEnemy(port, attack, seed + enemies.size(), end);
            enemies.add(enemy);
            Thread thread = new Thread(enemy, attack.name());
            thread.setDaemon(true); // one that a server does not read may hang in a write until it is closed
            threads.add(thread);
            thread.start();
        }
        while (System.nanoTime() < end) {
            Thread.sleep(PASS_MILLIS); // the length of a pass
            enemies.forEach(SiegeEnemy::endPass);
        }
        for (int i = 0; i < threads.size(); i++) {
            enemies.get(i).endPass();
            threads.get(i).join(PASS_MILLIS);
        }
        boolean isWrong = false;
        for (SiegeEnemy each : enemies) {
            System.out.println(each);
            isWrong |= each.wrong != null;
        }
        System.exit(isWrong ? 1 : 0);
    }

    String user() {
        return attack.compareTo(SiegeAttack.CHAIN) < 0 ? Siege.EVE : Siege.MALLORY;
    }

    /** A directory for this attack, where its user may make what it likes, within a quota. */
    String home() {
        return Siege.home(attack);
    }

    SplittableRandom random() {
        return random;
    }

    /** A number that no enemy has used. */
    long number() {
        return ++lastNumber;
    }

    boolean isOver() {
        return passOver || System.nanoTime() >= endNanos;
    }

    /** Holds what it has until the pass is over. */
    void pause() throws InterruptedException {
        synchronized (opened) {
            while (!isOver()) {
                opened.wait(PASS_MILLIS);
            }
        }
    }

    /** A connection that has said nothing yet. */
    RawPeer peer() throws IOException {
        return opened(new RawPeer(port, 64 << 10));
    }

    /** One that the server knows as a client of this user. */
    RawPeer known(long clientId) throws IOException {
        RawPeer peer = peer();
        RawPeer.Failure failure = peer.greet(user(), clientId, 0, 0).failure();
        if (failure != null) {
            throw new HmfsException(failure.code(), failure.message());
        }
        return peer;
    }

    HmfsClient client() throws IOException {
        HmfsClient known = client;
        if (known == null) {
            ClientOptions options = new ClientOptions(user(), PATIENCE, PATIENCE, 256);
            known = opened(HmfsClient.connect("127.0.0.1", port, options));
            client = known;
        }
        return known;
    }

    private <T extends AutoCloseable> T opened(T made) throws IOException {
        synchronized (opened) {
            if (passOver) {
                close(made);
                throw new IOException("the pass is over");
            }
            opened.add(made);
        }
        return made;
    }

    void refused(ResultCode code) {
        refusals.merge(code, 1, Integer::sum);
    }

    /** What comes from a server that refuses is a result; anything else ends the pass. */
    void refused(@Nullable Throwable problem) throws IOException {
        if (problem instanceof HmfsException refusal && refusal.code() != ResultCode.TIMEOUT) {
            refused(refusal.code());
        } else {
            throw new IOException(problem);
        }
    }

    private void endPass() {
        List<AutoCloseable> all;
        synchronized (opened) {
            passOver = true;
            opened.notifyAll();
            all = new ArrayList<>(opened);
            opened.clear();
        }
        all.forEach(SiegeEnemy::close);
    }

    private static void close(AutoCloseable each) {
        try {
            each.close();
        } catch (Exception e) {
            // it is closed as far as it can be
        }
    }

    @Override
    public void run() {
        while (System.nanoTime() < endNanos && wrong == null) {
            try {
                passOver = false;
                attack.pass(this);
            } catch (AssertionError e) {
                wrong = e.getMessage();
            } catch (HmfsException e) {
                refused(e.code());
            } catch (Exception e) {
                cutOff++;
            }
            endPass();
            client = null;
            passes++;
        }
    }

    @Override
    public String toString() {
        String text = "%-12s %5d passes, %d cut off, refused %s".formatted(attack, passes, cutOff, refusals);
        return wrong == null ? text : text + " WRONG: " + wrong;
    }
}
