package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.netty.FuzzSession.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Makes sessions for RDMA: those of {@link FuzzGenerator}, with what a hostile peer does between their frames. The same number makes the same one. */
final class FuzzRdmaGenerator {
    private static final int[] NUMBERS = {0, 1, 2, 3, 7, 15, 15, 16, 17, 33, -1, Integer.MIN_VALUE};
    private static final int[] FILLED = {
        1, 100, FuzzMessage.PIECE_BYTES, FuzzMessage.PIECE_BYTES + 1, 0, -1, Integer.MAX_VALUE
    };
    private static final int[] GIVEN = {0, 0, 0, 0, 1, 7, 8, 16, 17, 0xFFFF};
    private static final int[] KINDS = {0, 0, 1, 2, 3, 3, 4, 4, 4, 4, 5, -1};
    private static final int ACTS_MAX = 3;

    private final Random random;
    private final List<Part> parts = new ArrayList<>();

    private FuzzRdmaGenerator(Random random) {
        this.random = random;
    }

    /** The session with this number about the tree that now stands in a rig. */
    static FuzzSession session(long seed, long number, FuzzRig rig) {
        FuzzSession frames = FuzzGenerator.session(seed, number, rig);
        return new FuzzRdmaGenerator(new Random(seed * 0xC2B2AE3D27D4EB4FL ^ number * 0x9E3779B97F4A7C15L))
                .make(frames);
    }

    private FuzzSession make(FuzzSession frames) {
        int longOf10 = random.nextInt(11);
        for (Part frame : frames.parts()) {
            parts.add(random.nextInt(10) < longOf10 ? frame.by(FuzzAct.LONG) : frame);
        }
        for (int count = random.nextInt(ACTS_MAX + 1); count > 0; count--) {
            addAct(random.nextInt(parts.size() + 1));
        }
        if (random.nextInt(5) > 0) {
            parts.add(random.nextInt(Math.min(3, parts.size()) + 1), one(FuzzAct.WINDOWS, anyWindows()));
        }
        if (random.nextInt(25) == 0) {
            parts.addFirst(Part.of(FuzzAct.GREETING, false, greeting()));
        }
        return new FuzzSession(List.copyOf(parts));
    }

    private int anyWindows() {
        return random.nextInt(10) < 7 ? 0 : random.nextInt(FuzzWindows.values().length);
    }

    private Part one(FuzzAct act, int number) {
        return Part.of(act, random.nextBoolean(), (byte) number);
    }

    private int any(int... values) {
        return values[random.nextInt(values.length)];
    }

    private void addAct(int at) {
        switch (random.nextInt(10)) {
            case 0 -> parts.add(at, one(FuzzAct.FLOOD, 1 + random.nextInt(4)));
            case 1 -> parts.add(at, one(FuzzAct.WINDOWS, anyWindows()));
            case 2 -> {
                parts.add(at, one(FuzzAct.WITHDRAW, random.nextInt(2)));
                interrupt(at);
            }
            case 3 -> parts.add(at, one(FuzzAct.TEAR, random.nextInt(4)));
            case 4 -> {
                parts.add(at, Part.of(FuzzAct.LEAVE, true));
                interrupt(at);
            }
            default -> parts.add(at, Part.of(FuzzAct.MESSAGE, random.nextInt(3) == 0, message()));
        }
    }

    /** Lets what was sent before be served in part only. */
    private void interrupt(int at) {
        int steps = random.nextInt(3);
        for (int i = 0; i < steps; i++) {
            parts.add(at, Part.of(FuzzAct.POLL, true, (byte) random.nextInt(6)));
        }
        if (at > 0) {
            parts.set(at - 1, parts.get(at - 1).glued(steps > 0 || random.nextBoolean()));
        }
    }

    private byte[] message() {
        if (random.nextInt(12) == 0) {
            byte[] noise = new byte[random.nextInt(random.nextInt(3) > 0 ? FuzzMessage.HEADER + 1 : 5000)];
            random.nextBytes(noise);
            return noise;
        }
        int kind = any(KINDS);
        int given = kind == FuzzMessage.CREDITS_ONLY ? random.nextInt(20) : any(GIVEN);
        int pieces =
                random.nextInt(4) > 0 ? 0 : random.nextInt(4) == 0 ? FuzzMessage.ALL_PIECES : 1 << random.nextInt(16);
        byte[] body = switch (kind) {
            case FuzzMessage.CREDITS_ONLY, FuzzMessage.LAST -> new byte[0];
            case FuzzMessage.WINDOWS ->
                FuzzMessage.windowsBody(random.nextLong(), random.nextInt(), random.nextLong(), random.nextInt());
            case FuzzMessage.LONG -> FuzzMessage.longBody(any(NUMBERS), any(FILLED));
            default -> new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 5000 : 40)];
        };
        byte[] message = FuzzMessage.of(given, pieces, kind, body).bytes();
        return random.nextInt(8) > 0 ? message : Arrays.copyOf(message, message.length + random.nextInt(3) - 1);
    }

    private byte[] greeting() {
        byte[] greeting = FuzzMessage.greeting();
        return switch (random.nextInt(4)) {
            case 0 -> new byte[random.nextInt(57)];
            case 1 -> Arrays.copyOf(greeting, random.nextInt(57));
            default -> {
                greeting[random.nextInt(greeting.length)] ^= (byte) (1 << random.nextInt(8));
                yield greeting;
            }
        };
    }
}
