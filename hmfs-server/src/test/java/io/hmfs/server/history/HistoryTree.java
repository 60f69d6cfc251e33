package io.hmfs.server.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What stands where at one moment of a history; and how far the walks along paths have come, for a call sees the directory on its way at
 * another moment than the object at its end. An object that a call made which was never answered has a negative id until an answer shows
 * the real one. Immutable.
 */
final class HistoryTree {
    static final HistoryTree EMPTY = new HistoryTree(Map.of(), Map.of(), Set.of());

    /** A name in a directory. */
    record Spot(long parent, String name) {}

    /** A file or a directory. */
    record Node(long id, boolean directory, int mode, long size) {}

    private final Map<Spot, Node> nodes;
    private final Map<Integer, Long> walked;
    private final Set<Long> bound;
    private final int hash;

    private HistoryTree(Map<Spot, Node> nodes, Map<Integer, Long> walked, Set<Long> bound) {
        this.nodes = nodes;
        this.walked = walked;
        this.bound = bound;
        hash = (nodes.hashCode() * 31 + walked.hashCode()) * 31 + bound.hashCode();
    }

    static HistoryTree of(Map<Spot, Node> nodes) {
        return new HistoryTree(Map.copyOf(nodes), Map.of(), Set.of());
    }

    Map<Spot, Node> nodes() {
        return nodes;
    }

    @Nullable
    Node at(long parent, String name) {
        return nodes.get(new Spot(parent, name));
    }

    boolean hasDirectory(long id) {
        return nodes.values().stream().anyMatch(node -> node.id == id && node.directory);
    }

    boolean isEmpty(long directory) {
        return nodes.keySet().stream().noneMatch(key -> key.parent == directory);
    }

    /** Whether a directory is this one or below it. */
    boolean isWithin(long directory, long above) {
        for (long at = directory; ; ) {
            if (at == above) {
                return true;
            }
            long child = at;
            Spot entry = nodes.entrySet().stream()
                    .filter(each -> each.getValue().id == child)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(null);
            if (entry == null) {
                return false;
            }
            at = entry.parent;
        }
    }

    /** Where a call's walk has come to: the first path, or the second one of a rename. */
    @Nullable
    Long walked(int walk) {
        return walked.get(walk);
    }

    HistoryTree walk(int walk, long directory) {
        Map<Integer, Long> further = new TreeMap<>(walked);
        further.put(walk, directory);
        return new HistoryTree(nodes, further, bound);
    }

    /** The call has ended, and with it its walks. */
    HistoryTree arrive(int... walks) {
        boolean none = true;
        for (int walk : walks) {
            none &= !walked.containsKey(walk);
        }
        if (none) {
            return this;
        }
        Map<Integer, Long> rest = new TreeMap<>(walked);
        for (int walk : walks) {
            rest.remove(walk);
        }
        return new HistoryTree(nodes, rest, bound);
    }

    private HistoryTree with(Consumer<Map<Spot, Node>> change) {
        Map<Spot, Node> changed = new HashMap<>(nodes);
        change.accept(changed);
        return new HistoryTree(changed, walked, bound);
    }

    HistoryTree put(long parent, String name, Node node) {
        return with(changed -> changed.put(new Spot(parent, name), node));
    }

    HistoryTree remove(long parent, String name) {
        return with(changed -> changed.remove(new Spot(parent, name)));
    }

    /** The same, once it is known that a made-up id is this one; null if it cannot be: another one had it. */
    @Nullable
    HistoryTree bind(long madeUp, long id) {
        if (bound.contains(id)) {
            return null;
        }
        Map<Spot, Node> known = new HashMap<>();
        nodes.forEach((key, node) -> known.put(
                new Spot(key.parent == madeUp ? id : key.parent, key.name),
                node.id == madeUp ? new Node(id, node.directory, node.mode, node.size) : node));
        Map<Integer, Long> ways = new TreeMap<>(walked);
        ways.replaceAll((walk, directory) -> directory == madeUp ? id : directory);
        Set<Long> ids = new HashSet<>(bound);
        ids.add(id);
        return new HistoryTree(known, ways, ids);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HistoryTree tree
                && hash == tree.hash
                && nodes.equals(tree.nodes)
                && walked.equals(tree.walked)
                && bound.equals(tree.bound);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        nodes.entrySet().stream()
                .map(each -> "\n    " + each.getKey().parent + "/" + each.getKey().name + " = " + each.getValue())
                .sorted()
                .forEach(text::append);
        return text.isEmpty() ? " nothing" : text.toString();
    }
}
