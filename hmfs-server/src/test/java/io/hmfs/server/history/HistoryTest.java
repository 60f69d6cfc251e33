package io.hmfs.server.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hmfs.server.SampledPart;
import io.hmfs.server.history.Histories.Network;
import io.hmfs.server.history.Histories.Plan;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: whatever happens to a server and to the network, what was acknowledged is there, and all that 64 clients were told has an order.
 * Method: a real server's process that is killed, whose memory is lost and whose network fails amid their calls; then a search for that
 * order ({@link Search}). More: {@code bin/dev histories}.
 */
@Timeout(600)
class HistoryTest {
    @TempDir
    private Path directory = Path.of("");

    /** The kinds, each with its epochs, kills, losses and cuts. Of two kinds that differ only by the log a run takes one ({@link SampledPart}). */
    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(Kind.LOST, 6, 5, 3, 0),
                one(0, Arguments.of(Kind.KILLED, 4, 4, 0, 0), Arguments.of(Kind.KILLED_WITH_LOG, 4, 4, 0, 0)),
                one(1, Arguments.of(Kind.DISTURBED, 3, 1, 0, 0), Arguments.of(Kind.DISTURBED_WITH_LOG, 4, 2, 1, 0)),
                one(0, Arguments.of(Kind.CUT, 4, 2, 0, 4), Arguments.of(Kind.CUT_WITH_LOG, 2, 1, 0, 2)));
    }

    private static Arguments one(int even, Arguments without, Arguments with) {
        return SampledPart.of(2) == even ? without : with;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyAnswerHasItsPlaceInOneOrder(Kind kind, int epochs, int kills, int losses, int cuts) throws Exception {
        Plan plan = kind.plan(epochs);
        if (plan.network() == Network.CUT) {
            String obstacle = CutNetwork.obstacle();
            assumeTrue(obstacle.isEmpty(), () -> "a network cannot be made here, which needs root and ip: " + obstacle);
        }
        long seed = Long.getLong("hmfs.seed", new Random().nextLong());
        HistoryFigures done = Histories.run(plan, seed, directory);
        assertEquals(epochs, done.epochs);
        assertEquals(kills, done.kills);
        assertEquals(losses, done.losses);
        assertEquals(cuts, done.cuts);
        assertTrue(plan.network() != Network.DISTURBED || done.connections > Histories.CLIENTS, done.toString());
    }
}
