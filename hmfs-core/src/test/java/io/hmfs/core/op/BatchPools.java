package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Pools in simulated memory for tests of batches, and what such tests ask of a batch. */
abstract class BatchPools {
    static final long ROOT = Namespace.ROOT_ID;

    final Attributes out = new Attributes();

    static SimPoolFile file(Persistence persistence) throws PoolException {
        SimPoolFile file = new SimPoolFile(256 << 10, 24, persistence);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        return file;
    }

    long mkdir(ServerNamespace namespace, String name) {
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    long create(ServerNamespace namespace, long parent, String name) {
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 1, 2, out));
        return out.id;
    }

    static List<Status> answers(NameBatch batch) {
        List<Status> answers = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            answers.add(batch.status(i));
        }
        return answers;
    }
}
