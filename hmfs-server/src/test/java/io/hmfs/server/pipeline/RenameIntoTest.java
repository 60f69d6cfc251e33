package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a rename goes into its target exactly if that is a directory at the moment of the move. Method: a namespace in which the target
 * changes between the look at it and the move, once or more often.
 */
class RenameIntoTest {
    private static final Name FILE = Name.of("f");
    private static final Name TARGET = Name.of("t");

    @TempDir
    private Path directory;

    private final LateSession session = new LateSession();
    private final ArrayDeque<Runnable> beforeMoves = new ArrayDeque<>();
    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private Pipeline worker;
    private long file;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        worker = BareService.greeted(
                changing(),
                directory.resolve("key"),
                "u",
                List.of(),
                new Observation(meters, metrics, null, Long.MAX_VALUE),
                Runnable::run,
                session);
        session.replies.clear();
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, FILE, 0644, 0, 0, made));
        file = made.id;
    }

    @AfterEach
    void close() {
        metrics.close();
        namespace.close();
    }

    private ServerNamespace changing() {
        return (ServerNamespace) Proxy.newProxyInstance(
                RenameIntoTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, called, arguments) -> {
                    Runnable change = called.getName().equals("rename") ? beforeMoves.poll() : null;
                    if (change != null) {
                        change.run();
                    }
                    return called.invoke(namespace, arguments);
                });
    }

    private long makeTarget() {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, TARGET, 0755, 0, 0, made));
        return made.id;
    }

    private void removeTarget() {
        assertEquals(Status.OK, namespace.rmdir(Namespace.ROOT_ID, TARGET));
    }

    private boolean isInside() {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        RenameEncoder rename = new RenameEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(1)
                .sourceBaseId(Wire.ROOT_ID)
                .targetBaseId(Wire.ROOT_ID);
        rename.flags().clear().into(true);
        worker.frame(session, frame, 0, rename.source("/f").target("/t").limit());
        worker.endBatch();
        int length = session.replies.readIntLE();
        WireBuffer reply = new WireBuffer().wrap(session.replies, session.replies.readerIndex(), length);
        session.replies.skipBytes(length);
        assertEquals(
                DoneDecoder.TEMPLATE_ID,
                new MessageHeaderDecoder().wrap(reply, 0).templateId());
        return new DoneDecoder()
                        .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                        .inside()
                != 0;
    }

    private void assertFile(long parent, Name name) {
        Attributes found = new Attributes();
        assertEquals(Status.OK, namespace.stat(parent, name, found));
        assertEquals(file, found.id);
    }

    @Test
    void aDirectoryThatComesMeanwhileIsEntered() {
        beforeMoves.add(this::makeTarget);
        assertEquals(true, isInside());
        Attributes target = new Attributes();
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, TARGET, target));
        assertFile(target.id, FILE);
    }

    @Test
    void theNameOfADirectoryThatGoesMeanwhileIsTaken() {
        makeTarget();
        beforeMoves.add(this::removeTarget);
        assertEquals(false, isInside());
        assertFile(Namespace.ROOT_ID, TARGET);
    }

    @Test
    void aDirectoryThatGoesAndComesAgainIsEntered() {
        makeTarget();
        beforeMoves.add(this::removeTarget);
        beforeMoves.add(this::makeTarget);
        assertEquals(true, isInside());
    }
}
