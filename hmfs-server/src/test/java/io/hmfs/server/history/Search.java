package io.hmfs.server.history;

import io.hmfs.server.history.HistoryTree.Node;
import io.hmfs.server.history.HistoryTree.Spot;
import io.hmfs.server.history.Model.Step;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of calls that explains their answers and what there is before and after them (Wing and Gong, JPDC 1993, with the
 * memory of Lowe, CPE 2017). Depth first: next comes any call that began before the first end of those that are left; what was reached
 * before, with the same calls done, is not looked at again.
 *
 * <p>A read that fits is taken at once and nothing else is tried instead: it leaves everything as it is, so wherever it comes later, it
 * may come now as well. Not so while a call is open that would be too late then.
 */
final class Search {
    /** What came of it. */
    enum Verdict {
        EXPLAINED,
        CONTRADICTED,
        /** There were more orders than it looks at. */
        UNDECIDED
    }

    private static final class GaveUp extends RuntimeException {
        private static final long serialVersionUID = 1;

        GaveUp() {
            super(null, null, false, false);
        }
    }

    private record Reached(BitSet done, HistoryTree tree) {}

    private final List<HistoryCall> calls;
    private final HistoryTree after;
    private final Set<Long> unclaimed;
    private final Model model;
    private final int reachedMax;
    private final Set<Reached> reached = new HashSet<>();
    private final List<Integer> order;

    /** The first attempt tries the calls in the order of their ends, those that are open last; each further one in another order. */
    Search(List<HistoryCall> calls, HistoryTree after, Set<Long> unclaimed, int reachedMax, int attempt) {
        this.calls = new ArrayList<>(calls);
        this.calls.sort(Comparator.comparing(HistoryCall::isOpen)
                .thenComparingLong(call -> call.isOpen() ? call.begun : call.ended));
        order = new ArrayList<>(IntStream.range(0, calls.size()).boxed().toList());
        if (attempt > 0) {
            Collections.shuffle(order, new Random(attempt));
        }
        this.after = after;
        this.unclaimed = unclaimed;
        this.model = new Model(unclaimed);
        this.reachedMax = reachedMax;
    }

    Verdict from(HistoryTree before) {
        try {
            return search(new BitSet(), before) ? Verdict.EXPLAINED : Verdict.CONTRADICTED;
        } catch (GaveUp e) {
            return Verdict.UNDECIDED;
        }
    }

    /** How many situations it has been in. */
    int reached() {
        return reached.size();
    }

    private boolean search(BitSet doneBefore, HistoryTree treeBefore) {
        BitSet done = (BitSet) doneBefore.clone();
        HistoryTree tree = takeReads(done, treeBefore);
        if (!reached.add(new Reached((BitSet) done.clone(), tree))) {
            return false;
        }
        if (reached.size() > reachedMax) {
            throw new GaveUp();
        }
        long firstEnd = firstEnd(done);
        if (firstEnd == HistoryCall.NEVER && isAfter(tree)) {
            return true;
        }
        long latest = latestBegun(done);
        for (int i : order) {
            HistoryCall call = calls.get(i);
            if (done.get(i) || call.begun > firstEnd || (call.isOpen() && latest > call.lost)) {
                continue;
            }
            for (Step step : model.next(call, i, tree)) {
                if (step.ended()) {
                    done.set(i);
                }
                boolean found = search(done, step.tree());
                done.clear(i);
                if (found) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Does what can be done now as well as ever. */
    private HistoryTree takeReads(BitSet done, HistoryTree from) {
        HistoryTree tree = from;
        for (boolean again = true; again; ) {
            again = false;
            long firstEnd = firstEnd(done);
            long bound = firstLost(done, latestBegun(done));
            for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
                HistoryCall call = calls.get(i);
                if (call.begun > firstEnd || call.begun > bound || call.isOpen()) {
                    continue;
                }
                for (Step step : model.next(call, i, tree)) {
                    if (isFree(call, i, tree, step)) {
                        tree = step.tree();
                        if (step.ended()) {
                            done.set(i);
                        }
                        again = true;
                    }
                }
            }
        }
        return tree;
    }

    /** Whether a step decides nothing: the end of a read, or a walk to a directory that the answer names. */
    private static boolean isFree(HistoryCall call, int number, HistoryTree tree, Step step) {
        if (!step.ended()) {
            long seen = call.parentSeen();
            return seen != 0 && step.tree().equals(tree.walk(2 * number, seen));
        }
        return call.isRead() && step.tree().equals(tree.arrive(2 * number, 2 * number + 1));
    }

    private long firstEnd(BitSet done) {
        for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
            return calls.get(i).isOpen() ? HistoryCall.NEVER : calls.get(i).ended; // they are sorted
        }
        return HistoryCall.NEVER;
    }

    /** The first moment from which on an open call that could still happen cannot. */
    private long firstLost(BitSet done, long latest) {
        long first = HistoryCall.NEVER;
        for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
            HistoryCall call = calls.get(i);
            first = call.isOpen() && call.lost >= latest ? Math.min(first, call.lost) : first;
        }
        return first;
    }

    private long latestBegun(BitSet done) {
        return done.stream().mapToLong(i -> calls.get(i).begun).max().orElse(0);
    }

    /** Whether a tree is what there is afterwards, whatever the objects that no client has heard of are called there. */
    private boolean isAfter(HistoryTree tree) {
        HistoryTree known = tree;
        for (Map.Entry<Spot, Node> madeUp = firstMadeUp(known); madeUp != null; madeUp = firstMadeUp(known)) {
            Node there = after.nodes().get(madeUp.getKey());
            HistoryTree bound = there == null || !unclaimed.contains(there.id())
                    ? null
                    : known.bind(madeUp.getValue().id(), there.id());
            if (bound == null) {
                return false;
            }
            known = bound;
        }
        return known.nodes().equals(after.nodes());
    }

    private static Map.@Nullable Entry<Spot, Node> firstMadeUp(HistoryTree tree) {
        return tree.nodes().entrySet().stream()
                .filter(each -> each.getValue().id() < 0 && each.getKey().parent() >= 0)
                .findFirst()
                .orElse(null);
    }

    /** The calls and what they led from and to, for a report. */
    String story(HistoryTree before) {
        StringBuilder text = new StringBuilder();
        text.append("  before:").append(before);
        calls.stream()
                .sorted(Comparator.comparingLong(call -> call.begun))
                .forEach(call -> text.append("\n  ").append(call));
        return text.append("\n  after:").append(after).toString();
    }
}
