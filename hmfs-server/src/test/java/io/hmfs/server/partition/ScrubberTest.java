package io.hmfs.server.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.Await;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.data.BuiltinData;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a scrub meets each file, and ends with the server. Method: a partition with many files, or a large one. */
@Timeout(300)
class ScrubberTest {
    private static final int BLOCK = 1 << 20;

    @TempDir
    private Path directory;

    private Partition open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        PartitionConfig config = new PartitionConfig(
                pool,
                OpenOptions.process().keepingDataElsewhere(),
                ServerConfig.of(Path.of("p")).leases(),
                directory.resolve("data"),
                BLOCK,
                false,
                ScrubLimits.ASKED,
                0,
                0,
                Map.of());
        Partition opened = Partition.open(config, _ -> {});
        opened.start(failure -> {
            throw new AssertionError(failure);
        });
        return opened;
    }

    private static void file(Partition in, long parent, String name, int blocks, int length) throws IOException {
        Attributes made = new Attributes();
        assertEquals(Status.OK, in.namespace().create(parent, Name.of(name), 0644, 0, 0, made));
        BuiltinData data = in.data();
        BlockStore store = Objects.requireNonNull(data).store();
        ByteBuf bytes = Unpooled.buffer(length).writeZero(length).setByte(0, 1);
        for (int block = 0; block < blocks; block++) {
            assertTrue(store.write(made.id, block, 0, 0, bytes, 0, length));
        }
        long size = (blocks - 1L) * BLOCK + length;
        assertEquals(Status.OK, in.namespace().append(parent, Name.of(name), made.id, size));
    }

    @Test
    void eachFileOfEachDirectoryIsMet() throws Exception {
        try (Partition partition = open()) {
            long parent = Namespace.ROOT_ID;
            for (int depth = 0; depth < 3; depth++) {
                for (int i = 0; i < 300; i++) {
                    file(partition, parent, "f" + i, 1, 1);
                }
                Attributes made = new Attributes();
                assertEquals(Status.OK, partition.namespace().mkdir(parent, Name.of("d"), 0700, 0, 0, made));
                parent = made.id;
            }
            FileWalk some = new FileWalk(partition.namespace(), 7, (_, _) -> {});
            int met = 0;
            while (!some.isAtEnd()) {
                int next = some.next().size();
                assertTrue(next <= 7, next + " at a time");
                met += next;
            }
            assertEquals(900, met);
            Scrubber scrubber = Objects.requireNonNull(partition.scrubber());
            scrubber.begin(0);
            Await.until("its end", () -> !scrubber.figures().isRunning());
            assertEquals(900, scrubber.figures().files());
            assertEquals(900, scrubber.figures().objects());
            assertTrue(scrubber.figures().isWhole());
        }
    }

    @Test
    void itEndsWithTheServer() throws Exception {
        try (Partition partition = open()) {
            file(partition, Namespace.ROOT_ID, "large", 30, BLOCK);
            Scrubber scrubber = Objects.requireNonNull(partition.scrubber());
            scrubber.begin(64 << 10);
            Await.until("something to be read", () -> scrubber.figures().bytes() > 0);
            partition.stop();
            assertFalse(scrubber.figures().isRunning());
            assertFalse(scrubber.figures().isWhole());
            assertTrue(scrubber.figures().bytes() < 30L * BLOCK);
        }
    }
}
