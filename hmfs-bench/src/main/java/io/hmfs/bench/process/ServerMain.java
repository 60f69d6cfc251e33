package io.hmfs.bench.process;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.RdmaUse;
import io.hmfs.server.transport.SocketKind;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The server, with its own JVM, on a new pool. Says {@code ready PORT}, answers {@code heap}, {@code memory} and {@code pinned}, ends
 * when its input does.
 */
public final class ServerMain {
    /** Asks for the bytes that are used on the heap after a full collection. */
    public static final String HEAP = "heap";

    /** Asks for that, the bytes of direct buffers and those of the process that are in memory. */
    public static final String MEMORY = "memory";

    /** Asks for the bytes that devices may reach, and which therefore stay in memory. */
    public static final String PINNED = "pinned";

    /** Property: the address on which it listens, for RDMA too; without it, on all for TCP. */
    public static final String RDMA_HOST = "hmfs.bench.rdma.host";

    /** Property: directories whose attributes clients may read by RDMA. */
    public static final String REMOTE_STATS = "hmfs.bench.rdma.stats";

    /** Property: the kind of its sockets. */
    public static final String TRANSPORT = "hmfs.bench.transport";

    private static final Path STATM = Path.of("/proc/self/statm");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long PAGE = 4096;

    private ServerMain() {}

    /** Arguments: pool, its size, event loops, mode, and with {@code LOGGED} the log's directory. */
    public static void main(String[] arguments) throws IOException {
        Path pool = Path.of(arguments[0]);
        Persistence persistence = Persistence.valueOf(arguments[3]);
        Path logDirectory = persistence == Persistence.LOGGED ? Path.of(arguments[4]) : null;
        LogOptions log =
                logDirectory == null ? null : LogOptions.in(logDirectory).withOnVolatile(true);
        Hmfs.format(pool, new FormatOptions(Long.parseLong(arguments[1]), Backing.MAPPED, true, log));
        String rdmaHost = System.getProperty(RDMA_HOST);
        ServerConfig.Builder config = ServerConfig.builder(pool)
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.EVENT_LOOPS, Integer.parseInt(arguments[2]))
                .set(ServerSetting.PERSISTENCE, persistence)
                .set(ServerSetting.EMULATE_PMEM, true) // or a mode could be measured only where its memory or disk is
                .set(ServerSetting.LOG_DIRECTORY, logDirectory)
                .set(
                        ServerSetting.TRANSPORT,
                        SocketKind.valueOf(System.getProperty(TRANSPORT, SocketKind.AUTO.name())));
        if (rdmaHost != null) {
            config.set(ServerSetting.HOST, rdmaHost)
                    .set(ServerSetting.RDMA, RdmaUse.ON)
                    .set(ServerSetting.REMOTE_STAT_DIRECTORIES, Integer.getInteger(REMOTE_STATS, 0));
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (HmfsServer server = HmfsServer.start(config.build())) {
            System.out.println("ready " + server.address().getPort());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println(
                        switch (line) {
                            case HEAP -> HEAP + " " + heapUsed();
                            case MEMORY -> MEMORY + " " + heapUsed() + " " + directUsed() + " " + resident();
                            case PINNED -> PINNED + " " + pinned();
                            default -> "unknown " + line;
                        });
            }
        }
    }

    private static long directUsed() {
        return ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider known
                ? known.metric().usedDirectMemory()
                : 0;
    }

    /** 0 where the system does not tell. */
    private static long resident() throws IOException {
        return Files.exists(STATM)
                ? PAGE * Long.parseLong(Files.readString(STATM).split(" ", 3)[1])
                : 0;
    }

    /** 0 where the system does not tell. */
    private static long pinned() throws IOException {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(STATUS)) {
            return 1024
                    * lines.filter(line -> line.startsWith("VmPin:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum();
        }
    }

    private static long heapUsed() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
