package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.rdma.Verbs.Events;
import io.hmfs.client.transport.rdma.Verbs.Memory;
import io.hmfs.client.transport.rdma.Verbs.QueuePair;
import io.hmfs.client.transport.rdma.Verbs.Remote;
import io.hmfs.client.transport.rdma.disni.VerbsLoader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Goal: verbs do what {@link Verbs} says, over a real device.
 * Method: a program for a machine that has one, such as the guest of {@code bin/dev guest}; a server's and a client's verbs
 * in one process, and a peer in another process that is killed. The first argument is the device's address; others are the
 * names of parts.
 */
public final class VerbsGuest {
    private static final int SIZE = 256; // of a slot; larger than what goes inline
    private static final int WINDOW = 16;
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final String host;
    private Verbs server;
    private Verbs client;
    private final List<Side> accepted = new ArrayList<>();
    private Verbs.@Nullable Acceptor acceptor;

    private VerbsGuest(String host) throws IOException {
        this.host = host;
        server = VerbsLoader.open();
        client = VerbsLoader.open();
    }

    private interface Part {
        void run(VerbsGuest guest) throws Exception;
    }

    private record Named(String name, Part part) {}

    private static final List<Named> PARTS = List.of(
            new Named("privateData", VerbsGuest::privateData),
            new Named("messages", VerbsGuest::messages),
            new Named("allocation", VerbsGuest::allocation),
            new Named("waiting", VerbsGuest::waiting),
            new Named("writeAndRead", VerbsGuest::writeAndRead),
            new Named("reachedByTheServer", VerbsGuest::reachedByTheServer),
            new Named("sharedListener", VerbsGuest::sharedListener),
            new Named("mappedFile", VerbsGuest::mappedFile),
            new Named("lastMessages", VerbsGuest::lastMessages),
            new Named("refusal", VerbsGuest::refusal),
            new Named("noListener", VerbsGuest::noListener),
            new Named("noSuchAddress", VerbsGuest::noSuchAddress),
            new Named("closeInEachState", VerbsGuest::closeInEachState),
            new Named("reconnects", VerbsGuest::reconnects),
            new Named("manyConnections", VerbsGuest::manyConnections),
            new Named("lateCompletions", VerbsGuest::lateCompletions),
            new Named("tooLong", VerbsGuest::tooLong),
            new Named("foreignKey", VerbsGuest::foreignKey),
            new Named("noReceives", VerbsGuest::noReceives),
            new Named("killedPeer", VerbsGuest::killedPeer),
            new Named("deadline", VerbsGuest::deadline),
            new Named("removedDevice", VerbsGuest::removedDevice));

    /** ADDRESS [PART…]: all parts, or some. ADDRESS peer PORT: connects there, and lives until it is killed. */
    public static void main(String[] arguments) throws Exception {
        String host = arguments[0];
        List<String> wanted = List.of(arguments).subList(1, arguments.length);
        if (!wanted.isEmpty() && wanted.get(0).equals("peer")) {
            peer(new InetSocketAddress(host, Integer.parseInt(wanted.get(1))));
            return;
        }
        int passed = 0;
        int failed = 0;
        for (Named each : PARTS) {
            if (!wanted.isEmpty() && !wanted.contains(each.name())) {
                continue;
            }
            long start = System.nanoTime();
            VerbsGuest guest = new VerbsGuest(host);
            String failure = null;
            try {
                each.part().run(guest);
            } catch (Exception | AssertionError e) {
                failure = e.toString();
                e.printStackTrace(System.out);
            }
            guest.client.close();
            guest.server.close();
            int live = guest.live();
            if (live != 0 && failure == null) {
                failure = live + " objects of verbs are left";
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            System.out.println(
                    failure == null
                            ? "ok " + each.name() + " (" + millis + " ms)"
                            : "FAIL " + each.name() + ": " + failure);
            passed += failure == null ? 1 : 0;
            failed += failure == null ? 0 : 1;
        }
        System.exit(failed == 0 && passed > 0 ? 0 : 1);
    }

    /** Objects of the native library that have not been destroyed. */
    private int live() throws ReflectiveOperationException {
        Class<?> natives =
                client.getClass().getClassLoader().loadClass(client.getClass().getPackageName() + ".Natives");
        Method live = natives.getDeclaredMethod("live");
        live.setAccessible(true);
        return (int) live.invoke(null);
    }

    /** One end of a connection, which counts what happens and answers nothing. */
    private static class Side implements Events {
        final Memory memory;
        final List<String> log = new ArrayList<>();

        @SuppressWarnings("NullAway.Init") // set by what makes it
        QueuePair pair;

        @Nullable
        String ended;

        boolean isConnected;
        int received;
        int sent;
        int slot;
        int length;

        Side(Verbs verbs) {
            memory = verbs.register(ByteBuffer.allocateDirect(2 * QueuePair.DEPTH * SIZE), Remote.NOTHING);
        }

        /** Receives stand in the first half of the memory, sends in the second. */
        void receiveInto(int first, int count) {
            for (int i = first; i < first + count; i++) {
                pair.receive(i, memory, i * SIZE, SIZE);
            }
        }

        void send(int number, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            int at = (QueuePair.DEPTH + number) * SIZE;
            memory.bytes().put(at, bytes);
            pair.send(number, memory, at, bytes.length, true);
        }

        String text() {
            byte[] bytes = new byte[length];
            memory.bytes().get(slot * SIZE, bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public void prepared() {
            log.add("prepared");
            receiveInto(0, WINDOW);
        }

        @Override
        public void connected() {
            check(!isConnected, "connected twice");
            log.add("connected");
            isConnected = true;
        }

        @Override
        public void received(int newSlot, int newLength) {
            check(isConnected, "received before connected");
            check(ended == null, "received after the end");
            received++;
            slot = newSlot;
            length = newLength;
        }

        @Override
        public void sent(int newSlot) {
            check(ended == null, "sent after the end");
            sent++;
        }

        @Override
        public void ended(String reason) {
            check(ended == null, "ended twice");
            ended = reason;
            log.add("ended");
        }
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private static void checkReason(Side side, String part) {
        check(String.valueOf(side.ended).contains(part), "reason: " + side.ended);
    }

    private void poll() {
        try {
            server.poll();
            client.poll();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void until(BooleanSupplier condition, String what) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            check(System.nanoTime() - start < LIMIT_NANOS, "waited too long: " + what);
            poll();
        }
    }

    private void pollFor(long millis) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(millis)) {
            poll();
        }
    }

    private void listen() throws IOException {
        server.listen(new InetSocketAddress(host, 0), 128, (pair, data) -> {
            if (acceptor != null) {
                return acceptor.requested(pair, data);
            }
            return accept(pair);
        });
    }

    private @Nullable Side accept(QueuePair pair) {
        Side side = new Side(server);
        side.pair = pair;
        side.receiveInto(0, WINDOW);
        try {
            pair.accept();
        } catch (IOException e) {
            return null;
        }
        accepted.add(side);
        return side;
    }

    private Side connect(Side side, String privateText) {
        side.pair = client.connect(
                server.address(), ByteBuffer.wrap(privateText.getBytes(StandardCharsets.UTF_8)), STEP_NANOS, side);
        return side;
    }

    private Side connected() throws IOException {
        listen();
        return again();
    }

    private Side again() {
        int before = accepted.size();
        Side side = connect(new Side(client), "");
        until(
                () -> side.ended != null || (side.isConnected && accepted.size() > before && last().isConnected),
                "connection");
        check(side.ended == null, "not connected: " + side.ended);
        return side;
    }

    private Side last() {
        return accepted.get(accepted.size() - 1);
    }

    private void privateData() throws IOException {
        String[] seen = new String[1];
        acceptor = (pair, data) -> {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            seen[0] = new String(bytes, StandardCharsets.UTF_8);
            return accept(pair);
        };
        listen();
        String all = "0123456789".repeat(6).substring(0, 56);
        Side side = connect(new Side(client), all);
        until(() -> side.isConnected && !accepted.isEmpty() && last().isConnected, "connection");
        check(seen[0].equals(all), "private data: " + seen[0]);
        check(side.log.equals(List.of("prepared", "connected")), "events: " + side.log);
        check(last().log.equals(List.of("connected")), "events: " + last().log);
        check(server.address().getPort() != 0, "port");
        check(
                String.valueOf(last().pair.remote()).contains("/" + host + ":"),
                "remote: " + last().pair.remote());
        side.pair.close();
        side.pair.close();
        until(() -> last().ended != null, "end");
        checkReason(last(), "closed");
        check(side.ended == null, "the closing side has an event");
    }

    /** A side that keeps a window of messages under way, each with its number and length, and checks the peer's. */
    private static final class Streaming extends Side {
        final int total;
        int sending;

        Streaming(Verbs verbs, int total) {
            super(verbs);
            this.total = total;
        }

        static int lengthOf(int number) {
            return 8 + number % (SIZE - 8);
        }

        void fill() {
            while (sending < total && sending - sent < WINDOW && sending - received < WINDOW) {
                int number = sending % WINDOW;
                int at = (QueuePair.DEPTH + number) * SIZE;
                int bytes = lengthOf(sending);
                memory.bytes().putLong(at, sending);
                for (int i = 8; i < bytes; i++) {
                    memory.bytes().put(at + i, (byte) (sending + i));
                }
                pair.send(number, memory, at, bytes, true);
                sending++;
            }
            pair.flush();
        }

        @Override
        public void received(int newSlot, int newLength) {
            int expected = received;
            super.received(newSlot, newLength);
            int at = newSlot * SIZE;
            boolean good = memory.bytes().getLong(at) == expected && newLength == lengthOf(expected);
            for (int i = 8; i < newLength; i++) {
                good &= memory.bytes().get(at + i) == (byte) (expected + i);
            }
            if (!good) { // no text is made for a good one: allocation is counted
                throw new AssertionError("message " + expected);
            }
            pair.receive(newSlot, memory, at, SIZE);
        }
    }

    private void messages() throws IOException {
        stream(10_000);
    }

    private void stream(int total) throws IOException {
        Streaming[] other = new Streaming[1];
        acceptor = (pair, data) -> {
            other[0] = new Streaming(server, total);
            other[0].pair = pair;
            other[0].receiveInto(0, WINDOW);
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return other[0];
        };
        listen();
        Streaming side = new Streaming(client, total);
        connect(side, "");
        until(() -> side.isConnected && other[0] != null && other[0].isConnected, "connection");
        until(
                () -> {
                    side.fill();
                    other[0].fill();
                    return side.received == total && other[0].received == total && side.sent == total;
                },
                "messages");
    }

    private void allocation() throws IOException {
        stream(3_000); // warm
        server.stopListening();
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        int total = 20_000;
        Streaming[] other = new Streaming[1];
        acceptor = (pair, data) -> {
            other[0] = new Streaming(server, total);
            other[0].pair = pair;
            other[0].receiveInto(0, WINDOW);
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return other[0];
        };
        listen();
        Streaming side = new Streaming(client, total);
        connect(side, "");
        until(() -> side.isConnected && other[0] != null && other[0].isConnected, "connection");
        long[] at = new long[2];
        while (side.received < total || other[0].received < total) {
            side.fill();
            other[0].fill();
            poll();
            if (at[0] == 0 && side.received > 2_000) {
                at[0] = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
                at[1] = side.received;
            }
        }
        long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - at[0];
        long messages = total - at[1];
        check(bytes < messages, bytes + " bytes were allocated for " + messages + " messages");
        System.out.println("   " + bytes + " bytes allocated for " + messages + " messages each way");
    }

    /** A thread of its own for the server, which waits; the client's messages come one by one. */
    private void waiting() throws Exception {
        Side side = connected();
        Side peer = last();
        boolean[] stop = new boolean[1];
        Throwable[] failed = new Throwable[1];
        Thread thread = new Thread(() -> {
            try {
                int seen = 0;
                while (!isSet(stop)) {
                    server.poll();
                    for (; seen < peer.received; seen++) {
                        peer.pair.receive(peer.slot, peer.memory, peer.slot * SIZE, SIZE);
                        peer.send(seen % WINDOW, "answer " + seen);
                        peer.pair.flush();
                    }
                    server.await(TimeUnit.SECONDS.toNanos(20));
                }
            } catch (IOException | RuntimeException | Error e) {
                failed[0] = e;
            }
        });
        thread.start();
        long slowest = 0;
        for (int i = 0; i < 200; i++) {
            int number = i;
            side.send(i % WINDOW, "question " + i);
            side.pair.flush();
            long start = System.nanoTime();
            while (side.received <= number) {
                client.poll();
                check(System.nanoTime() - start < STEP_NANOS, "message " + i + " did not end a wait");
                if (i % 3 == 0 && side.received <= number) {
                    client.await(TimeUnit.SECONDS.toNanos(20));
                }
            }
            slowest = Math.max(slowest, System.nanoTime() - start);
            check(side.text().equals("answer " + i), side.text());
            side.pair.receive(side.slot, side.memory, side.slot * SIZE, SIZE);
            if (i % 10 == 0) {
                Thread.sleep(2);
            }
        }
        System.out.println("   slowest answer: " + TimeUnit.NANOSECONDS.toMillis(slowest) + " ms");
        Thread.sleep(50);
        long start = System.nanoTime();
        set(stop);
        server.wakeUp();
        thread.join(10_000);
        check(!thread.isAlive() && failed[0] == null, "the waiting thread: " + failed[0]);
        check(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5), "a wake-up took too long");
        server.wakeUp();
        start = System.nanoTime();
        server.await(TimeUnit.SECONDS.toNanos(20)); // arms, perhaps
        server.await(TimeUnit.MILLISECONDS.toNanos(1));
        check(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5), "a wake-up before the wait was lost");
        long waited = 0;
        for (int i = 0; i < 4; i++) { // events of completions that a poll has taken, arming, and then
            pollFor(20);
            start = System.nanoTime();
            client.await(TimeUnit.MILLISECONDS.toNanos(100));
            waited = System.nanoTime() - start;
        }
        check(waited > TimeUnit.MILLISECONDS.toNanos(80), "a wait for nothing ended after " + waited + " ns");
        check(waited < TimeUnit.SECONDS.toNanos(5), "a wait of 0.1 s took " + waited + " ns");
    }

    private static synchronized boolean isSet(boolean[] flag) {
        return flag[0];
    }

    private static synchronized void set(boolean[] flag) {
        flag[0] = true;
    }

    private void writeAndRead() throws IOException {
        Side side = connected();
        Memory window = server.register(ByteBuffer.allocateDirect(1 << 20), Remote.WRITE);
        Memory source = server.register(ByteBuffer.allocateDirect(1 << 20), Remote.READ);
        Memory local = client.register(ByteBuffer.allocateDirect(1 << 20), Remote.NOTHING);
        for (int i = 0; i < 1 << 20; i += 8) {
            source.bytes().putLong(i, 31L * i);
            local.bytes().putLong(i, 17L * i);
        }
        int windowKey = last().pair.remoteKey(window);
        int sourceKey = last().pair.remoteKey(source);
        int length = (1 << 20) - 64;
        side.pair.write(1, local, 64, length, window.address() + 64, windowKey, false);
        side.send(2, "written");
        side.pair.flush();
        until(() -> last().received == 1, "message after a write");
        check(last().text().equals("written"), "message");
        for (int i = 64; i < 1 << 20; i += 8) {
            check(window.bytes().getLong(i) == 17L * i, "written at " + i);
        }
        check(window.bytes().getLong(0) == 0, "written before its beginning");
        until(() -> side.sent == 1, "send");
        side.pair.read(3, local, 0, 1 << 20, source.address(), sourceKey, true);
        side.pair.flush();
        until(() -> side.sent == 2, "read");
        for (int i = 0; i < 1 << 20; i += 8) {
            check(local.bytes().getLong(i) == 31L * i, "read at " + i);
        }
        // a chain of all that fits
        for (int i = 0; i < QueuePair.DEPTH; i++) {
            side.pair.write(i, local, 8 * i, 8, window.address() + 8L * i, windowKey, i == QueuePair.DEPTH - 1);
        }
        side.pair.flush();
        until(() -> side.sent == 3, "chain");
        for (int i = 0; i < QueuePair.DEPTH; i++) {
            check(window.bytes().getLong(8 * i) == 31L * 8 * i, "chain at " + i);
        }
    }

    /** The side that was asked for the connection writes and reads memory of the other one, as a server does: several reads at a time. */
    private void reachedByTheServer() throws IOException {
        Side side = connected();
        Side peer = last();
        int reads = 8;
        int size = 1 << 16;
        Memory window = client.register(ByteBuffer.allocateDirect(size), Remote.WRITE);
        Memory source = client.register(ByteBuffer.allocateDirect(reads * size), Remote.READ);
        Memory local = server.register(ByteBuffer.allocateDirect(reads * size), Remote.NOTHING);
        peer.pair.prepare(local);
        int windowKey = side.pair.remoteKey(window);
        int sourceKey = side.pair.remoteKey(source);
        for (int i = 0; i < reads * size; i += 8) {
            source.bytes().putLong(i, 29L * i);
            local.bytes().putLong(i, 19L * i);
        }
        peer.pair.write(100, local, 0, size, window.address(), windowKey, false);
        peer.send(2, "written");
        peer.pair.flush();
        until(() -> side.received == 1, "message after a write");
        for (int i = 0; i < size; i += 8) {
            check(window.bytes().getLong(i) == 19L * i, "written at " + i);
        }
        until(() -> peer.sent == 1, "send");
        for (int i = 0; i < reads; i++) {
            peer.pair.read(200 + i, local, i * size, size, source.address() + (long) i * size, sourceKey, true);
        }
        peer.pair.flush();
        until(() -> peer.sent == 1 + reads, "reads");
        for (int i = 0; i < reads * size; i += 8) {
            check(local.bytes().getLong(i) == 29L * i, "read at " + i);
        }
        client.deregister(window);
        peer.pair.write(101, local, 0, 8, window.address(), windowKey, true);
        peer.pair.flush();
        until(() -> peer.ended != null && side.ended != null, "both ends");
        again();
    }

    /** Connections are taken by several verbs in turn, each by its own. */
    private void sharedListener() throws IOException {
        Verbs second = VerbsLoader.open();
        List<Side> its = new ArrayList<>();
        server.share(second, (pair, data) -> {
            Side side = new Side(second);
            side.pair = pair;
            side.receiveInto(0, WINDOW);
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            its.add(side);
            return side;
        });
        listen();
        List<Side> sides = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Side side = connect(new Side(client), "");
            until(
                    () -> {
                        pollOnly(second);
                        return side.isConnected;
                    },
                    "connection");
            side.send(0, "to one of two");
            side.pair.flush();
            sides.add(side);
        }
        until(
                () -> {
                    pollOnly(second);
                    return its.stream().allMatch(each -> each.received == 1)
                            && accepted.stream().allMatch(each -> each.received == 1);
                },
                "messages");
        check(its.size() == 3 && accepted.size() == 3, "connections: " + accepted.size() + " and " + its.size());
        connect(new Side(client), "");
        pollFor(200); // the second is offered one, perhaps, and does not look
        server.close();
        second.close();
        until(() -> sides.stream().allMatch(each -> each.ended != null), "ends");
    }

    private static void pollOnly(Verbs verbs) {
        try {
            verbs.poll();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Memory of a file that others change, in two registrations, of which one ends. */
    private void mappedFile() throws IOException {
        Side side = connected();
        Path file = Files.createTempFile("verbs", ".mapped");
        MappedByteBuffer mapped;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 20);
        } finally {
            Files.delete(file);
        }
        Memory first = server.register(mapped, Remote.READ);
        Memory second = server.register(mapped, Remote.READ);
        check(last().pair.remoteKey(first) != last().pair.remoteKey(second), "one key for two registrations");
        int key = last().pair.remoteKey(first);
        server.deregister(second);
        for (int i = 1; i <= 3; i++) {
            mapped.putLong(4096, i);
            int reads = side.sent + 1;
            side.pair.read(0, side.memory, 0, 8, first.address() + 4096, key, true);
            side.pair.flush();
            until(() -> side.sent == reads, "read");
            check(
                    side.memory.bytes().getLong(0) == i,
                    "read " + side.memory.bytes().getLong(0) + " of " + i);
        }
        Memory again = server.register(ByteBuffer.allocateDirect(8), Remote.READ); // has the number of the second
        check(last().pair.remoteKey(again) != key, "the key of other memory");
    }

    /** What was sent before a close is received before the end. */
    private void lastMessages() throws IOException {
        Side side = connected();
        for (int i = 0; i < 8; i++) {
            side.send(i, "last " + i);
        }
        side.pair.flush();
        long start = System.nanoTime();
        while (side.sent < 8) { // the client alone: the server does not look
            client.poll();
            check(System.nanoTime() - start < LIMIT_NANOS, "sends");
        }
        side.pair.close();
        until(() -> last().ended != null, "end");
        check(last().received == 8, "received: " + last().received);
    }

    private void refusal() throws IOException {
        acceptor = (pair, data) -> null;
        listen();
        Side side = connect(new Side(client), "x");
        until(() -> side.ended != null, "refusal");
        checkReason(side, "refused");
        check(side.log.equals(List.of("prepared", "ended")), "events: " + side.log);
        acceptor = null;
        again();
    }

    private void noListener() throws IOException {
        listen();
        Side side = new Side(client);
        side.pair = client.connect(new InetSocketAddress(host, 1), ByteBuffer.allocate(0), STEP_NANOS, side);
        until(() -> side.ended != null, "refusal");
        checkReason(side, "does not listen");
        server.stopListening();
        Side other = connect(new Side(client), "");
        until(() -> other.ended != null, "refusal");
        checkReason(other, "does not listen");
        try {
            server.listen(new InetSocketAddress("203.0.113.9", 0), 1, (pair, data) -> null);
            throw new AssertionError("listens on an address of another machine");
        } catch (IOException e) {
            check(String.valueOf(e.getMessage()).contains("203.0.113.9"), "message: " + e.getMessage());
        }
        listen();
        again();
    }

    private void noSuchAddress() throws IOException {
        Side unresolved = new Side(client);
        unresolved.pair = client.connect(
                InetSocketAddress.createUnresolved("no.such.host.invalid", 1),
                ByteBuffer.allocate(0),
                STEP_NANOS,
                unresolved);
        check(unresolved.ended == null, "told from within");
        until(() -> unresolved.ended != null, "end");
        Side loopback = new Side(client);
        loopback.pair =
                client.connect(new InetSocketAddress("203.0.113.9", 1), ByteBuffer.allocate(0), STEP_NANOS, loopback);
        check(loopback.ended == null, "told from within");
        until(() -> loopback.ended != null, "end");
        System.out.println("   " + unresolved.ended + "; " + loopback.ended);
    }

    private void deadline() throws IOException {
        Side[] asked = new Side[1];
        acceptor = (pair, data) -> {
            asked[0] = new Side(server);
            asked[0].pair = pair;
            return asked[0]; // and is not accepted
        };
        listen();
        Side side = new Side(client);
        side.pair = client.connect(server.address(), ByteBuffer.allocate(0), TimeUnit.MILLISECONDS.toNanos(700), side);
        until(() -> asked[0] != null, "request");
        long start = System.nanoTime();
        while (side.ended == null) { // by a wait for longer
            client.await(TimeUnit.SECONDS.toNanos(20));
            client.poll();
        }
        check(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5), "the deadline was missed");
        checkReason(side, "within its time");
        pollFor(1_000);
        if (asked[0].ended == null) { // the kernel does not tell of a request that was taken back
            try {
                asked[0].pair.accept();
                asked[0].pair.close();
            } catch (IOException e) {
                System.out.println("   accept: " + e.getMessage());
            }
        }
        acceptor = null;
        again();
    }

    private void closeInEachState() throws Exception {
        listen();
        connect(new Side(client), "").pair.close(); // before the first event
        for (int polls = 1; polls < 40; polls++) { // wherever it is after so many
            Side side = connect(new Side(client), "");
            for (int i = 0; i < polls; i++) {
                Thread.sleep(polls % 4);
                poll();
            }
            side.pair.close();
            side.pair.send(0, side.memory, 0, 1, true);
            side.pair.flush();
            side.pair.receive(0, side.memory, 0, SIZE);
            check(side.ended == null, "event of a close");
        }
        connect(
                new Side(client) {
                    @Override
                    public void prepared() {
                        pair.close();
                    }
                },
                "");
        connect(
                new Side(client) {
                    @Override
                    public void connected() {
                        super.connected();
                        pair.close();
                    }
                },
                "");
        pollFor(500);
        acceptor = (pair, data) -> {
            pair.close();
            return new Side(server);
        };
        Side closed = connect(new Side(client), "");
        until(() -> closed.ended != null, "end of what was closed when it was asked for");
        acceptor = (pair, data) -> {
            Side side = accept(pair);
            pair.close();
            return side;
        };
        Side acceptedAndClosed = connect(new Side(client), "");
        until(() -> acceptedAndClosed.ended != null, "end of what was accepted and closed");
        acceptor = (pair, data) -> {
            throw new IllegalStateException("an acceptor that fails");
        };
        Side thrown = connect(new Side(client), "");
        boolean threw = false;
        long start = System.nanoTime();
        while (!threw || thrown.ended == null) {
            check(System.nanoTime() - start < LIMIT_NANOS, "waited too long: end of what the acceptor failed for");
            try {
                server.poll();
                client.poll();
            } catch (IllegalStateException e) {
                threw = true;
            }
        }
        acceptor = null;
        Side good = again();
        Side peer = last();
        for (int i = 0; i < QueuePair.DEPTH; i++) {
            good.send(i % WINDOW, "posted and not done");
        }
        good.pair.flush();
        peer.pair.close();
        good.pair.close();
        again();
    }

    private void reconnects() throws Exception {
        connected();
        int before = live();
        for (Side each : accepted) {
            check(each.ended == null, "ended: " + each.ended);
        }
        for (int i = 0; i < 100; i++) {
            Side side = again();
            side.send(0, "hello " + i);
            side.pair.flush();
            until(() -> last().received == 1, "message");
            if (i % 2 == 0) {
                side.pair.close();
                until(() -> last().ended != null, "end");
            } else {
                last().pair.close();
                until(() -> side.ended != null, "end");
            }
        }
        int memories = 200; // one for each side, which stay
        check(live() == before + memories, "objects: " + before + ", and " + live() + " after 100 connections");
    }

    private void manyConnections() throws Exception {
        listen();
        List<Side> sides = new ArrayList<>();
        for (int i = 0; i < 150; i++) { // more than a completion queue takes
            sides.add(again());
        }
        for (Side each : sides) {
            each.send(0, "to " + sides.indexOf(each));
            each.pair.flush();
        }
        until(() -> accepted.stream().allMatch(each -> each.received == 1), "a message on each");
        for (int i = 0; i < 150; i++) {
            check(accepted.get(i).text().equals("to " + i), accepted.get(i).text());
        }
        for (Side each : sides) {
            each.pair.close();
        }
        until(() -> accepted.stream().allMatch(each -> each.ended != null), "ends");
        again();
    }

    /** A connection is closed with completions that nothing has looked at; the next one has its place, and none of them. */
    private void lateCompletions() throws Exception {
        listen();
        for (int round = 0; round < 40; round++) {
            Side side = again();
            for (int i = 0; i < WINDOW; i++) {
                side.send(i, "late");
            }
            side.pair.flush();
            Thread.sleep(20); // they complete, on both sides
            side.pair.close();
            last().pair.close();
            check(side.sent == 0 && last().received == 0, "events without a poll");
            Side next = again();
            pollFor(5);
            check(next.sent == 0 && next.received == 0 && last().received == 0, "a completion of another connection");
            check(next.ended == null, "ended: " + next.ended);
            next.pair.close();
        }
    }

    private void tooLong() throws IOException {
        Side side = connected();
        side.pair.send(0, side.memory, 0, SIZE + 1, true);
        side.pair.flush();
        until(() -> side.ended != null && last().ended != null, "both ends");
        System.out.println("   sender: " + side.ended + "; receiver: " + last().ended);
        checkReason(last(), "longer");
        again();
    }

    private void foreignKey() throws IOException {
        Side side = connected();
        Memory window = server.register(ByteBuffer.allocateDirect(4096), Remote.READ);
        int key = last().pair.remoteKey(window);
        side.pair.write(0, side.memory, 0, 8, window.address(), key, true); // may be read only
        side.pair.flush();
        until(() -> side.ended != null && last().ended != null, "both ends");
        System.out.println("   writer: " + side.ended + "; owner: " + last().ended);
        check(window.bytes().getLong(0) == 0, "written");
        Side other = again();
        other.pair.read(0, other.memory, 0, 8192, window.address(), key, true); // beyond its end
        other.pair.flush();
        until(() -> other.ended != null, "end");
        checkReason(other, "registration");
        Side wrong = again();
        wrong.pair.write(0, wrong.memory, 0, 8, window.address(), key + 77, true);
        wrong.pair.flush();
        until(() -> wrong.ended != null, "end");
        Side late = again();
        late.pair.read(0, late.memory, 0, 8, window.address(), key, true);
        late.pair.flush();
        until(() -> late.sent == 1, "read");
        server.deregister(window);
        server.deregister(window);
        late.pair.read(0, late.memory, 0, 8, window.address(), key, true);
        late.pair.flush();
        until(() -> late.ended != null, "end after a deregistration");
        check(late.sent == 1, "read of memory that has been deregistered");
        again();
    }

    private void noReceives() throws IOException {
        acceptor = (pair, data) -> {
            Side side = new Side(server);
            side.pair = pair;
            accepted.add(side);
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return side;
        };
        Side side = connected();
        side.send(0, "nobody takes it");
        side.pair.flush();
        long start = System.nanoTime();
        until(() -> side.ended != null, "end");
        System.out.println(
                "   after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms: " + side.ended);
        checkReason(side, "no buffers");
    }

    private void killedPeer() throws Exception {
        listen();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        VerbsGuest.class.getName(),
                        host,
                        "peer",
                        String.valueOf(server.address().getPort()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            until(() -> !accepted.isEmpty() && last().received > 5, "messages of another process");
            Side peer = last();
            process.destroyForcibly();
            check(process.waitFor(30, TimeUnit.SECONDS), "the process does not end");
            long start = System.nanoTime();
            until(
                    () -> {
                        if (peer.ended == null) {
                            peer.pair.send(0, peer.memory, 0, 8, true);
                            peer.pair.flush();
                            pollFor(10);
                        }
                        return peer.ended != null;
                    },
                    "end");
            System.out.println(
                    "   after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms: " + peer.ended);
        } finally {
            process.destroyForcibly();
        }
        again();
    }

    private static void peer(InetSocketAddress to) throws Exception {
        Verbs verbs = VerbsLoader.open();
        Side side = new Side(verbs);
        side.pair = verbs.connect(to, ByteBuffer.allocate(0), STEP_NANOS, side);
        for (int i = 0; side.ended == null; i++) {
            verbs.poll();
            if (side.isConnected && side.sent >= i - 1 && i < WINDOW) {
                side.send(0, "still here");
                side.pair.flush();
            } else {
                i--;
                Thread.sleep(1);
            }
            if (side.received > 0) {
                side.received--;
                side.pair.receive(side.slot, side.memory, side.slot * SIZE, SIZE);
            }
        }
    }

    /** Last: the device is gone afterwards. */
    private void removedDevice() throws Exception {
        Side side = connected();
        Process process =
                new ProcessBuilder("rdma", "link", "delete", "rxe0").inheritIO().start();
        until(() -> side.ended != null && last().ended != null, "both ends");
        System.out.println("   " + side.ended + "; " + last().ended);
        // soft-RoCE's removal goes on when this process has ended
        check(process.isAlive() || process.exitValue() == 0, "rdma link delete");
    }
}
