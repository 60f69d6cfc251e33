package io.hmfs.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** Whether the process may have as many files open as its connections would need. */
final class FileLimit {
    /** Files that are no connections: the pool, the log, jars, event loops, and objects of the builtin store. */
    static final int OTHERS = 1024;

    private FileLimit() {}

    /** What to warn of, null if nothing; {@code connectionsMax} as configured. */
    static @Nullable String warning(int connectionsMax) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? warning(connectionsMax, unix.getMaxFileDescriptorCount())
                : null;
    }

    /** The same for this limit. */
    static @Nullable String warning(int connectionsMax, long limit) {
        long needed = (long) connectionsMax + OTHERS;
        if (limit < 0 || limit >= needed) { // below 0: not known
            return null;
        }
        return "ulimit -n is " + limit + ", and connections-max " + connectionsMax + " with " + OTHERS
                + " other files needs " + needed + ": connections will wait unanswered when files run out; "
                + (limit > OTHERS
                        ? "raise the one, or set the other to " + (limit - OTHERS) + " at most"
                        : "raise ulimit -n");
    }
}
