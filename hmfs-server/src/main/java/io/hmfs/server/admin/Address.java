package io.hmfs.server.admin;

import io.hmfs.client.HmfsClient;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server listens. An IPv6 address is written in brackets. */
public record Address(String host, int port) {
    private static final Pattern FORM =
            Pattern.compile("(?:hmfs://)?(\\[[0-9a-fA-F:.%]+\\]|[^:/\\[\\]\\s]+)(?::(\\d{1,5}))?/?");

    /** Reads {@code HOST[:PORT]}, with or without {@code hmfs://} before it. Throws {@link CommandException}. */
    public static Address parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw CommandException.usage("'" + text + "' is no server address; write HOST:PORT");
        }
        String host = matcher.group(1);
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        String port = matcher.group(2);
        return new Address(
                host,
                port == null ? HmfsClient.DEFAULT_PORT : Quantities.number("the port of " + text, port, 1, 65_535));
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
