package io.hmfs.core.engine;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * User and group names and their ids, kept in the pool: records of one region, appended, never changed. A record is its length
 * and a mark in one word, then the name padded to words; the word is stored last, so a record is there wholly or not at all. The
 * id is the record's ordinal; 0 is root.
 */
public final class Principals {
    private static final long PRESENT = 1L << 32;
    private static final int NAME_MAX = 255;

    private final Pmem pmem;
    private final long region;
    private final long end;
    private long tail;
    private final Map<String, Integer> ids = new ConcurrentHashMap<>();
    private volatile List<String> names = List.of();

    /** Reads the table; makes it in a pool that has none. */
    public Principals(Pmem pmem, Regions regions) {
        this.pmem = pmem;
        long found = Pmem.NULL;
        for (int i = 0; i < regions.count() && found == Pmem.NULL; i++) {
            found = regions.kind(i) == RegionKind.PRINCIPALS ? regions.at(i) : Pmem.NULL;
        }
        this.region = found != Pmem.NULL ? found : regions.acquire(RegionKind.PRINCIPALS);
        this.end = region + regions.size();
        this.tail = region;
        load();
        if (names.isEmpty() && id("root") != 0) {
            throw new CorruptPoolException(region, "an empty principal table", tail);
        }
    }

    private void load() {
        List<String> found = new ArrayList<>();
        long last = tail;
        while (tail + 8 <= end) {
            long word = pmem.getAcquire(tail);
            if (word == 0) {
                break;
            }
            int length = (int) word;
            if ((word & ~0xffffffffL) != PRESENT || length < 1 || length > NAME_MAX || tail + 8 + length > end) {
                throw new CorruptPoolException(tail, "a principal record", word);
            }
            byte[] bytes = new byte[length];
            pmem.copyOut(tail + 8, bytes, 0, length);
            String name = new String(bytes, StandardCharsets.UTF_8);
            ids.put(name, found.size());
            found.add(name);
            last = tail;
            tail += recordSize(length);
        }
        // [open.1] The last one a process may have stored, and died before it was durable. Files get its id from now.
        pmem.persist(last, 8);
        names = List.copyOf(found);
    }

    private static long recordSize(int length) {
        return 8 + ((length + 7L) & ~7L);
    }

    /** The id of a name, made on first use; -1 if the table is full or the name cannot be one. */
    public int id(String name) {
        Integer known = ids.get(name);
        return known != null ? known : add(name);
    }

    /** The id of a name that has one, else -1. */
    public int known(String name) {
        Integer known = ids.get(name);
        return known == null ? -1 : known;
    }

    private synchronized int add(String name) {
        Integer known = ids.get(name);
        if (known != null) {
            return known;
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int id = names.size();
        if (bytes.length == 0 || bytes.length > NAME_MAX || tail + recordSize(bytes.length) > end) {
            return -1;
        }
        long next = tail + recordSize(bytes.length);
        pmem.copyIn(bytes, 0, tail + 8, bytes.length);
        if (next + 8 <= end) {
            // A longer name whose commit never came may have left its bytes where the next word stands.
            pmem.set(next, 0);
        }
        // [principal.1] The name, and the end behind it, are durable before the word that says it is there.
        pmem.persist(tail + 8, Math.min(next + 8, end) - (tail + 8));
        // [principal.2] The commit.
        pmem.setRelease(tail, PRESENT | bytes.length);
        pmem.persist(tail, 8);
        tail = next;
        List<String> longer = new ArrayList<>(names);
        longer.add(name);
        names = List.copyOf(longer);
        ids.put(name, id);
        return id;
    }

    /** How many more names have room, however long they are. */
    public synchronized int room() {
        return (int) ((end - tail) / recordSize(NAME_MAX));
    }

    /** The name of an id, or null. */
    public @Nullable String name(int id) {
        List<String> known = names;
        return id >= 0 && id < known.size() ? known.get(id) : null;
    }
}
