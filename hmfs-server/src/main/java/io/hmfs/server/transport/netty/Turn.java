package io.hmfs.server.transport.netty;

import io.hmfs.server.exec.Worker;
import java.util.ArrayDeque;
import java.util.ArrayList;

/**
 * What the connections of one event loop bring in one iteration of it: executed together where that pays, and answered together, when
 * all of them have been read ({@link TurnIo}). A connection has a share of each turn; what it brings beyond that comes after what the
 * others have brought next. On the loop's thread (docs/adr/0107-turns-over-connections.md).
 */
final class Turn {
    private final Worker worker;
    private final ArrayDeque<NettySession> waiting = new ArrayDeque<>();
    private final ArrayList<NettySession> answered = new ArrayList<>();
    private long number;

    Turn(Worker worker) {
        this.worker = worker;
    }

    Worker worker() {
        return worker;
    }

    /** Differs from that of the turn before. */
    long number() {
        return number;
    }

    /** The connection goes on at the end of the next turn: with frames that are there already. Once, until then. */
    void goesOn(NettySession session) {
        waiting.add(session);
    }

    /** The connection has something to send at the end of this turn. Once, until then. */
    void sends(NettySession session) {
        answered.add(session);
    }

    /** Whether a connection waits for the end of a turn: no time to wait for the network. */
    boolean isAwaited() {
        return !waiting.isEmpty() || !answered.isEmpty();
    }

    /** All connections that are ready have been read. */
    void end() {
        for (int left = waiting.size(); left > 0; left--) {
            waiting.remove().goOn();
        }
        try {
            worker.endTurn();
        } finally {
            for (int i = 0; i < answered.size(); i++) {
                answered.get(i).flush();
            }
            answered.clear();
            number++;
        }
    }
}
