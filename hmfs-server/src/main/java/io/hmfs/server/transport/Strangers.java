package io.hmfs.server.transport;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose peers have not said who they are, by address: they keep nobody out, for any newcomer may take the place of one. It is the oldest of
 * the address that has most of them, so what one machine opens and leaves silent is displaced by others, and hardly anything else. Thread-safe.
 */
final class Strangers {
    private static final int NETWORK_BYTES = 8; // of an IPv6 address: one machine may have all behind them

    private final Map<Object, LinkedHashSet<ServerConnection>> byAddress = new HashMap<>(); // guarded by this

    synchronized void add(ServerConnection connection) {
        byAddress
                .computeIfAbsent(address(connection.remote()), key -> new LinkedHashSet<>())
                .add(connection);
    }

    /** The peer has said who it is, or the connection has ended. */
    synchronized void remove(ServerConnection connection) {
        Object key = address(connection.remote());
        LinkedHashSet<ServerConnection> ofAddress = byAddress.get(key);
        if (ofAddress != null && ofAddress.remove(connection) && ofAddress.isEmpty()) {
            byAddress.remove(key);
        }
    }

    /** Takes out the one whose place a newcomer gets, and tells it so; null: there is none. */
    synchronized @Nullable ServerConnection displace() {
        LinkedHashSet<ServerConnection> most = null;
        for (LinkedHashSet<ServerConnection> each : byAddress.values()) {
            if (most == null || each.size() > most.size()) {
                most = each;
            }
        }
        if (most == null) {
            return null;
        }
        ServerConnection oldest = most.getFirst();
        remove(oldest);
        oldest.setDisplaced();
        return oldest;
    }

    private static Object address(@Nullable SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress internet) || internet.getAddress() == null) {
            return "";
        }
        byte[] bytes = internet.getAddress().getAddress();
        return ByteBuffer.wrap(bytes, 0, internet.getAddress() instanceof Inet6Address ? NETWORK_BYTES : bytes.length);
    }
}
