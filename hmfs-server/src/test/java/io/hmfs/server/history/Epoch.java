package io.hmfs.server.history;

import io.hmfs.client.ResultCode;
import io.hmfs.server.history.HistoryCall.Seen;
import io.hmfs.server.history.HistoryTree.Node;
import io.hmfs.server.history.HistoryTree.Spot;
import io.hmfs.server.history.Search.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls between two moments at which nothing was under way and everything was looked at, and the question whether some order
 * explains them. Names that no rename connects are asked about apart: a history is linearizable if each of its objects is (Herlihy and
 * Wing, TOPLAS 1990), and such a set of names is one object.
 */
final class Epoch {
    /** Situations of one attempt. */
    private static final int REACHED_MAX = 50_000;

    /** A search that meets a bad order meets a good one the next time. What needs more is not decided, and that is a failure. */
    private static final int ATTEMPTS_MAX = 6;

    private final List<HistoryCall> calls;
    private final HistoryTree before;
    private final HistoryTree after;
    private final Map<Spot, Spot> connected = new HashMap<>();
    private final Set<Long> unclaimed = new HashSet<>();
    private int parts;
    private int reached;

    Epoch(List<HistoryCall> calls, HistoryTree before, HistoryTree after) {
        this.calls = calls;
        this.before = before;
        this.after = after;
    }

    /** Sets of names that were decided about. */
    int parts() {
        return parts;
    }

    /** The most situations that one search has been in. */
    int reached() {
        return reached;
    }

    /** What is wrong with it, or null. */
    @Nullable
    String problem() {
        return problem(REACHED_MAX);
    }

    @Nullable
    String problem(int reachedMax) {
        for (HistoryCall call : calls) {
            String unfit = unfit(call);
            if (unfit != null) {
                return unfit + ": " + call;
            }
        }
        String claims = claimIds();
        if (claims != null) {
            return claims;
        }
        Map<Spot, List<HistoryCall>> callsOf = new HashMap<>();
        for (HistoryCall call : calls) {
            HistoryCall.Place to = call.to;
            if (to != null) {
                connected.put(leader(call.at.top()), leader(to.top()));
            }
        }
        calls.forEach(call -> callsOf.computeIfAbsent(leader(call.at.top()), _ -> new ArrayList<>())
                .add(call));
        Map<Spot, Map<Spot, Node>> old = split(before);
        Map<Spot, Map<Spot, Node>> now = split(after);
        Set<Spot> leaders = new HashSet<>(callsOf.keySet());
        leaders.addAll(old.keySet());
        leaders.addAll(now.keySet());
        for (Spot leader : leaders) {
            HistoryTree first = HistoryTree.of(old.getOrDefault(leader, Map.of()));
            HistoryTree last = HistoryTree.of(now.getOrDefault(leader, Map.of()));
            List<HistoryCall> those = callsOf.getOrDefault(leader, List.of());
            Search search = new Search(those, last, unclaimed, reachedMax, 0);
            Verdict verdict = search.from(first);
            int situations = search.reached();
            for (int attempt = 1; verdict == Verdict.UNDECIDED && attempt < ATTEMPTS_MAX; attempt++) {
                search = new Search(those, last, unclaimed, reachedMax, attempt);
                verdict = search.from(first);
                situations += search.reached();
            }
            reached = Math.max(reached, situations);
            if (verdict != Verdict.EXPLAINED) {
                String what = verdict == Verdict.CONTRADICTED ? "no order explains" : "not decided";
                return what + ":\n" + search.story(first);
            }
            parts++;
        }
        return null;
    }

    /** Answers that are wrong whatever else has happened. */
    private static @Nullable String unfit(HistoryCall call) {
        if (call.answer == ResultCode.OUTCOME_UNKNOWN && call.lost == HistoryCall.NEVER) {
            return "the outcome is unknown though no server has ended";
        }
        return call.begun >= call.ended ? "it ended before it began" : null;
    }

    /** No two objects have one id; ids that no client was told of at the making are those of open calls. */
    private @Nullable String claimIds() {
        Set<Long> claimed = new HashSet<>();
        before.nodes().values().forEach(node -> claimed.add(node.id()));
        for (HistoryCall call : calls) {
            Seen seen = call.seen;
            boolean made = call.verb == HistoryCall.Verb.CREATE || call.verb == HistoryCall.Verb.MKDIR;
            if (made && seen != null && !claimed.add(seen.id())) {
                return "an id was given twice: " + call;
            }
        }
        after.nodes().values().forEach(node -> unclaimed.add(node.id()));
        for (HistoryCall call : calls) {
            Seen seen = call.seen;
            if (seen != null) {
                unclaimed.add(seen.id());
                unclaimed.add(seen.parent());
            }
            unclaimed.add(call.removed);
        }
        unclaimed.removeAll(claimed);
        return null;
    }

    private Spot leader(Spot name) {
        Spot at = name;
        for (Spot next = connected.get(at); next != null && !next.equals(at); next = connected.get(at)) {
            at = next;
        }
        return at;
    }

    /** What stands below each set of names. */
    private Map<Spot, Map<Spot, Node>> split(HistoryTree tree) {
        Map<Long, Spot> entryOf = new HashMap<>();
        tree.nodes().forEach((key, node) -> entryOf.put(node.id(), key));
        Map<Spot, Map<Spot, Node>> split = new HashMap<>();
        tree.nodes().forEach((key, node) -> {
            Spot top = key;
            for (Spot above = entryOf.get(top.parent()); above != null; above = entryOf.get(top.parent())) {
                top = above;
            }
            split.computeIfAbsent(leader(top), _ -> new HashMap<>()).put(key, node);
        });
        return split;
    }
}
