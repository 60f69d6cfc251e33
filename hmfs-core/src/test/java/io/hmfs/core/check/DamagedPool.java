package io.hmfs.core.check;

import io.hmfs.core.MemoryPoolFile;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** A small pool in memory with something of everything in it, that can be damaged and restored again and again. */
final class DamagedPool extends MemoryPoolFile {
    static final long REGION = 64 << 10;

    private final long[] whole;
    private final Map<String, String> snapshot;

    /** A tree of a few dozen objects, and so many files more in one directory. */
    DamagedPool(int regions, int files) {
        this(regions, namespace -> fill(namespace, files));
    }

    /** A pool with whatever {@code filling} makes. */
    DamagedPool(int regions, Consumer<Namespace> filling) {
        super(MappedPmem.inMemory((regions + 1) * REGION), REGION, regions);
        try {
            Superblock.format(Path.of("damaged"), this, new UUID(0x1234567890abcdefL, 0x0fedcba987654321L), 7, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        ServerNamespace namespace = open();
        filling.accept(namespace);
        TestPool.scan(namespace);
        this.snapshot = Snapshot.of(namespace);
        namespace.close();
        this.whole = new long[(int) (pmem().size() >>> 3)];
        for (int i = 0; i < whole.length; i++) {
            whole[i] = pmem().get(8L * i);
        }
    }

    static void fill(Namespace namespace, int files) {
        for (String name : new String[] {"alice", "bob", "a user with a longer name"}) {
            namespace.principalId(name);
        }
        long a = mkdir(namespace, Namespace.ROOT_ID, "a");
        long b = mkdir(namespace, a, "b");
        long c = mkdir(namespace, b, "c");
        mkdir(namespace, Namespace.ROOT_ID, "empty");
        for (int i = 0; i < 12; i++) {
            create(namespace, a, "file-" + i);
            create(namespace, b, (char) ('p' + i % 3) + "-long-".repeat(15) + i);
            create(namespace, c, "n" + i);
        }
        Attributes out = new Attributes();
        for (int i = 0; i < 12; i += 4) {
            require(namespace.delete(a, Name.of("file-" + i), out));
        }
        require(namespace.rename(a, Name.of("file-1"), c, Name.of("moved"), false, out));
        require(namespace.rename(a, Name.of("file-2"), a, Name.of("file-3"), true, out));
        require(namespace.rename(a, Name.of("b"), Namespace.ROOT_ID, Name.of("moved directory"), false, out));
        require(namespace.truncate(c, Name.of("n3"), 12345));
        require(namespace.setTimes(c, Name.of("n4"), 77, 78));
        require(namespace.chown(c, Name.of("n5"), 1, 2));
        for (int i = 0; i < files; i++) {
            create(namespace, c, "many-" + i);
        }
    }

    private static long mkdir(Namespace namespace, long parent, String name) {
        Attributes out = new Attributes();
        require(namespace.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private static void create(Namespace namespace, long parent, String name) {
        require(namespace.create(parent, Name.of(name), 0644, 0, 0, new Attributes()));
    }

    private static void require(Status status) {
        if (status != Status.OK) {
            throw new AssertionError(status);
        }
    }

    ServerNamespace open() {
        return TestPool.open(this);
    }

    /** What the namespace shows while nothing is damaged. */
    Map<String, String> snapshot() {
        return snapshot;
    }

    void restore() {
        for (int i = 0; i < whole.length; i++) {
            if (pmem().get(8L * i) != whole[i]) {
                pmem().set(8L * i, whole[i]);
            }
        }
    }

    /** Everything that stands in the pool now. */
    long[] bytes() {
        long[] now = new long[whole.length];
        for (int i = 0; i < now.length; i++) {
            now[i] = pmem().get(8L * i);
        }
        return now;
    }
}
