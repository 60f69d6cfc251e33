package io.hmfs.bench.load;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The server, with its own JVM, on a new pool. Says {@code ready PORT}, answers {@code heap}, ends when its input does. */
public final class ServerMain {
    /** Asks for the bytes that are used on the heap after a full collection. */
    public static final String HEAP = "heap";

    private ServerMain() {}

    /** Arguments: pool, its size, event loops, mode, and with {@code LOGGED} the log's directory. */
    public static void main(String[] arguments) throws IOException {
        Path pool = Path.of(arguments[0]);
        Persistence persistence = Persistence.valueOf(arguments[3]);
        Path logDirectory = persistence == Persistence.LOGGED ? Path.of(arguments[4]) : null;
        LogOptions log =
                logDirectory == null ? null : LogOptions.in(logDirectory).withOnVolatile(true);
        Hmfs.format(pool, new FormatOptions(Long.parseLong(arguments[1]), Backing.MAPPED, true, log));
        ServerConfig config = ServerConfig.builder(pool)
                .port(0)
                .eventLoops(Integer.parseInt(arguments[2]))
                .persistence(persistence)
                .emulatePmem(true) // or a mode could be measured only where its memory or disk is
                .logDirectory(logDirectory)
                .build();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (HmfsServer server = HmfsServer.start(config)) {
            System.out.println("ready " + server.address().getPort());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println(line.equals(HEAP) ? HEAP + " " + heapUsed() : "unknown " + line);
            }
        }
    }

    private static long heapUsed() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
