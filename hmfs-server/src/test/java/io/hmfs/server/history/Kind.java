package io.hmfs.server.history;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.history.Histories.Network;
import io.hmfs.server.history.Histories.Plan;
import io.hmfs.server.history.Histories.Trouble;
import java.util.List;

/** The kinds of trouble that a history is made of. */
enum Kind {
    KILLED(
            Persistence.PROCESS,
            Network.DIRECT,
            Trouble.KILL,
            Trouble.NONE,
            Trouble.KILL_AFTERWARDS,
            Trouble.KILLS,
            Trouble.STOP),
    KILLED_WITH_LOG(
            Persistence.LOGGED,
            Network.DIRECT,
            Trouble.KILL,
            Trouble.NONE,
            Trouble.KILL_AFTERWARDS,
            Trouble.KILLS,
            Trouble.STOP),
    /** First killed, then more calls, then the machine's memory is gone. */
    LOST(
            Persistence.LOGGED,
            Network.DIRECT,
            Trouble.KILL,
            Trouble.LOSS,
            Trouble.NONE,
            Trouble.KILL_AFTERWARDS,
            Trouble.LOSS_AFTERWARDS,
            Trouble.LOSS),
    DISTURBED(Persistence.PROCESS, Network.DISTURBED, Trouble.NONE, Trouble.NONE, Trouble.KILL),
    DISTURBED_WITH_LOG(Persistence.LOGGED, Network.DISTURBED, Trouble.NONE, Trouble.KILL, Trouble.NONE, Trouble.LOSS),
    CUT(Persistence.PROCESS, Network.CUT, Trouble.CUT, Trouble.CUT_KILL),
    CUT_WITH_LOG(Persistence.LOGGED, Network.CUT, Trouble.CUT, Trouble.CUT_KILL);

    private static final int CALLS_EACH = 6;

    private final Persistence mode;
    private final Network network;

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<Trouble> troubles;

    Kind(Persistence mode, Network network, Trouble... troubles) {
        this.mode = mode;
        this.network = network;
        this.troubles = List.of(troubles);
    }

    Plan plan(int epochs) {
        return new Plan(mode, network, epochs, CALLS_EACH, troubles);
    }
}
