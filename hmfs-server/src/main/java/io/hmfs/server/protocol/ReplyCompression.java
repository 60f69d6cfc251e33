package io.hmfs.server.protocol;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * Which replies are compressed.
 *
 * @param from bytes of the shortest; 0: none is
 * @param onThisMachine also for clients on this machine
 */
public record ReplyCompression(int from, boolean onThisMachine) {
    /** Bytes of the shortest reply that is compressed for this peer. */
    public int from(@Nullable SocketAddress peer) {
        return from == 0 || (!onThisMachine && isHere(peer)) ? Integer.MAX_VALUE : from;
    }

    private static boolean isHere(@Nullable SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress internet) || internet.getAddress() == null) {
            return true;
        }
        InetAddress address = internet.getAddress();
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false; // the machine does not tell its addresses
        }
    }
}
