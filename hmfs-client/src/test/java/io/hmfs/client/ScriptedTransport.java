package io.hmfs.client;

import io.hmfs.client.transport.Transport;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.WelcomeEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A transport without a network: a script answers each frame with the next poll. */
class ScriptedTransport implements Transport {
    private static final int BUFFER = 64 << 10;

    /** Answers requests. */
    interface Script {
        /** Writes the answer to a request into {@code reply}, header and all; returns how many bytes it has. */
        int answer(WireBuffer request, MessageHeaderDecoder header, WireBuffer reply);
    }

    private final Script script;
    private final Queue<Runnable> arrived = new ArrayDeque<>();

    private @Nullable WireBuffer request;

    ScriptedTransport(Script script) {
        this.script = script;
    }

    /** Whether a request went out. */
    final boolean hasRequest() {
        return request != null;
    }

    /** The last request that went out. */
    final WireBuffer request() {
        return Objects.requireNonNull(request, "no request went out");
    }

    /** A client over this transport. */
    final HmfsClient client() throws IOException {
        return HmfsClient.connect(this, "nowhere", 1, ClientOptions.defaults().withUser("bob"));
    }

    @Override
    public Link connect(String host, int port, Receiver receiver) {
        ScriptedLink link = new ScriptedLink(receiver);
        arrived.add(link::connected);
        return link;
    }

    @Override
    public boolean poll() {
        Runnable next = arrived.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    @Override
    public void await(long nanos) {
        // all that will ever come is there
    }

    @Override
    public void wakeUp() {
        // no thread waits
    }

    @Override
    public void close() {
        // there is nothing to end
    }

    /** Where a frame is encoded. */
    ByteBuf buffer(int bytes) {
        return Unpooled.buffer(bytes);
    }

    /** Called when a link is to send what was written. */
    void flushed() {
        // for subclasses that look on
    }

    private final class ScriptedLink implements Link {
        private final Receiver receiver;
        private final List<WireBuffer> written = new ArrayList<>();
        private WireBuffer begun = new WireBuffer();
        private boolean closed;

        ScriptedLink(Receiver receiver) {
            this.receiver = receiver;
        }

        private void connected() {
            if (!closed) {
                receiver.connected();
            }
        }

        @Override
        public WireBuffer begin(int bound) {
            begun = new WireBuffer().wrap(buffer(bound), 0, bound);
            return begun;
        }

        @Override
        public void end(int length) {
            written.add(new WireBuffer().wrap(begun.buffer(), 0, length));
        }

        @Override
        public void drop() {
            begun = new WireBuffer();
        }

        @Override
        public void flush() {
            flushed();
            List<WireBuffer> frames = List.copyOf(written);
            written.clear();
            frames.forEach(frame -> arrived.add(() -> answer(frame)));
        }

        private void answer(WireBuffer frame) {
            WireBuffer reply = new WireBuffer().wrap(Unpooled.buffer(BUFFER), 0, BUFFER);
            MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(frame, 0);
            int length;
            if (header.templateId() == HelloDecoder.TEMPLATE_ID) {
                length = welcome(reply);
            } else {
                request = frame;
                length = script.answer(frame, header, reply);
                reply.putLong(
                        Wire.HEADER_SIZE,
                        frame.getLong(Wire.HEADER_SIZE, MessageHeaderDecoder.BYTE_ORDER),
                        MessageHeaderDecoder.BYTE_ORDER);
            }
            try {
                receiver.received(reply.wrap(reply.buffer(), 0, length));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static int welcome(WireBuffer reply) {
            WelcomeEncoder welcome = new WelcomeEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .correlationId(0)
                    .mapVersion(1)
                    .blockSize(1 << 20)
                    .protocolVersion(Wire.PROTOCOL_VERSION)
                    .chunkSize(4096)
                    .frameMax(BUFFER)
                    .incarnation(1)
                    .outcomesKept(8)
                    .outcomesSurvive((short) 1);
            welcome.clusterId().high(1).low(2);
            return welcome.serverVersion("9")
                    .persistence("process")
                    .dataStore("builtin")
                    .limit();
        }

        @Override
        public boolean hasReadSince(long nanos) {
            return true;
        }

        @Override
        public void close() {
            closed = true;
            written.clear();
        }
    }
}
