package io.hmfs.bench.hdfs;

import io.hmfs.bench.load.SlowLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The way to servers of this machine: straight, or over links that are all alike. */
final class Links implements AutoCloseable {
    private static final Pattern LINK = Pattern.compile("([1-9]\\d{0,4})(mbit|gbit),(\\d{1,5}(?:\\.\\d{1,3})?)ms");
    private static final long MEGA = 1_000_000;

    private final List<SlowLink> made = new ArrayList<>();
    private final long bitsPerSecond; // 0: no link
    private final long roundTripNanos;

    /** Whether a link is told as it must be. */
    static boolean isReadable(String link) {
        return LINK.matcher(link.toLowerCase(Locale.ROOT)).matches();
    }

    /** {@code link}: rate and round trip, as in {@code 1gbit,0.2ms}; null: straight. */
    Links(@Nullable String link) {
        if (link == null) {
            bitsPerSecond = 0;
            roundTripNanos = 0;
            return;
        }
        Matcher parts = LINK.matcher(link.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            throw new IllegalArgumentException(link);
        }
        long unit = parts.group(2).equals("gbit") ? 1_000 * MEGA : MEGA;
        bitsPerSecond = (long) (Double.parseDouble(parts.group(1)) * unit);
        roundTripNanos = (long) (Double.parseDouble(parts.group(3)) * TimeUnit.MILLISECONDS.toNanos(1));
    }

    /** Where to connect to for a server that listens on this port of the loopback address. */
    int to(int port) throws IOException {
        if (bitsPerSecond == 0) {
            return port;
        }
        SlowLink link = new SlowLink(port, bitsPerSecond, roundTripNanos);
        made.add(link);
        return link.port();
    }

    long bitsPerSecond() {
        return bitsPerSecond;
    }

    long roundTripNanos() {
        return roundTripNanos;
    }

    @Override
    public void close() throws IOException {
        for (SlowLink link : made) {
            link.close();
        }
    }
}
