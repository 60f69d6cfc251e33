package io.hmfs.server.history;

/** What was done in a history. */
final class HistoryFigures {
    int epochs;
    int calls;
    int refused;
    int unknown;
    int timeouts;
    int kills;

    /** Of the kills. */
    int losses;

    int stops;
    int cuts;

    /** Those that clients have made by way of a proxy. */
    int connections;

    /** Sets of names that no rename connects, each decided about. */
    int parts;

    /** The most situations that one search was in. */
    int reached;

    @Override
    public String toString() {
        return ("%d epochs explained, %d sets of names; %d calls, %d of them refused, %d unknown, %d timed out; %d kills, %d of them"
                        + " with loss of the memory, %d clean stops, %d cuts, %d connections by proxies; at most %d situations in one"
                        + " search")
                .formatted(
                        epochs,
                        parts,
                        calls,
                        refused,
                        unknown,
                        timeouts,
                        kills,
                        losses,
                        stops,
                        cuts,
                        connections,
                        reached);
    }
}
