package io.hmfs.trials.soak;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Connections that come and go: clients that do a little, and peers that break off in the middle of a frame. */
public final class Guests {
    /** More guests than the server remembers of those that went away (docs/operations.md): then its memory of them is full. */
    public static final int REMEMBERED = 1100;

    private static final int BUFFER = 4096;
    private static final int LONG_FRAME = 200_000;
    private static final CreateOptions OPTIONS = new CreateOptions(0644, true, true, 0755);

    /** What a guest does. */
    private enum Kind {
        CLIENT,
        HALF_A_LENGTH,
        HALF_A_HELLO,
        HALF_A_FRAME,
        HALF_A_FRAME_RESET
    }

    private final int port;
    private final byte[] hello;
    private long visits;

    public Guests(int port) {
        this.port = port;
        hello = hello();
    }

    private static byte[] hello() {
        ByteBuf buffer = Unpooled.buffer(BUFFER);
        HelloEncoder encoder = new HelloEncoder()
                .wrapAndApplyHeader(
                        new WireBuffer().wrap(buffer, 0, BUFFER), Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(1)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        encoder.clusterId().high(0).low(0);
        int limit = encoder.clientId(1)
                .authMethod(Wire.AUTH_SIMPLE)
                .user(System.getProperty("user.name", "nobody"))
                .putToken(new byte[0], 0, 0)
                .realUser("")
                .limit();
        buffer.setIntLE(0, limit - Wire.LENGTH_SIZE);
        byte[] bytes = new byte[limit];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /** A client that makes a file, removes it, and goes. */
    public void client() throws IOException {
        try (HmfsClient client = HmfsClient.connect("127.0.0.1", port, ClientOptions.defaults())) {
            String path = "/guests/guest";
            client.create(path, OPTIONS);
            client.delete(path);
        }
    }

    /** The next guest: one kind after the other. */
    public void visit() throws IOException {
        Kind kind = Kind.values()[(int) (visits++ % Kind.values().length)];
        switch (kind) {
            case CLIENT -> client();
            case HALF_A_LENGTH -> breakOff(Arrays.copyOf(hello, Wire.LENGTH_SIZE / 2), false, false);
            case HALF_A_HELLO -> breakOff(Arrays.copyOf(hello, hello.length / 2), false, false);
            case HALF_A_FRAME -> breakOff(halfAFrame(), true, false);
            case HALF_A_FRAME_RESET -> breakOff(halfAFrame(), true, true);
        }
    }

    private static byte[] halfAFrame() {
        return ByteBuffer.allocate(LONG_FRAME / 2)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(LONG_FRAME)
                .array();
    }

    private void breakOff(byte[] bytes, boolean isWelcome, boolean reset) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            if (isWelcome) {
                out.write(hello);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                in.skipNBytes(Integer.reverseBytes(in.readInt()));
            }
            if (reset) {
                socket.setSoLinger(true, 0);
            }
            out.write(bytes);
        }
    }

    /** Guests until now. */
    public long visits() {
        return visits;
    }
}
