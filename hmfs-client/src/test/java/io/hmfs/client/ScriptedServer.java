package io.hmfs.client;

import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DoneEncoder;
import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.WelcomeEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.UUID;

/** The server's side of a connection, played by a test step by step. */
final class ScriptedServer implements AutoCloseable {
    static final UUID CLUSTER = new UUID(1, 2);

    /** More changes are not on their way at once. */
    static final int OUTCOMES_KEPT = 8;

    private static final int BUFFER = 4096;

    private final ServerSocket listener;

    ScriptedServer() throws IOException {
        listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(40_000);
    }

    int port() {
        return listener.getLocalPort();
    }

    Peer accept() throws IOException {
        return new Peer(listener.accept());
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    /** One connection. */
    static final class Peer implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final OutputStream out;

        Peer(Socket socket) throws IOException {
            this.socket = socket;
            socket.setSoTimeout(40_000);
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        }

        /** The next frame: its window, the header at 0. */
        WireBuffer read() throws IOException {
            byte[] bytes = new byte[Integer.reverseBytes(in.readInt())];
            in.readFully(bytes);
            return new WireBuffer().wrap(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
        }

        static long correlationId(WireBuffer frame) {
            return frame.getLong(Wire.HEADER_SIZE, MessageHeaderDecoder.BYTE_ORDER);
        }

        static long sequence(WireBuffer change) {
            return change.getLong(
                    Wire.HEADER_SIZE + CreateDecoder.sequenceEncodingOffset(), MessageHeaderDecoder.BYTE_ORDER);
        }

        /** Whether bytes wait to be read. */
        boolean hasMore() throws IOException {
            return in.available() > 0;
        }

        void send(byte... bytes) throws IOException {
            out.write(bytes);
        }

        private void send(ByteBuf buffer, int limit) throws IOException {
            buffer.setIntLE(0, limit - Wire.LENGTH_SIZE);
            byte[] bytes = new byte[limit];
            buffer.getBytes(0, bytes);
            out.write(bytes);
        }

        /** Takes the Hello and answers it. */
        void welcome(int protocolVersion) throws IOException {
            read();
            answerHello(protocolVersion, 1);
        }

        /** Answers the Hello, as a server that was started so many times. */
        void answerHello(int protocolVersion, long incarnation) throws IOException {
            ByteBuf buffer = Unpooled.buffer(BUFFER);
            WelcomeEncoder welcome = new WelcomeEncoder()
                    .wrapAndApplyHeader(
                            new WireBuffer().wrap(buffer, 0, BUFFER), Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                    .correlationId(0)
                    .mapVersion(1)
                    .blockSize(1 << 20)
                    .protocolVersion(protocolVersion)
                    .chunkSize(4096)
                    .frameMax(32 << 10)
                    .incarnation(incarnation)
                    .outcomesKept(OUTCOMES_KEPT);
            welcome.clusterId().high(1).low(2);
            send(
                    buffer,
                    welcome.serverVersion("9")
                            .persistence("process")
                            .dataStore("builtin")
                            .limit());
        }

        void done(long correlationId) throws IOException {
            ByteBuf buffer = Unpooled.buffer(BUFFER);
            int limit = new DoneEncoder()
                    .wrapAndApplyHeader(
                            new WireBuffer().wrap(buffer, 0, BUFFER), Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                    .correlationId(correlationId)
                    .removedId(0)
                    .removedSize(0)
                    .inside((short) 0)
                    .limit();
            send(buffer, limit);
        }

        void failure(long correlationId, ResultCode code, String message) throws IOException {
            ByteBuf buffer = Unpooled.buffer(BUFFER);
            int limit = new FailureEncoder()
                    .wrapAndApplyHeader(
                            new WireBuffer().wrap(buffer, 0, BUFFER), Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                    .correlationId(correlationId)
                    .code(code.code())
                    .message(message)
                    .limit();
            send(buffer, limit);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
