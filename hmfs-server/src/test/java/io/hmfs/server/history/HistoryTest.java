package io.hmfs.server.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hmfs.server.history.Histories.Network;
import io.hmfs.server.history.Histories.Plan;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: whatever happens to a server and to the network, what was acknowledged is there, and all that 64 clients were told has an order.
 * Method: a real server's process that is killed, whose memory is lost and whose network fails amid their calls; then a search for that
 * order ({@link Search}). More: {@code bin/dev histories}.
 */
@Timeout(600)
class HistoryTest {
    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource({
        "KILLED, 4, 4, 0, 0",
        "KILLED_WITH_LOG, 4, 4, 0, 0",
        "LOST, 6, 5, 3, 0",
        "DISTURBED, 3, 1, 0, 0",
        "DISTURBED_WITH_LOG, 4, 2, 1, 0",
        "CUT, 4, 2, 0, 4",
        "CUT_WITH_LOG, 2, 1, 0, 2"
    })
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
