package io.hmfs.server.partition;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.tree.OrphanDirectory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the tree of the orphan directory that is removed next. Owners of trees take turns, so that nobody's tree waits behind all trees of
 * another user. Holds at most {@link #KEPT} trees of each owner, and lists the directory again for more when they are gone. Not thread-safe.
 */
final class TreeTurns {
    private static final int OWNERS = 64; // users with the same remainder take their turns as one
    private static final int KEPT = 64; // trees of each
    private static final int PAGE = 512;

    /** A directory that stands in the orphan directory. */
    record Tree(long id, Name name) {}

    private final ServerNamespace namespace;
    private final long orphans;
    private final Set<Long> leftAlone;
    private final List<ArrayDeque<Tree>> waiting = new ArrayList<>();
    private final Set<Long> kept = new HashSet<>();
    private final ListCursor onward = new ListCursor();
    private int turn;
    private int beforeLook; // so many trees are handed out
    private int seen; // entries of a page
    private boolean isCutShort;

    /** {@code orphans}: the orphan directory's id. {@code leftAlone}: ids of trees that are not handed out. */
    TreeTurns(ServerNamespace namespace, long orphans, Set<Long> leftAlone) {
        this.namespace = namespace;
        this.orphans = orphans;
        this.leftAlone = leftAlone;
        for (int i = 0; i < OWNERS; i++) {
            waiting.add(new ArrayDeque<>());
        }
    }

    /** The next tree, which is found again later unless it is removed; null: there is none. */
    @Nullable
    Tree next() {
        if (beforeLook == 0 || kept.isEmpty()) {
            look();
            beforeLook = KEPT;
        }
        beforeLook--;
        for (int i = 0; i < OWNERS; i++) {
            turn = (turn + 1) % OWNERS;
            Tree tree = waiting.get(turn).poll();
            if (tree != null) {
                kept.remove(tree.id);
                return tree;
            }
        }
        return null;
    }

    /** Whether a tree of another owner than the last one's waits. */
    boolean othersWait() {
        look();
        return kept.size() > waiting.get(turn).size();
    }

    /** Looks at the head of the list, where trees come in, and further on from where it has looked before; at all of it if it finds nothing. */
    private void look() {
        readPage(new ListCursor());
        boolean fromStart = false;
        boolean ended;
        do {
            fromStart |= onward.birth == 0;
            ended = readPage(onward);
            if (ended) {
                onward.birth = 0;
                onward.at = 0;
                onward.start = 0;
            }
        } while (kept.isEmpty() && !(fromStart && ended));
    }

    /** True: there are no more behind it. */
    private boolean readPage(ListCursor cursor) {
        seen = 0;
        Status status = namespace.list(orphans, cursor, this::see);
        isCutShort |= status == Status.DAMAGED;
        return status != Status.OK || cursor.atEnd();
    }

    /** Whether there may be more, behind an entry that is damaged. */
    boolean isCutShort() {
        return isCutShort;
    }

    private boolean see(Name name, Attributes found) {
        if (seen == PAGE) {
            return false;
        }
        seen++;
        ArrayDeque<Tree> ofOwner = waiting.get(Math.floorMod(found.uid, OWNERS));
        // What is held may go back, and a temporary file come into the tree.
        boolean isTree = found.isDirectory() && !OrphanDirectory.isHolder(name);
        if (isTree && ofOwner.size() < KEPT && !leftAlone.contains(found.id) && kept.add(found.id)) {
            Name copy = new Name();
            copy.set(name.buffer(), 0, name.length());
            ofOwner.add(new Tree(found.id, copy));
        }
        return true;
    }
}
