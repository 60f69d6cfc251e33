package io.hmfs.trials.differ;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Draws the operations of a session: few names, so that operations meet, and every kind by its weight. */
final class Generator {
    private static final int WEIGHTS = total();

    private Generator() {}

    /** So many operations of this seed, the same on each machine. */
    static List<Operation> session(long seed, int operations) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbouring seeds would begin alike
        List<Operation> session = new ArrayList<>();
        for (int i = 0; i < operations; i++) {
            ApiCall kind = kind(random);
            // HDFS's superuser is asked for nothing: too many of its operations would hide what others may.
            String user = RemoteSubject.USERS.get(random.nextInt(RemoteSubject.USERS.size()));
            List<String> arguments = new ArrayList<>();
            for (Argument argument : kind.arguments()) {
                arguments.add(argument.draw(random));
            }
            session.add(new Operation(user, kind, arguments));
        }
        return session;
    }

    private static int total() {
        int total = 0;
        for (ApiCall kind : ApiCall.values()) {
            total += kind.weight();
        }
        return total;
    }

    private static ApiCall kind(Random random) {
        int at = random.nextInt(WEIGHTS);
        for (ApiCall kind : ApiCall.values()) {
            at -= kind.weight();
            if (at < 0) {
                return kind;
            }
        }
        throw new IllegalStateException("weights");
    }
}
