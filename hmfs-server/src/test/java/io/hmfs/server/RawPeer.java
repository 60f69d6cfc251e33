package io.hmfs.server;

import io.hmfs.client.ResultCode;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.ListEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.SetXattrEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A peer that sends whatever bytes a test wants, and reads frames. */
final class RawPeer implements AutoCloseable {
    private static final int BUFFER = 16 << 10;

    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;

    /** A failure as the server told it. */
    record Failure(long correlationId, ResultCode code, String message) {}

    RawPeer(int port) throws IOException {
        this(port, 0);
    }

    /** One for which the system keeps about so many bytes that were not read; 0: as many as it likes. */
    RawPeer(int port, int receiveBuffer) throws IOException {
        socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
    }

    void send(byte... bytes) throws IOException {
        out.write(bytes);
    }

    /** The bytes of a Hello, its length word included. */
    static byte[] hello(long magic, int protocolVersion, long clusterLow, String user) {
        WireBuffer window = window();
        HelloEncoder hello = new HelloEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(7)
                .magic(magic)
                .protocolVersion(protocolVersion);
        hello.clusterId().high(0).low(clusterLow);
        return framed(
                window,
                hello.clientId(99)
                        .authMethod(Wire.AUTH_SIMPLE)
                        .user(user)
                        .putToken(new byte[0], 0, 0)
                        .realUser("")
                        .limit());
    }

    /** The bytes of a stat, its length word included. */
    static byte[] stat(long correlationId, byte[] path) {
        WireBuffer window = window();
        int limit = new StatEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(correlationId)
                .baseId(Wire.ROOT_ID)
                .putPath(path, 0, path.length)
                .limit();
        return framed(window, limit);
    }

    /** The bytes of a request for the first page of a listing, with all of each entry, its length word included. */
    static byte[] list(long correlationId, String path) {
        WireBuffer window = window();
        ListEncoder list = new ListEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(correlationId)
                .baseId(Wire.ROOT_ID)
                .cursorBirth(0)
                .cursorAt(0)
                .cursorStart(0)
                .entriesMax(0)
                .bytesMax(0)
                .detail((short) 0)
                .behind(0);
        return framed(window, list.path(path).prefix("").suffix("").limit());
    }

    /** The bytes of a create of a file that all may read and write, its length word included. */
    static byte[] create(long correlationId, String path) {
        WireBuffer window = window();
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(correlationId)
                .clientId(99)
                .sequence(correlationId)
                .baseId(Wire.ROOT_ID)
                .mode(0666)
                .parentMode(0777)
                .unmaskedMode(0777);
        create.flags().clear();
        return framed(window, create.path(path).limit());
    }

    /** The bytes of a mkdir that makes parents, its length word included. */
    static byte[] mkdir(long correlationId, String path) {
        WireBuffer window = window();
        MkdirEncoder mkdir = new MkdirEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(correlationId)
                .clientId(99)
                .sequence(correlationId)
                .baseId(Wire.ROOT_ID)
                .mode(0777)
                .unmaskedMode(0777);
        mkdir.flags().clear().createParents(true);
        return framed(window, mkdir.path(path).limit());
    }

    /** The bytes of a delete, its length word included. */
    static byte[] delete(long correlationId, String path) {
        WireBuffer window = window();
        DeleteEncoder delete = new DeleteEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(correlationId)
                .clientId(99)
                .sequence(correlationId)
                .baseId(Wire.ROOT_ID)
                .emptyDirectory((short) 0);
        return framed(window, delete.path(path).limit());
    }

    /** How a client was greeted: a failure, or whether its outcomes survive the server. */
    record Greeting(@Nullable Failure failure, boolean survives) {}

    /** Greets the server as a client that numbers its changes, and waits for those from {@code oldest} to {@code next}; 0 and 0: it does not. */
    Greeting greet(String user, long clientId, long oldest, long next) throws IOException {
        WireBuffer window = window();
        HelloEncoder hello = new HelloEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(7)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        hello.clusterId().high(0).low(0);
        send(framed(
                window,
                hello.clientId(clientId)
                        .authMethod(Wire.AUTH_SIMPLE)
                        .oldestSequence(oldest)
                        .nextSequence(next)
                        .user(user)
                        .putToken(new byte[0], 0, 0)
                        .realUser("")
                        .limit()));
        WireBuffer frame = read();
        MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(frame, 0);
        if (header.templateId() == WelcomeDecoder.TEMPLATE_ID) {
            WelcomeDecoder welcome = new WelcomeDecoder().wrapAndApplyHeader(frame, 0, header);
            return new Greeting(null, welcome.outcomesSurvive() == 1);
        }
        FailureDecoder failure = new FailureDecoder().wrapAndApplyHeader(frame, 0, header);
        return new Greeting(
                new Failure(failure.correlationId(), ResultCode.of(failure.code()), failure.message()), false);
    }

    /** The bytes of the same frame, its length word included, with so many bytes in all. */
    static byte[] padded(byte[] frame, int length) {
        byte[] padded = Arrays.copyOf(frame, length);
        ByteBuffer.wrap(padded).order(ByteOrder.LITTLE_ENDIAN).putInt(0, length - Wire.LENGTH_SIZE);
        return padded;
    }

    /** The bytes of a request to set an extended attribute, its length word included. */
    static byte[] setXattr(long clientId, long sequence, String path, String name) {
        WireBuffer window = window();
        SetXattrEncoder set = new SetXattrEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(sequence)
                .clientId(clientId)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID);
        set.flags().clear().create(true).replace(true);
        return framed(
                window,
                set.path(path).attribute(name).putValue(new byte[1], 0, 1).limit());
    }

    /** The bytes of a create of a file that its client writes, its length word included. */
    static byte[] createLeased(long clientId, long sequence, String path, long lease) {
        WireBuffer window = window();
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(sequence)
                .clientId(clientId)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .mode(0666)
                .parentMode(0777)
                .unmaskedMode(0777)
                .lease(lease);
        create.flags().clear();
        return framed(window, create.path(path).limit());
    }

    /** The bytes of a mkdir by a client that numbers its changes, its length word included. */
    static byte[] mkdir(long clientId, long sequence, String path) {
        WireBuffer window = window();
        MkdirEncoder mkdir = new MkdirEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(sequence)
                .clientId(clientId)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .mode(0777)
                .unmaskedMode(0777);
        mkdir.flags().clear();
        return framed(window, mkdir.path(path).limit());
    }

    private static WireBuffer window() {
        ByteBuf buffer = Unpooled.buffer(BUFFER);
        return new WireBuffer().wrap(buffer, 0, BUFFER);
    }

    private static byte[] framed(WireBuffer window, int limit) {
        window.buffer().setIntLE(0, limit - Wire.LENGTH_SIZE);
        byte[] bytes = new byte[limit];
        window.buffer().getBytes(0, bytes);
        return bytes;
    }

    /** Greets the server, and is welcome. */
    void greet() throws IOException {
        if (!tryToGreet()) {
            throw new IOException("not welcome");
        }
    }

    /** Greets the server; false if that was not in time. */
    boolean tryToGreet() throws IOException {
        try {
            send(hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "eve"));
        } catch (SocketException e) {
            return false; // given up and closed already
        }
        WireBuffer frame = read();
        if (new MessageHeaderDecoder().wrap(frame, 0).templateId() == WelcomeDecoder.TEMPLATE_ID) {
            return true;
        }
        FailureDecoder failure = new FailureDecoder().wrapAndApplyHeader(frame, 0, new MessageHeaderDecoder());
        if (ResultCode.of(failure.code()) != ResultCode.TIMEOUT) {
            throw new IOException("not welcome: " + failure.message());
        }
        return false;
    }

    /** The next frame. */
    WireBuffer read() throws IOException {
        int length = Integer.reverseBytes(in.readInt());
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return new WireBuffer().wrap(Unpooled.wrappedBuffer(bytes), 0, length);
    }

    /** The next frame, which is a failure. */
    Failure readFailure() throws IOException {
        WireBuffer frame = read();
        FailureDecoder failure = new FailureDecoder().wrapAndApplyHeader(frame, 0, new MessageHeaderDecoder());
        return new Failure(failure.correlationId(), ResultCode.of(failure.code()), failure.message());
    }

    /** Whether the server closed the connection, in an orderly way. */
    boolean isClosedByServer() throws IOException {
        return in.read() == -1;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
