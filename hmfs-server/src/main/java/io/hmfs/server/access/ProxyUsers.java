package io.hmfs.server.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The users that may act for others: services such as Livy or Oozie, which know their users themselves (Hadoop's proxy users). Told as
 * {@code livy=analysts,user:carol@10.0.0.0/8,gateway;oozie=*@*}: for each such user the groups and users that it may act for, and the
 * addresses, networks and names of the hosts that it connects from; {@code *} is all. Names of hosts are looked up once. Immutable.
 */
public final class ProxyUsers {
    private static final String ALL = "*";
    private static final String OF_USER = "user:";

    private final Map<String, Proxy> proxies = new HashMap<>();

    /** What one of them may. */
    private record Proxy(List<String> users, List<Network> networks) {}

    /** Addresses that begin alike. */
    private record Network(InetAddress address, int bits) {
        static final Network EVERYTHING = new Network(InetAddress.getLoopbackAddress(), 0);

        boolean holds(InetAddress other) {
            byte[] own = address.getAddress();
            byte[] bytes = other.getAddress();
            if (bits > 0 && bytes.length != own.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                int difference = bytes[bit >>> 3] ^ own[bit >>> 3];
                if ((difference & 0x80 >>> (bit & 7)) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Reads them, and looks hosts up. An {@code IllegalArgumentException} lacks the subject, the name of the setting. */
    public static ProxyUsers parse(String text) {
        ProxyUsers all = new ProxyUsers();
        for (String entry : parts(text, ";")) {
            int equals = entry.indexOf('=');
            int from = entry.lastIndexOf('@');
            List<String> users = from > equals ? parts(entry.substring(equals + 1, from), ",") : List.of();
            List<String> hosts = parts(entry.substring(from + 1), ",");
            if (equals < 1 || users.isEmpty() || hosts.isEmpty()) {
                throw new IllegalArgumentException("has '" + entry
                        + "'; write service=group1,group2,user:name@address,network/bits,host, or * for all of them");
            }
            List<Network> networks = new ArrayList<>();
            for (String host : hosts) {
                networks.addAll(networks(host));
            }
            String service = entry.substring(0, equals).strip();
            if (all.proxies.put(service, new Proxy(users, networks)) != null) {
                throw new IllegalArgumentException("has " + service + " twice; write one entry for it");
            }
        }
        return all;
    }

    private static List<Network> networks(String host) {
        if (host.equals(ALL)) {
            return List.of(Network.EVERYTHING);
        }
        int slash = host.indexOf('/');
        try {
            if (slash >= 0) {
                InetAddress address = InetAddress.ofLiteral(host.substring(0, slash));
                int bits = Integer.parseInt(host.substring(slash + 1));
                if (bits < 1 || bits > bitsOf(address)) {
                    throw new IllegalArgumentException(host);
                }
                return List.of(new Network(address, bits));
            }
            List<Network> networks = new ArrayList<>();
            for (InetAddress each : InetAddress.getAllByName(host)) {
                networks.add(new Network(each, bitsOf(each)));
            }
            return networks;
        } catch (UnknownHostException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "has the host '" + host
                            + "', which is not known; write an address, a network as 10.0.0.0/8, or the name of a host",
                    e);
        }
    }

    private static int bitsOf(InetAddress address) {
        return address.getAddress().length * Byte.SIZE;
    }

    /**
     * Why {@code real} may not act for this user, in Hadoop's words; null if it may.
     *
     * @param gid the number of a group's name
     * @param from the address of the connection; null if it has none
     */
    @Nullable
    String refusal(String real, Caller user, ToIntFunction<String> gid, @Nullable InetAddress from) {
        Proxy proxy = proxies.get(real);
        if (proxy == null || proxy.users.stream().noneMatch(rule -> covers(rule, user, gid))) {
            return "User: " + real + " is not allowed to impersonate " + user.name();
        }
        if (proxy.networks.stream().noneMatch(each -> from == null ? each.bits == 0 : each.holds(from))) {
            return "Unauthorized connection for super-user: " + real + " from IP "
                    + (from == null ? "unknown" : from.getHostAddress());
        }
        return null;
    }

    private static boolean covers(String rule, Caller user, ToIntFunction<String> gid) {
        return rule.equals(ALL)
                || (rule.startsWith(OF_USER)
                        ? rule.substring(OF_USER.length()).equals(user.name())
                        : user.isIn(gid.applyAsInt(rule)));
    }

    /** The parts of a text, without white space around them, and without empty ones. */
    static List<String> parts(String text, String separator) {
        return Arrays.stream(text.split(separator, -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }
}
