package io.hmfs.server.history;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.server.history.HistoryCall.Place;
import io.hmfs.server.history.HistoryCall.Seen;
import io.hmfs.server.history.HistoryTree.Node;
import io.hmfs.server.history.HistoryTree.Spot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The few names of a history: four directories that stay, eight names in each of them, and two in whatever directory has such a name. */
final class World {
    static final List<String> NAMES = List.of("a", "b", "c", "d", "e", "f", "g", "h");
    static final List<String> CHILDREN = List.of("x", "y");
    private static final int DIRECTORIES = 4;

    private final Map<Long, String> directories = new HashMap<>();
    private final List<Spot> tops = new ArrayList<>();

    /** Makes the directories. */
    World(HmfsClient client) throws IOException {
        for (int i = 0; i < DIRECTORIES; i++) {
            long id = client.mkdir("/d" + i, 0755, false).id();
            directories.put(id, "/d" + i);
            NAMES.forEach(name -> tops.add(new Spot(id, name)));
        }
    }

    String path(Place place) {
        return path(place.directory()) + "/" + place.name() + (place.isDeep() ? "/" + place.child() : "");
    }

    String path(long directory) {
        String path = directories.get(directory);
        if (path == null) {
            throw new IllegalArgumentException("no directory that stays: " + directory);
        }
        return path;
    }

    /** All names in an order, cut in groups of so many: renames stay within one, so that each is a question of its own. */
    List<List<Spot>> groups(int size, Random random) {
        List<Spot> shuffled = new ArrayList<>(tops);
        Collections.shuffle(shuffled, random);
        List<List<Spot>> groups = new ArrayList<>();
        for (int at = 0; at < shuffled.size(); at += size) {
            groups.add(shuffled.subList(at, Math.min(at + size, shuffled.size())));
        }
        return groups;
    }

    /** Everything that there is, while nothing is under way. A listing and the stats of what it lists must agree. */
    HistoryTree lookAtAll(HmfsClient client) throws IOException {
        Map<Spot, Node> nodes = new HashMap<>();
        look(client, "", nodes);
        Map<Spot, Node> below = new HashMap<>(nodes);
        for (Map.Entry<Long, String> each : directories.entrySet()) {
            FileInfo there = client.stat(each.getValue());
            if (there.id() != each.getKey() || below.remove(new Spot(there.parentId(), there.name())) == null) {
                throw new AssertionError(each + " is another directory now: " + there);
            }
        }
        if (below.keySet().stream().anyMatch(key -> key.parent() == 1)) {
            throw new AssertionError("the root has names that no client made: " + below);
        }
        return HistoryTree.of(below);
    }

    private static void look(HmfsClient client, String directory, Map<Spot, Node> nodes) throws IOException {
        for (FileInfo listed : list(client, directory.isEmpty() ? "/" : directory)) {
            String path = directory + "/" + listed.name();
            Seen seen = Seen.of(client.stat(path));
            if (!seen.equals(Seen.of(listed))) {
                throw new AssertionError(path + " is listed as " + listed + ", and a stat says " + seen);
            }
            nodes.put(
                    new Spot(seen.parent(), listed.name()),
                    new Node(seen.id(), seen.directory(), seen.mode(), seen.size()));
            if (seen.directory()) {
                look(client, path, nodes);
            }
        }
    }

    /** A whole listing; a name that shows twice is wrong, whatever happens meanwhile. */
    static List<FileInfo> list(HmfsClient client, String directory) throws IOException {
        List<FileInfo> entries = new ArrayList<>();
        for (ListingCursor cursor = ListingCursor.START; cursor != null; ) {
            ListPage page = client.list(directory, cursor, 0);
            entries.addAll(page.entries());
            cursor = page.next();
        }
        Set<String> names = new HashSet<>();
        for (FileInfo entry : entries) {
            if (!names.add(entry.name())) {
                throw new AssertionError(directory + " lists " + entry.name() + " twice: " + entries);
            }
        }
        return entries;
    }
}
