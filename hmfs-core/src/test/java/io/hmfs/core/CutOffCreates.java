package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;

/** A namespace in simulated memory whose creates a test can give the state of those that a crash cut off. */
abstract class CutOffCreates {
    static final long ROOT = Namespace.ROOT_ID;
    static final int REGION = 64 << 10;

    /** More than the neighbours that a search looks at on both sides. */
    static final int DIRECTORIES = 66;

    final Attributes out = new Attributes();
    SimPoolFile file = new SimPoolFile(REGION, 128);
    PoolNamespace namespace;

    @BeforeEach
    void format() throws PoolException {
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        namespace = new PoolNamespace("sim", file, false);
    }

    long mkdir(String name) {
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    static Name name(int i) {
        return Name.of("file" + i);
    }

    void create(long directory, Name name) {
        assertEquals(Status.OK, namespace.create(directory, name, 0644, 0, 0, out));
    }

    SimPmem pmem() {
        return file.pmem();
    }

    /** The process dies; the next start has no thread that scans. */
    void kill() {
        file = file.killed();
        namespace = new PoolNamespace("sim", file, false);
    }

    long contentOf(long directory) {
        long live = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CONTENT, 0);
        for (long at = 0; at < pmem().size(); at += Pmem.LINE) {
            if (pmem().get(at) == live && DirContentRecord.id(pmem(), at) == directory) {
                return at;
            }
        }
        throw new AssertionError("no content");
    }

    /** The children of a directory, the newest first. */
    List<Long> children(long directory) {
        List<Long> all = new ArrayList<>();
        for (long at = DirContentRecord.childHead(pmem(), contentOf(directory));
                at != Pmem.NULL;
                at = EntryRecord.sibling(pmem(), at)) {
            all.add(at);
        }
        return all;
    }

    /** Gives objects the state back that they had before their creates were over. */
    void cutOff(List<Long> objects) {
        objects.forEach(at -> EntryRecord.setState(pmem(), at, SlotState.CREATING));
    }

    /** Takes the newest children off the list again, as if their creates had been cut off before the link. */
    void unlink(long directory, int count) {
        List<Long> all = children(directory);
        cutOff(all.subList(0, count));
        long content = contentOf(directory);
        long mtime = DirContentRecord.mtime(pmem(), content);
        long head = all.get(count);
        long before = EntryRecord.birth(pmem(), head);
        assertTrue(pmem().cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, all.get(0), mtime, head, before));
    }

    void fate(long at, int state) {
        pmem().set(at + EntryRecord.DEATH_OFFSET, EntryRecord.birth(pmem(), at) + 1);
        EntryRecord.setState(pmem(), at, state);
    }
}
