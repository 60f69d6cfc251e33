package io.hmfs.server.history;

import io.hmfs.client.ResultCode;
import io.hmfs.server.history.HistoryCall.Place;
import io.hmfs.server.history.HistoryCall.Seen;
import io.hmfs.server.history.HistoryTree.Node;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a namespace answers, in plain words: the steps of a call and what each one makes of a {@link HistoryTree}. A step gives the trees that
 * its answer allows, mostly one or none. Only success is asked of a call without an answer: its failure would have changed nothing.
 */
final class Model {
    private static final List<HistoryTree> NOTHING = List.of();

    /** The id of no directory: where a rename has arrived whose source cannot be there. */
    private static final long NOWHERE = Long.MIN_VALUE;

    /** Ids that answers show and that no answered call has made: those of objects whose makers never heard of them. */
    private final Set<Long> unclaimed;

    Model(Set<Long> unclaimed) {
        this.unclaimed = unclaimed;
    }

    /** One more step of a call, from what it has walked on. */
    record Step(HistoryTree tree, boolean ended) {}

    /** The next step of the call with this number. */
    List<Step> next(HistoryCall call, int number, HistoryTree tree) {
        int firstWalk = 2 * number;
        int secondWalk = firstWalk + 1;
        Place to = call.to;
        if (isToWalk(call, call.at, tree.walked(firstWalk))) {
            return walk(call, call.at, firstWalk, tree);
        }
        if (to != null && isToWalk(call, to, tree.walked(secondWalk))) {
            return walk(call, to, secondWalk, tree);
        }
        long source = arrived(call.at, tree.walked(firstWalk));
        long target = to == null ? 0 : arrived(to, tree.walked(secondWalk));
        return act(call, tree, source, target, -1 - number).stream()
                .map(after -> new Step(after.arrive(firstWalk, secondWalk), true))
                .toList();
    }

    private static boolean isToWalk(HistoryCall call, Place place, @Nullable Long walked) {
        return place.isDeep() && walked == null && call.verb != HistoryCall.Verb.APPEND;
    }

    private static long arrived(Place place, @Nullable Long walked) {
        return walked == null ? place.directory() : walked;
    }

    private List<Step> walk(HistoryCall call, Place place, int walk, HistoryTree tree) {
        Node way = tree.at(place.directory(), place.name());
        boolean isSource = call.to != null && walk % 2 == 0;
        if (isSource && (way == null || !way.directory())) {
            return List.of(new Step(tree.walk(walk, NOWHERE), false)); // a rename looks at its target all the same
        }
        if (way == null) {
            return ends(call, tree, walk, ResultCode.NOT_FOUND);
        }
        if (!way.directory()) {
            return ends(call, tree, walk, ResultCode.NOT_DIRECTORY);
        }
        long seen = call.parentSeen();
        HistoryTree known = seen == 0 ? tree : identify(tree, way.id(), seen);
        return known == null ? List.of() : List.of(new Step(known.walk(walk, seen == 0 ? way.id() : seen), false));
    }

    private static List<Step> ends(HistoryCall call, HistoryTree tree, int walk, ResultCode answer) {
        return call.answer == answer ? List.of(new Step(tree.arrive(walk & ~1, walk | 1), true)) : List.of();
    }

    /** The tree in which an object's id is the one that an answer shows; null if it is another one. */
    private @Nullable HistoryTree identify(HistoryTree tree, long id, long shown) {
        if (id == shown) {
            return tree;
        }
        return id < 0 && unclaimed.contains(shown) ? tree.bind(id, shown) : null;
    }

    private static List<HistoryTree> answered(HistoryCall call, HistoryTree tree, ResultCode... answers) {
        return List.of(answers).contains(call.answer) ? List.of(tree) : NOTHING;
    }

    private static boolean succeeds(HistoryCall call) {
        return call.answer == ResultCode.OK || call.isOpen();
    }

    private List<HistoryTree> act(HistoryCall call, HistoryTree tree, long parent, long target, long madeUp) {
        if (call.verb == HistoryCall.Verb.APPEND) {
            return append(call, tree);
        }
        Place to = call.to;
        boolean gone = (call.at.isDeep() && !tree.hasDirectory(parent))
                || (to != null && to.isDeep() && !tree.hasDirectory(target));
        if (gone) {
            return answered(call, tree, ResultCode.NOT_FOUND);
        }
        if (call.verb == HistoryCall.Verb.CREATE || call.verb == HistoryCall.Verb.MKDIR) {
            return make(call, tree, parent, madeUp);
        }
        String name = call.at.last();
        Node node = tree.at(parent, name);
        if (node == null) {
            return answered(call, tree, ResultCode.NOT_FOUND);
        }
        return switch (call.verb) {
            case STAT -> stat(call, tree, parent, node);
            case DELETE -> delete(call, tree, parent, node);
            case RMDIR -> rmdir(call, tree, parent, node);
            case CHMOD ->
                succeeds(call)
                        ? List.of(
                                tree.put(parent, name, new Node(node.id(), node.directory(), call.number, node.size())))
                        : NOTHING;
            case TRUNCATE ->
                node.directory()
                        ? answered(call, tree, ResultCode.IS_DIRECTORY)
                        : succeeds(call)
                                ? List.of(tree.put(parent, name, new Node(node.id(), false, node.mode(), call.number)))
                                : NOTHING;
            default -> rename(call, tree, parent, node, target);
        };
    }

    private static List<HistoryTree> make(HistoryCall call, HistoryTree tree, long parent, long madeUp) {
        String name = call.at.last();
        if (tree.at(parent, name) != null) {
            return answered(call, tree, ResultCode.EXISTS);
        }
        Seen seen = call.seen;
        boolean directory = call.verb == HistoryCall.Verb.MKDIR;
        if (call.isOpen()) {
            return List.of(tree.put(parent, name, new Node(madeUp, directory, call.number, 0)));
        }
        if (call.answer != ResultCode.OK || seen == null) {
            return NOTHING;
        }
        Node made = new Node(seen.id(), directory, call.number, 0);
        return shows(seen, parent, made) ? List.of(tree.put(parent, name, made)) : NOTHING;
    }

    /** Whether an answer shows this object in this directory, whatever its id. */
    private static boolean shows(Seen seen, long parent, Node node) {
        return seen.parent() == parent
                && seen.directory() == node.directory()
                && seen.mode() == node.mode()
                && seen.size() == node.size();
    }

    private List<HistoryTree> stat(HistoryCall call, HistoryTree tree, long parent, Node node) {
        Seen seen = call.seen;
        if (call.answer != ResultCode.OK || seen == null || !shows(seen, parent, node)) {
            return NOTHING;
        }
        HistoryTree known = identify(tree, node.id(), seen.id());
        return known == null ? NOTHING : List.of(known);
    }

    private List<HistoryTree> delete(HistoryCall call, HistoryTree tree, long parent, Node node) {
        if (node.directory()) {
            return answered(call, tree, ResultCode.IS_DIRECTORY);
        }
        HistoryTree known = removes(call, tree, node);
        return known == null ? NOTHING : List.of(known.remove(parent, call.at.last()));
    }

    /** The tree in which this file is the one that the call says it has removed. */
    private @Nullable HistoryTree removes(HistoryCall call, HistoryTree tree, Node victim) {
        if (call.isOpen()) {
            return tree;
        }
        return call.answer == ResultCode.OK ? identify(tree, victim.id(), call.removed) : null;
    }

    private static List<HistoryTree> rmdir(HistoryCall call, HistoryTree tree, long parent, Node node) {
        if (!node.directory()) {
            return answered(call, tree, ResultCode.NOT_DIRECTORY);
        }
        if (!tree.isEmpty(node.id())) {
            return answered(call, tree, ResultCode.NOT_EMPTY);
        }
        return succeeds(call) ? List.of(tree.remove(parent, call.at.last())) : NOTHING;
    }

    private List<HistoryTree> append(HistoryCall call, HistoryTree tree) {
        Seen file = Objects.requireNonNull(call.file);
        Node node = tree.at(file.parent(), call.at.last());
        if (node == null || node.id() != file.id()) {
            return answered(call, tree, ResultCode.STALE);
        }
        long size = Math.max(node.size(), call.number);
        return succeeds(call)
                ? List.of(tree.put(file.parent(), call.at.last(), new Node(node.id(), false, node.mode(), size)))
                : NOTHING;
    }

    /** Over a directory, a server that keeps data moves nothing, and the engine a directory if the other one is empty: both are right. */
    private List<HistoryTree> rename(HistoryCall call, HistoryTree tree, long parent, Node node, long target) {
        String name = call.at.last();
        String newName = Objects.requireNonNull(call.to).last();
        if (parent == target && name.equals(newName)) {
            return call.removed == 0 ? answered(call, tree, ResultCode.OK) : NOTHING;
        }
        if (node.directory() && tree.isWithin(target, node.id())) {
            return answered(call, tree, ResultCode.LOOP);
        }
        Node victim = tree.at(target, newName);
        boolean replaces = call.verb == HistoryCall.Verb.REPLACE;
        if (victim == null) {
            boolean moves = call.isOpen() || (call.answer == ResultCode.OK && call.removed == 0);
            return moves ? List.of(move(tree, parent, name, target, newName, node)) : NOTHING;
        }
        if (!replaces) {
            return answered(call, tree, ResultCode.EXISTS);
        }
        if (node.directory() && !victim.directory()) {
            return answered(call, tree, ResultCode.NOT_DIRECTORY);
        }
        if (victim.directory() && !(node.directory() && tree.isEmpty(victim.id()) && succeeds(call))) {
            return answered(
                    call, tree, ResultCode.EXISTS, node.directory() ? ResultCode.NOT_EMPTY : ResultCode.IS_DIRECTORY);
        }
        HistoryTree known = victim.directory() ? tree : removes(call, tree, victim);
        return known == null ? NOTHING : List.of(move(known, parent, name, target, newName, node));
    }

    private static HistoryTree move(
            HistoryTree tree, long parent, String name, long target, String newName, Node node) {
        return tree.remove(parent, name).put(target, newName, node);
    }
}
