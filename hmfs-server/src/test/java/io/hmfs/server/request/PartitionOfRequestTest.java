package io.hmfs.server.request;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.engine.IdSource;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.pipeline.BareSession;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.share.UserShares;
import io.hmfs.wire.AppendEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.ReadBlockEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.StatusEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a request works on the partition of its id, and a batch on one partition. Method: messages of each shape, for two pools. */
class PartitionOfRequestTest {
    private static final long OF_SECOND = 1L << IdSource.PARTITION_SHIFT | 5;

    @TempDir
    private Path directory;

    private Partition first;
    private Partition second;
    private Request request;
    private final ByteBuf frame = Unpooled.buffer(1024);
    private final WireBuffer out = new WireBuffer().wrap(frame, 0, 1024);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    @BeforeEach
    void open() throws IOException {
        first = partition("first");
        second = partition("second");
        request = new Request(new Partitions(List.of(first, second)), new Meters().newMeter(), false);
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private Partition partition(String name) throws IOException {
        Path pool = directory.resolve(name);
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process());
        return new Partition(
                namespace,
                new Leases(namespace.records(), ServerConfig.of(Path.of("p")).leases(), new UserShares(Map.of())),
                null,
                0,
                0,
                new UserShares(Map.of()));
    }

    private Partition decoded(int length) {
        request.decode(frame, 0, length);
        return request.partition();
    }

    private Partition decodedStat(long base) {
        return decoded(new StatEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(base)
                .putPath(new byte[0], 0, 0)
                .limit());
    }

    @Test
    void aReadAChangeAndAReadOfDataFindThePartitionOfTheirId() {
        assertSame(second, decodedStat(OF_SECOND));
        assertSame(second.namespace(), request.namespace());
        assertSame(first, decodedStat(Namespace.ROOT_ID));
        assertSame(
                second,
                decoded(new AppendEncoder()
                        .wrapAndApplyHeader(out, 0, header)
                        .parentId(OF_SECOND)
                        .inode(1)
                        .limit()));
        assertSame(
                first,
                decoded(new ReadBlockEncoder()
                        .wrapAndApplyHeader(out, 0, header)
                        .inode(Namespace.ROOT_ID)
                        .limit()));
        assertSame(
                second,
                decoded(new ReadBlockEncoder()
                        .wrapAndApplyHeader(out, 0, header)
                        .inode(OF_SECOND)
                        .limit()));
    }

    @Test
    void whatHasNoIdOrNoneThatIsKnownIsForTheRoots() {
        decodedStat(OF_SECOND);
        assertSame(
                first,
                decoded(new StatusEncoder()
                        .wrapAndApplyHeader(out, 0, header)
                        .correlationId(1)
                        .limit()));
        assertSame(first, decodedStat(7L << IdSource.PARTITION_SHIFT));
        decodedStat(OF_SECOND);
        int length = new StatEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .baseId(OF_SECOND)
                .limit();
        header.wrap(out, 0).blockLength(8); // too short for its id: its handler refuses it
        assertSame(first, decoded(length));
    }

    @Test
    void aBatchHasOnePartition() {
        RequestBatch batch = new RequestBatch(RequestKind.APPEND, 4);
        decodedStat(OF_SECOND);
        assertTrue(batch.isOfPartition(request));
        BareSession session = new BareSession();
        request.begin(session, session.channel(), 1);
        batch.add(request, OF_SECOND, new byte[1], 1);
        assertTrue(batch.isOfPartition(request));
        decodedStat(Namespace.ROOT_ID);
        assertFalse(batch.isOfPartition(request));
        request.workOn(batch.partition());
        assertSame(second, request.partition());
        batch.clear();
        decodedStat(Namespace.ROOT_ID);
        assertTrue(batch.isOfPartition(request));
    }
}
