package io.hmfs.server.tree;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import io.hmfs.server.access.Access;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A count of what is below a directory, for a user that must be allowed to read and pass each directory in it. It can be cut off: what is
 * written of it ({@link #write}) is all that it needs to go on, at any later time and on any thread. That may come back from any client:
 * {@link #read} believes no id in it, but looks each name up again and asks for each directory as if it were met for the first time.
 */
public final class SummaryWalk extends TreeCount {
    /** Longest text that it is cut off with. */
    public static final int WRITTEN_MAX = 32 << 10;

    private static final int LEVEL_BYTES = 4 * Long.BYTES + 2 * Short.BYTES;
    private static final int NOTHING_ABOVE = 0xffff; // more levels than have room
    private static final byte[] NO_NAME = {};

    private final Namespace namespace;
    private final Access access;
    private final String top;
    private String damagedIn = "";

    /** {@code top}: the path of the directory at which it begins, for messages. */
    public SummaryWalk(Namespace namespace, Access access, String top) {
        this.namespace = namespace;
        this.access = access;
        this.top = top;
    }

    /** Begins with this object, which counts. */
    public Status begin(Attributes object) {
        add(object);
        if (!object.isDirectory()) {
            return Status.OK;
        }
        Level level = new Level(null, object.id, NO_NAME);
        push(level);
        return enter(level, object);
    }

    @Override
    protected Status enter(Level level, Attributes directory) {
        return access.check(directory, Access.READ | Access.EXECUTE, () -> path(level));
    }

    @Override
    public Status damaged(Level level) {
        damagedIn = path(level);
        return Status.DAMAGED;
    }

    /** The path of the directory whose damaged entry has ended it. */
    public String damagedIn() {
        return damagedIn;
    }

    private String path(Level level) {
        Deque<String> names = new ArrayDeque<>();
        for (Level at = level; at.above != null; at = at.above) {
            names.push(new String(at.name, StandardCharsets.UTF_8));
        }
        if (names.isEmpty()) {
            return top;
        }
        return (top.equals("/") ? "" : top) + "/" + String.join("/", names);
    }

    /** What is left, each directory behind the one above it. */
    private Map<Level, Integer> numbered() {
        Map<Level, Integer> numbers = new HashMap<>();
        for (Level each : left()) {
            Deque<Level> way = new ArrayDeque<>();
            for (Level at = each; at != null && !numbers.containsKey(at); at = at.above) {
                way.push(at);
            }
            way.forEach(level -> numbers.put(level, numbers.size()));
        }
        return numbers;
    }

    /** Where it is, to go on there: nothing at its end; null: too deep in too many places to be cut off here. */
    public byte @Nullable [] write() {
        Map<Level, Integer> numbers = numbered();
        Level[] levels = new Level[numbers.size()];
        int bytes = 0;
        for (Map.Entry<Level, Integer> each : numbers.entrySet()) {
            levels[each.getValue()] = each.getKey();
            bytes += LEVEL_BYTES + each.getKey().name.length;
        }
        if (bytes > WRITTEN_MAX) {
            return null;
        }
        ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (Level level : levels) {
            out.putShort((short) (level.above == null ? NOTHING_ABOVE : numbers.getOrDefault(level.above, 0)));
            out.putLong(level.directory);
            // Of one that is at its end this is the last entry, behind which there is nothing.
            out.putLong(level.cursor.birth).putLong(level.cursor.at).putLong(level.cursor.start);
            out.putShort((short) level.name.length).put(level.name);
        }
        return out.array();
    }

    /**
     * Goes on from there, beginning at this directory, which is what the path leads to now. What has gone on the way is left out. STALE:
     * another directory is in its place; INVALID_ARGUMENT: no server wrote that.
     */
    public Status read(Attributes directory, byte[] from) {
        if (from.length > WRITTEN_MAX) {
            return Status.INVALID_ARGUMENT;
        }
        ByteBuffer in = ByteBuffer.wrap(from).order(ByteOrder.LITTLE_ENDIAN);
        List<@Nullable Level> levels = new ArrayList<>(); // null: gone
        while (in.hasRemaining()) {
            if (in.remaining() < LEVEL_BYTES) {
                return Status.INVALID_ARGUMENT;
            }
            int above = Short.toUnsignedInt(in.getShort());
            long id = in.getLong();
            long birth = in.getLong();
            long hint = in.getLong();
            long start = in.getLong();
            int length = Short.toUnsignedInt(in.getShort());
            boolean isTop = levels.isEmpty();
            if (length > Math.min(in.remaining(), Name.LENGTH_MAX)
                    || (length == 0) != isTop
                    || (isTop ? above != NOTHING_ABOVE : above >= levels.size())) {
                return Status.INVALID_ARGUMENT;
            }
            byte[] name = new byte[length];
            in.get(name);
            Level parent = isTop ? null : levels.get(above);
            Attributes found = isTop ? directory : parent == null ? null : find(parent.directory, name, id);
            if (isTop && directory.id != id) {
                return Status.STALE;
            }
            if (found == null) {
                levels.add(null);
                continue;
            }
            Level level = new Level(parent, id, name);
            level.cursor.birth = birth;
            level.cursor.at = hint;
            level.cursor.start = start;
            Status status = enter(level, found);
            if (status != Status.OK) {
                return status;
            }
            levels.add(level);
            if (!level.cursor.atEnd()) {
                push(level);
            }
        }
        return Status.OK;
    }

    private @Nullable Attributes find(long parent, byte[] bytes, long id) {
        Name name = new Name();
        name.set(bytes, 0, bytes.length);
        Attributes found = Attributes.withAcl();
        boolean there = name.check() == Status.OK
                && namespace.stat(parent, name, found) == Status.OK
                && found.isDirectory()
                && found.id == id;
        return there ? found : null;
    }
}
