package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.netty.FuzzSession.Part;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes sessions: the same number makes the same one. */
final class FuzzGenerator {
    private static final int REQUESTS_MAX = 24;
    private static final int MANY = 700;
    private static final int READ_BLOCK = 40;
    private static final List<WireSchema.Message> REQUESTS = WireSchema.INSTANCE.requests();

    private final Random random;
    private final FuzzRequests requests;
    private final FuzzMutations mutations;
    private final FuzzRig.Known large;
    private final int mutatedOf10;
    private final int gluedOf10;
    private final List<Part> parts = new ArrayList<>();

    private FuzzGenerator(Random random, FuzzRig rig) {
        this.random = random;
        requests = new FuzzRequests(random, rig);
        mutations = new FuzzMutations(random);
        large = rig.known().getLast();
        mutatedOf10 = new int[] {0, 2, 4, 6, 8, 10}[random.nextInt(6)];
        gluedOf10 = new int[] {0, 5, 9, 10}[random.nextInt(4)];
    }

    /** The session with this number about the tree that now stands in a rig. */
    static FuzzSession session(long seed, long number, FuzzRig rig) {
        return new FuzzGenerator(random(seed, number), rig).make();
    }

    /** Two users at once. Both read on: what waits for one that does not is executed later than it came, and the order is not known. */
    static FuzzSession rivals(long seed, long number, FuzzRig rig) {
        Random random = random(seed, number);
        ArrayDeque<Part> own =
                new ArrayDeque<>(new FuzzGenerator(random, rig).make().parts());
        ArrayDeque<Part> rivals =
                new ArrayDeque<>(new FuzzGenerator(random, rig).make().parts());
        List<Part> parts = new ArrayList<>();
        while (!own.isEmpty() || !rivals.isEmpty()) {
            boolean isOwn = rivals.isEmpty() || (!own.isEmpty() && random.nextBoolean());
            parts.add(isOwn ? own.remove().reading() : rivals.remove().reading().by(FuzzAct.RIVAL));
        }
        return new FuzzSession(parts);
    }

    private static Random random(long seed, long number) {
        return new Random(seed * 0x9E3779B97F4A7C15L + number * 0xC2B2AE3D27D4EB4FL);
    }

    private FuzzSession make() {
        String user = anyUser();
        requests.user(user);
        requests.realUser(random.nextInt(8) > 0 ? "" : random.nextBoolean() ? user : anyUser());
        int odd = random.nextInt(20);
        if (odd == 0) {
            add(request(), false); // out of order
        } else {
            add(message(WireSchema.HELLO), odd <= 2);
        }
        if (random.nextInt(250) == 0) {
            addMany();
        }
        for (int count = random.nextInt(REQUESTS_MAX) + 1; count > 0; count--) {
            add(request(), random.nextInt(10) < mutatedOf10);
        }
        return new FuzzSession(List.copyOf(parts));
    }

    private String anyUser() {
        return FuzzRequests.USERS.get(random.nextInt(FuzzRequests.USERS.size()));
    }

    private static WireSchema.Message message(int id) {
        return REQUESTS.stream().filter(each -> each.id() == id).findFirst().orElseThrow();
    }

    private WireSchema.Message request() {
        return REQUESTS.get(random.nextInt(REQUESTS.size())); // sometimes a Hello
    }

    private void add(WireSchema.Message message, boolean mutated) {
        byte[] valid = requests.frame(message);
        byte[] sent = mutated ? mutations.mutate(valid, message) : valid;
        int piece = random.nextInt(10) > 0 ? 0 : random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(sent.length + 1);
        boolean glued = random.nextInt(10) < gluedOf10;
        parts.add(new Part(message.name(), valid, sent, piece, glued, random.nextInt(40) == 0));
    }

    /** So many requests for data that their replies cannot all wait. */
    private void addMany() {
        boolean stall = random.nextBoolean();
        boolean full = random.nextBoolean();
        for (int i = 0; i < MANY; i++) {
            byte[] valid = full ? requests.chunk(message(READ_BLOCK), large) : requests.frame(message(READ_BLOCK));
            parts.add(new Part("ReadBlock", valid, valid, 0, true, stall && i == 0));
        }
    }
}
