package io.hmfs.server.admin;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.TransportKind;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a server listens. An IPv6 address is written in brackets.
 *
 * @param transport how it is to be reached
 */
public record Address(String host, int port, TransportKind transport) {
    private static final Pattern FORM =
            Pattern.compile("(hmfs://|hmfs\\+rdma://)?(\\[[0-9a-fA-F:.%]+\\]|[^:/\\[\\]\\s]+)(?::(\\d{1,5}))?/?");

    /** An address that does not say how it is to be reached. */
    public Address(String host, int port) {
        this(host, port, TransportKind.AUTO);
    }

    /**
     * Reads {@code HOST[:PORT]}, with or without {@code hmfs://} before it, or {@code hmfs+rdma://}: by RDMA only. Throws {@link
     * CommandException}.
     */
    public static Address parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw CommandException.usage("'" + text + "' is no server address; write HOST:PORT");
        }
        String host = matcher.group(2);
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        String port = matcher.group(3);
        return new Address(
                host,
                port == null ? HmfsClient.DEFAULT_PORT : Quantities.number("the port of " + text, port, 1, 65_535),
                "hmfs+rdma://".equals(matcher.group(1)) ? TransportKind.RDMA : TransportKind.AUTO);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
