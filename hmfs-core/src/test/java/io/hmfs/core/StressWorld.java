package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Operations of several threads on few names, and what must hold whatever their order is. Files by id: acknowledged and not
 * removed with its last name means listed at the end, each id removed at most once, each listed as often as it has names. A name that is only ever replaced, and an object that is only
 * ever renamed, are there at each look, and in each listing that takes no longer than a sweep's grace. The pool must have room: a full one is swept of what listings would follow. A size that only grows is at least what was acknowledged.
 */
final class StressWorld {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long TIMEOUT_NANOS = 120_000_000_000L;

    /** So long a sweep leaves what a listing may still follow, unless the pool is full. */
    private static final long GRACE_NANOS = 1_000_000_000L;

    private static final int DIRECTORIES = 3;
    private static final int THREADS_MAX = 4;
    private static final int COUNTED_SIZE = 100; // of a few threads: more than one slot
    private static final Name KIND = Name.of("user.kind");
    private static final String[] NAMES = {"a", "b", "c", "d", "e".repeat(70)};
    private static final String[] SUBDIRECTORIES = {"s", "t"};
    private static final String[] WANDERER = {"w0", "w1", "w2"};

    private final List<Long> directories = new ArrayList<>();
    private final Map<Long, String> files = new ConcurrentHashMap<>();

    /** Ids of subdirectories that may or may not be there. */
    private final Set<Long> subdirectories = ConcurrentHashMap.newKeySet();

    /** For each (directory, subdirectory name): acknowledged makes and arrivals minus removals and departures. */
    private final AtomicIntegerArray owners = new AtomicIntegerArray(DIRECTORIES * SUBDIRECTORIES.length);

    /** For each thread: what it has set last, and was answered. */
    private final AtomicLongArray counted = new AtomicLongArray(THREADS_MAX);

    private final AtomicLong grown = new AtomicLong();
    final AtomicInteger done = new AtomicInteger();

    /** Listings that were looked at. */
    final AtomicInteger listings = new AtomicInteger();

    /** Operations that a crash cut off, which may be there or not. */
    final AtomicInteger cutOff = new AtomicInteger();

    private volatile Namespace namespace;
    private long wandererId;
    private int wandererAt;
    private volatile int mode = 0644;

    StressWorld(Namespace namespace) {
        this.namespace = namespace;
        Attributes out = new Attributes();
        for (int i = 0; i < DIRECTORIES; i++) {
            assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("dir" + i), 0755, 0, 0, out));
            directories.add(out.id);
        }
        long d = directories.getFirst();
        assertEquals(Status.OK, namespace.create(d, Name.of("replaced"), 0644, 0, 0, out));
        files.put(out.id, "replaced");
        assertEquals(Status.OK, namespace.setXattr(d, Name.of("replaced"), KIND, Values.of(8, 8), XattrMode.CREATE));
        assertEquals(Status.OK, namespace.create(d, Name.of(WANDERER[0]), mode, 0, 0, out));
        wandererId = out.id;
        files.put(out.id, "wanderer");
    }

    /** Goes on over the same pool, opened again. */
    void reopened(Namespace next) {
        namespace = next;
    }

    /** Thread 0 alone renames the wanderer and replaces the replaced; thread 1 looks; all do the rest. */
    void step(int thread, Random random, Attributes out) {
        int what = random.nextInt(20);
        if (thread == 0 && what < 6) {
            wander(random, out);
        } else if (thread == 0 && what < 12) {
            replace(out);
        } else if (thread == 1 && what < 8) {
            look(random, out);
        } else if (thread == 2 && what < 4) {
            grow(random);
        } else if (what < 13) {
            file(random, out);
        } else if (what < 17) {
            attribute(thread);
        } else {
            subdirectory(random, out);
        }
        done.incrementAndGet();
    }

    private long directory(Random random) {
        return directories.get(random.nextInt(DIRECTORIES));
    }

    /** One of the fixed directories, or a subdirectory that may be gone. */
    private long anyDirectory(Random random) {
        if (random.nextInt(3) == 0) {
            for (long id : subdirectories) {
                if (random.nextInt(2) == 0) {
                    return id;
                }
            }
        }
        return directory(random);
    }

    private void file(Random random, Attributes out) {
        long d = anyDirectory(random);
        Name name = Name.of(NAMES[random.nextInt(NAMES.length)]);
        switch (random.nextInt(7)) {
            case 0, 1 -> {
                if (namespace.create(d, name, 0644, 0, 0, out) == Status.OK) {
                    files.put(out.id, d + "/" + name);
                }
            }
            case 2 -> {
                if (namespace.delete(d, name, out) == Status.OK && out.nlink == 0) {
                    removed(out.id);
                }
            }
            case 3, 4 -> {
                long to = anyDirectory(random);
                Name target = Name.of(NAMES[random.nextInt(NAMES.length)]);
                boolean replaced = namespace.rename(d, name, to, target, random.nextBoolean(), out) == Status.OK
                        && out.id != 0
                        && out.nlink == 0;
                if (replaced) {
                    removed(out.id);
                }
            }
            case 5 -> namespace.link(d, name, anyDirectory(random), Name.of(NAMES[random.nextInt(NAMES.length)]), out);
            default -> {
                namespace.chmod(d, name, 0600);
                namespace.stat(d, name, out);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the wait is for another thread's few instructions
    private void removed(long id) {
        // A create may have been answered to another thread that has not written it down yet.
        for (long start = System.nanoTime(); System.nanoTime() - start < TIMEOUT_NANOS; Thread.yield()) {
            if (files.remove(id) != null) {
                return;
            }
        }
        throw new AssertionError("file " + id + " was removed twice, or never made");
    }

    private void subdirectory(Random random, Attributes out) {
        int d = random.nextInt(DIRECTORIES);
        int s = random.nextInt(SUBDIRECTORIES.length);
        Name name = Name.of(SUBDIRECTORIES[s]);
        switch (random.nextInt(5)) {
            case 0, 1 -> {
                if (namespace.mkdir(directories.get(d), name, 0755, 0, 0, out) == Status.OK) {
                    owners.incrementAndGet(d * SUBDIRECTORIES.length + s);
                    subdirectories.add(out.id);
                }
            }
            case 2, 3 -> {
                if (namespace.rmdir(directories.get(d), name) == Status.OK) {
                    owners.decrementAndGet(d * SUBDIRECTORIES.length + s);
                }
            }
            default -> {
                int to = random.nextInt(DIRECTORIES);
                int newName = random.nextInt(SUBDIRECTORIES.length);
                Name target = Name.of(SUBDIRECTORIES[newName]);
                boolean itself = d == to && s == newName;
                Status status = namespace.rename(directories.get(d), name, directories.get(to), target, true, out);
                if (status == Status.OK && !itself) {
                    owners.decrementAndGet(d * SUBDIRECTORIES.length + s);
                    // It takes the place of an empty one, or of none.
                    owners.addAndGet(to * SUBDIRECTORIES.length + newName, out.id == 0 ? 1 : 0);
                }
            }
        }
        if (subdirectories.size() > 20) {
            subdirectories.removeIf(id -> namespace.statDirectory(id, out) != Status.OK);
        }
    }

    private void wander(Random random, Attributes out) {
        int to = (wandererAt + 1 + random.nextInt(WANDERER.length - 1)) % WANDERER.length;
        long d = directories.getFirst();
        Name from = Name.of(WANDERER[wandererAt]);
        if (random.nextInt(4) == 0) {
            assertEquals(Status.OK, namespace.chmod(d, from, 01000 | to));
            mode = 01000 | to;
        }
        assertEquals(Status.OK, namespace.rename(d, from, d, Name.of(WANDERER[to]), false, out));
        wandererAt = to;
        assertEquals(Status.OK, namespace.stat(d, Name.of(WANDERER[to]), out));
        assertEquals(wandererId, out.id);
        assertEquals(mode, out.mode);
    }

    private void replace(Attributes out) {
        long d = directories.getFirst();
        assertEquals(Status.OK, namespace.create(d, Name.of("tmp"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.setXattr(d, Name.of("tmp"), KIND, Values.of(8, 8), XattrMode.CREATE));
        long id = out.id;
        files.put(id, "replaced");
        assertEquals(Status.OK, namespace.rename(d, Name.of("tmp"), d, Name.of("replaced"), true, out));
        assertTrue(out.id != 0, "there was one before");
        removed(out.id);
    }

    private void look(Random random, Attributes out) {
        long d = directories.getFirst();
        assertEquals(Status.OK, namespace.stat(d, Name.of("replaced"), out));
        assertEquals(Status.OK, namespace.getXattr(d, Name.of("replaced"), KIND, new Bytes()));
        if (random.nextInt(3) > 0) {
            return;
        }
        List<String> names = new ArrayList<>();
        int[] wanderers = new int[1];
        ListCursor cursor = new ListCursor();
        long begun = System.nanoTime();
        int page = random.nextInt(3) == 0 ? 3 : Integer.MAX_VALUE;
        while (!cursor.atEnd()) {
            int[] left = {page};
            assertEquals(Status.OK, namespace.list(d, cursor, (name, attributes) -> {
                if (left[0]-- == 0) {
                    return false;
                }
                names.add(name.toString());
                wanderers[0] += attributes.id == wandererId ? 1 : 0;
                return true;
            }));
        }
        if (System.nanoTime() - begun < GRACE_NANOS) { // a busy machine may let a thread wait for longer
            assertEquals(1, names.stream().filter("replaced"::equals).count(), () -> "replaced in " + names);
            assertEquals(1, wanderers[0], () -> "wanderer in " + names);
            listings.incrementAndGet();
        }
        assertEquals(Status.OK, namespace.statDirectory(d, out));
    }

    /** Each thread counts up in an attribute of its own on the wanderer, which others set and rename at the same time. */
    private void attribute(int thread) {
        long value = counted.get(thread) + 1;
        for (String name : WANDERER) {
            Status status = namespace.setXattr(
                    directories.getFirst(),
                    Name.of(name),
                    Name.of("user.t" + thread),
                    Values.of(COUNTED_SIZE, value),
                    XattrMode.CREATE_OR_REPLACE);
            if (status == Status.OK) {
                counted.set(thread, value);
                return;
            }
        }
    }

    private void checkAttributes(boolean cutOffToo) {
        Bytes value = new Bytes();
        for (int thread = 0; thread < counted.length(); thread++) {
            Status status = namespace.getXattr(
                    directories.getFirst(), Name.of(WANDERER[wandererAt]), Name.of("user.t" + thread), value);
            long last = counted.get(thread);
            boolean same = status == Status.OK && Arrays.equals(value.value, Values.of(COUNTED_SIZE, last));
            boolean next = status == Status.OK && Arrays.equals(value.value, Values.of(COUNTED_SIZE, last + 1));
            boolean none = last == 0 && status == Status.NO_ATTRIBUTE;
            assertTrue(same || none || (cutOffToo && next), "attribute of thread " + thread + ": " + status);
            counted.set(thread, next ? last + 1 : last);
        }
    }

    private void grow(Random random) {
        long size = random.nextInt(1 << 20);
        for (String name : WANDERER) {
            if (namespace.append(directories.getFirst(), Name.of(name), wandererId, size) == Status.OK) {
                grown.accumulateAndGet(size, Math::max);
                return;
            }
        }
    }

    /** Everything once more, with nothing in flight. Adopts what cut off operations have left. */
    void check() {
        Attributes out = new Attributes();
        Map<Long, Integer> names = new HashMap<>();
        Map<Long, Integer> counts = new HashMap<>();
        collect(ROOT, names, counts);
        assertEquals(names, counts, "names listed, and counted");
        Set<Long> found = names.keySet();
        Set<Long> lost = new HashSet<>(files.keySet());
        lost.removeAll(found);
        Set<Long> extra = new HashSet<>(found);
        extra.removeAll(files.keySet());
        int allowed = cutOff.get();
        assertTrue(lost.size() <= allowed, () -> "acknowledged and lost: " + lost + " of " + files);
        assertTrue(extra.size() <= allowed, () -> "never made, or removed: " + extra);
        lost.forEach(files::remove);
        extra.forEach(id -> files.put(id, "cut off"));
        int wanderers = 0;
        for (int i = 0; i < WANDERER.length; i++) {
            if (namespace.stat(directories.getFirst(), Name.of(WANDERER[i]), out) == Status.OK) {
                assertEquals(wandererId, out.id);
                wanderers++;
                wandererAt = i;
            }
        }
        assertEquals(1, wanderers);
        assertEquals(Status.OK, namespace.stat(directories.getFirst(), Name.of(WANDERER[wandererAt]), out));
        checkAttributes(allowed > 0);
        assertTrue(
                allowed > 0 ? out.size >= grown.get() : out.size == grown.get(), "size " + out.size + " of " + grown);
        assertTrue(allowed > 0 || out.mode == mode, "mode " + out.mode);
        grown.set(out.size);
        mode = out.mode;
        assertEquals(Status.OK, namespace.stat(directories.getFirst(), Name.of("replaced"), out));
        if (namespace.delete(directories.getFirst(), Name.of("tmp"), out) == Status.OK) {
            files.remove(out.id);
        }
        for (int i = 0; i < owners.length(); i++) {
            long d = directories.get(i / SUBDIRECTORIES.length);
            Name name = Name.of(SUBDIRECTORIES[i % SUBDIRECTORIES.length]);
            int there = namespace.stat(d, name, out) == Status.OK ? 1 : 0;
            assertTrue(
                    allowed > 0 || there == owners.get(i), d + "/" + name + ": " + there + ", owners " + owners.get(i));
            owners.set(i, there);
        }
        cutOff.set(0);
    }

    private void collect(long directory, Map<Long, Integer> names, Map<Long, Integer> counts) {
        List<Long> below = new ArrayList<>();
        assertEquals(Status.OK, namespace.list(directory, new ListCursor(), (_, a) -> {
            if (a.type == FileType.DIRECTORY) {
                below.add(a.id);
            } else {
                names.merge(a.id, 1, Integer::sum);
                counts.put(a.id, a.nlink);
            }
            return true;
        }));
        below.forEach(id -> collect(id, names, counts));
    }
}
