package io.hmfs.server.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: replies to other machines are compressed, and to this one if that is asked for. Method: addresses of each kind. */
class ReplyCompressionTest {
    private static final int NEVER = Integer.MAX_VALUE;

    private static SocketAddress elsewhere() throws Exception {
        return new InetSocketAddress(
                InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1}), 1); // for documentation
    }

    @Test
    void otherMachinesHaveThemFromALengthOn() throws Exception {
        assertEquals(100, new ReplyCompression(100, false).from(elsewhere()));
        assertEquals(100, new ReplyCompression(100, true).from(elsewhere()));
        assertEquals(NEVER, new ReplyCompression(0, true).from(elsewhere()));
    }

    @Test
    void thisMachineHasThemIfThatIsAskedFor() throws Exception {
        List<InetAddress> own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .toList();
        for (InetAddress each : own) {
            SocketAddress peer = new InetSocketAddress(each, 1);
            assertEquals(NEVER, new ReplyCompression(100, false).from(peer), each::toString);
            assertEquals(100, new ReplyCompression(100, true).from(peer), each::toString);
        }
        SocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertEquals(NEVER, new ReplyCompression(100, false).from(loopback));
        assertEquals(NEVER, new ReplyCompression(100, false).from(null));
    }
}
