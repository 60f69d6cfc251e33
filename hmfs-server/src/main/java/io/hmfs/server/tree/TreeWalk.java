package io.hmfs.server.tree;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A walk over all that is below a directory, depth first. It holds a level for each directory on the way down and nothing else, pins no
 * epoch for longer than {@link #PAGE} entries, and can be cut off between two entries: what is written of it ({@link #write}) is all that
 * it needs to go on, at any later time and on any thread. No snapshot, as a listing is none: what neither comes nor goes meanwhile, and
 * is not moved out of or into a directory on the way, is met exactly once.
 *
 * <p>What was written may come back from any client: {@link #read} believes no id in it, but looks each name up again and asks
 * {@link #enter} for each directory as if it were met for the first time.
 */
public abstract class TreeWalk {
    /** Entries that are looked at in one call of the engine. */
    private static final int PAGE = 1024;

    /** Longest text that a walk is cut off with. */
    public static final int WRITTEN_MAX = 32 << 10;

    private static final int LEVEL_BYTES = 4 * Long.BYTES + Short.BYTES;

    /** A directory on the way down. */
    public static final class Level {
        public final Attributes directory;
        final byte[] name;
        final ListCursor cursor = new ListCursor();
        public boolean isChecked; // for subclasses

        private Level(Attributes directory, byte[] name) {
            this.directory = directory;
            this.name = name;
        }
    }

    private final Namespace namespace;
    private final String top;
    private final ArrayDeque<Level> levels = new ArrayDeque<>(); // the deepest last
    private final ListVisitor visitor = this::visit;
    private int pageLeft;
    private int written;
    private @Nullable Level met;
    private Status refused = Status.OK;

    /** {@code top}: the path of the directory at which it begins, for messages. */
    public TreeWalk(Namespace namespace, String top) {
        this.namespace = namespace;
        this.top = top;
    }

    /** Whether this directory, at {@code where}, may be walked; asked once, or again when the walk goes on after a cut. */
    public abstract Status enter(Attributes directory, Access.Where where);

    /** An entry of the deepest level, before what is below it. Called with an epoch pinned: must not wait. */
    public abstract Status entry(Level level, Name name, Attributes entry);

    /**
     * The next entry of this level, the deepest, is damaged, so that what is behind it cannot be walked: what the walk ends with, or OK: it goes on without the rest
     * of that level.
     */
    public Status damaged(Level level) {
        return Status.DAMAGED;
    }

    /** Whether it has to stop before the next entry. */
    public boolean isFull() {
        return false;
    }

    /** Whether the walk goes down into this directory of the deepest level. */
    public boolean descends(Name name) {
        return true;
    }

    /** Begins at this directory. */
    public Status begin(Attributes directory) {
        Status status = enter(directory, () -> top);
        if (status == Status.OK) {
            push(new Level(copy(directory), new byte[0]));
        }
        return status;
    }

    /** Walks on, over about so many entries, or until {@link #isAtEnd} or {@link #isFull}. OK, or what an entry or a directory was refused with. */
    public Status run(long entriesMax) {
        long left = entriesMax;
        while (!levels.isEmpty() && left > 0 && !isFull()) {
            Level level = levels.getLast();
            met = null;
            int page = (int) Math.min(left, PAGE);
            pageLeft = page;
            Status status =
                    level.cursor.atEnd() ? Status.OK : namespace.list(level.directory.id, level.cursor, visitor);
            left -= page - pageLeft;
            // What is below a directory in front of it comes first.
            if (refused == Status.OK && met == null && status == Status.DAMAGED) {
                refused = damaged(level);
            }
            if (refused != Status.OK) {
                return refused;
            }
            if (met != null) {
                push(met);
            } else if (status != Status.OK || level.cursor.atEnd()) { // it is gone, or at its end
                pop();
            }
        }
        return Status.OK;
    }

    public boolean isAtEnd() {
        return levels.isEmpty();
    }

    /** Whether it stands too deep to be cut off here. */
    public boolean isTooDeep() {
        return written > WRITTEN_MAX;
    }

    /** The same one level deeper, below this entry of the deepest level. */
    public final boolean isTooDeep(Name name) {
        return written + LEVEL_BYTES + name.length() > WRITTEN_MAX;
    }

    private void push(Level level) {
        levels.add(level);
        written += LEVEL_BYTES + level.name.length;
    }

    private void pop() {
        written -= LEVEL_BYTES + levels.removeLast().name.length;
    }

    private boolean visit(Name name, Attributes found) {
        if (met != null || pageLeft == 0 || isFull()) {
            return false;
        }
        pageLeft--;
        refused = entry(levels.getLast(), name, found);
        if (refused == Status.OK && found.isDirectory() && descends(name)) {
            Attributes directory = whole(found);
            if (directory != null) {
                refused = enter(directory, () -> path(name));
                met = new Level(directory, name.toBytes());
            }
        }
        return refused == Status.OK;
    }

    /** A copy of an entry of the deepest level, with its ACL, which a listing does not show; null: it is gone. */
    private @Nullable Attributes whole(Attributes found) {
        if (!found.hasAcl) {
            return copy(found);
        }
        Attributes whole = Attributes.withAcl();
        // By its id, as the walk goes on: one that has been renamed meanwhile is judged too.
        return namespace.statDirectory(found.id, whole) == Status.OK ? whole : null;
    }

    /** The path of the deepest level. */
    public final String path() {
        return levels.size() == 1 ? top : way().toString();
    }

    /** The path of an entry of the deepest level. */
    public final String path(Name name) {
        return way().append('/').append(name).toString();
    }

    /** Writes the path of an entry of the deepest level from the top on; its bytes, or -1 if it is longer than there is room for. */
    public final int below(Name name, byte[] out) {
        int end = 0;
        for (Level level : levels) {
            int length = level.name.length;
            if (length > 0) {
                if (end + length >= out.length) {
                    return -1;
                }
                System.arraycopy(level.name, 0, out, end, length);
                end += length;
                out[end++] = '/';
            }
        }
        if (end + name.length() > out.length) {
            return -1;
        }
        System.arraycopy(name.buffer(), 0, out, end, name.length());
        return end + name.length();
    }

    private StringBuilder way() {
        StringBuilder path = new StringBuilder(top.equals("/") ? "" : top);
        for (Level level : levels) {
            if (level.name.length > 0) {
                path.append('/').append(new String(level.name, StandardCharsets.UTF_8));
            }
        }
        return path;
    }

    private static Attributes copy(Attributes of) {
        Attributes copy = Attributes.withAcl();
        copy.hasAcl = of.hasAcl;
        copy.acl = of.acl;
        copy.id = of.id;
        copy.type = of.type;
        copy.mode = of.mode;
        copy.uid = of.uid;
        copy.gid = of.gid;
        return copy;
    }

    /** Where the walk is, to go on there; nothing at its end. */
    public byte[] write() {
        ByteBuffer out = ByteBuffer.allocate(written).order(ByteOrder.LITTLE_ENDIAN);
        for (Level level : levels) {
            out.putLong(level.directory.id);
            out.putLong(level.cursor.birth).putLong(level.cursor.at).putLong(level.cursor.start);
            out.putShort((short) level.name.length).put(level.name);
        }
        return out.array();
    }

    /**
     * Goes on from there, beginning at this directory, which is what the walk's path leads to now. STALE: another directory is in its
     * place, or one on the way down has gone: what is left of it would be met nowhere, perhaps; INVALID_ARGUMENT: no server wrote that.
     */
    public Status read(Attributes directory, byte[] from) {
        ByteBuffer in = ByteBuffer.wrap(from).order(ByteOrder.LITTLE_ENDIAN);
        Attributes at = directory;
        while (in.hasRemaining()) {
            if (in.remaining() < LEVEL_BYTES) {
                return Status.INVALID_ARGUMENT;
            }
            long id = in.getLong();
            long birth = in.getLong();
            long hint = in.getLong();
            long start = in.getLong();
            int length = Short.toUnsignedInt(in.getShort());
            if (length > Math.min(in.remaining(), Name.LENGTH_MAX) || (length == 0) != levels.isEmpty()) {
                return Status.INVALID_ARGUMENT;
            }
            byte[] bytes = new byte[length];
            in.get(bytes);
            Name name = new Name();
            if (length > 0) {
                name.set(bytes, 0, length);
                at = Attributes.withAcl();
                boolean there = name.check() == Status.OK
                        && namespace.stat(levels.getLast().directory.id, name, at) == Status.OK
                        && at.isDirectory();
                if (!there) {
                    return Status.STALE;
                }
            }
            if (at.id != id) {
                return Status.STALE;
            }
            Status status = enter(at, () -> length > 0 ? path(name) : top);
            if (status != Status.OK) {
                return status;
            }
            Level level = new Level(copy(at), bytes);
            level.cursor.birth = birth;
            level.cursor.at = hint;
            level.cursor.start = start;
            push(level);
        }
        return Status.OK;
    }
}
