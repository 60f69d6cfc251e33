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
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: missing parents are made by what the directory allows and says that they are made in, and not by what had their name and has just
 * gone. Method: a namespace whose look-up in vain leaves attributes behind, as one does that an object goes under.
 */
class MissingParentsTest {
    private static final int MODE_OF_GONE = 0777;

    @TempDir
    private Path directory;

    private final LateSession session = new LateSession();
    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private Pipeline worker;
    private int staff;
    private int others;
    private long parent;
    private boolean comesBack;
    private boolean isForestalled;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        staff = namespace.principalId("staff");
        others = namespace.principalId("others");
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        worker = BareService.greeted(
                forgetful(),
                directory.resolve("key"),
                "boss",
                List.of("staff"),
                new Observation(meters, metrics, null, Long.MAX_VALUE),
                Runnable::run,
                session);
        session.replies.clear();
    }

    @AfterEach
    void close() {
        metrics.close();
        namespace.close();
    }

    private ServerNamespace forgetful() {
        return (ServerNamespace) Proxy.newProxyInstance(
                MissingParentsTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, called, arguments) -> {
                    Object answer = called.invoke(namespace, arguments);
                    if (called.getName().equals("stat") && answer == Status.NOT_FOUND) {
                        Attributes out = (Attributes) arguments[2];
                        out.mode = MODE_OF_GONE;
                        out.gid = others;
                        if (comesBack) {
                            namespace.mkdir(parent, Name.of("gone"), 0755, others, others, new Attributes());
                        }
                    }
                    if (called.getName().equals("mkdir") && answer == Status.OK && isForestalled) {
                        isForestalled = false;
                        long made = ((Attributes) arguments[arguments.length - 1]).id;
                        namespace.mkdir(made, Name.of("x"), 0700, others, others, new Attributes());
                    }
                    return answer;
                });
    }

    private void makeParent(int mode) {
        Attributes made = new Attributes();
        int alice = namespace.principalId("alice");
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("p"), mode, alice, staff, made));
        parent = made.id;
    }

    /** What the reply to mkdir -p of a directory two deep is. */
    private int mkdirs() {
        return mkdirs("/p/gone/x");
    }

    private int mkdirs(String path) {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        MkdirEncoder mkdir = new MkdirEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(1)
                .baseId(Wire.ROOT_ID)
                .mode(0755)
                .unmaskedMode(0755);
        mkdir.flags().clear().createParents(true);
        worker.frame(session, frame, 0, mkdir.path(path).limit());
        worker.endBatch();
        int length = session.replies.readIntLE();
        WireBuffer reply = new WireBuffer().wrap(session.replies, session.replies.readerIndex(), length);
        session.replies.skipBytes(length);
        return new MessageHeaderDecoder().wrap(reply, 0).templateId();
    }

    @Test
    void theGroupIsThatOfTheDirectoryTheyAreMadeIn() {
        makeParent(0775);
        assertEquals(EntryDecoder.TEMPLATE_ID, mkdirs());
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.stat(parent, Name.of("gone"), made));
        assertEquals(staff, made.gid);
    }

    @Test
    void aUserThatMayNotWriteThereMakesNone() {
        makeParent(0755);
        assertEquals(FailureDecoder.TEMPLATE_ID, mkdirs());
        assertEquals(Status.NOT_FOUND, namespace.stat(parent, Name.of("gone"), new Attributes()));
    }

    /** A parent that another client makes meanwhile is not the directory that was asked for. */
    @Test
    void aUserThatMayNotWriteThereIsToldNoParent() {
        makeParent(0755);
        comesBack = true;
        assertEquals(FailureDecoder.TEMPLATE_ID, mkdirs());
    }

    /** The request may go on in a directory that it has made, and not in what another client has made there meanwhile. */
    @Test
    void whatIsFoundInAParentThatWasMadeIsNotPassedUnasked() {
        makeParent(0777);
        isForestalled = true;
        assertEquals(FailureDecoder.TEMPLATE_ID, mkdirs("/p/gone/x/y"));
    }
}
