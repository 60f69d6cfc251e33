package io.hmfs.hadoop;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The server of the tests, in a process of its own on JDK 25: makes the pool if it is missing, says that it has started, and
 * stops cleanly on SIGTERM and when its standard input ends.
 */
final class TestServerMain {
    private static final long POOL_SIZE = 256L << 20;

    /** Listings of some entries go compressed, others do not. */
    private static final long COMPRESS_FROM = 1024;

    /** Acts for carol. */
    static final String SERVICE = "gateway";

    /** The line that says so. */
    static final String STARTED = "started";

    private TestServerMain() {}

    /** Arguments: pool, port, data store, block size, chunk size. */
    public static void main(String[] args) throws IOException {
        Path pool = Path.of(args[0]);
        if (!Files.exists(pool)) {
            Hmfs.format(pool, FormatOptions.ofSize(POOL_SIZE));
        }
        ServerConfig config = ServerConfig.builder(pool)
                .set(ServerSetting.PORT, Integer.parseInt(args[1]))
                .set(ServerSetting.DATA_STORE, args[2])
                .set(ServerSetting.BLOCK_SIZE, Long.parseLong(args[3]))
                .set(ServerSetting.CHUNK_SIZE, Long.parseLong(args[4]))
                .set(ServerSetting.PROXY_USERS, SERVICE + "=user:carol@*")
                .set(ServerSetting.COMPRESS_FROM, COMPRESS_FROM)
                .set(ServerSetting.COMPRESS_LOCAL, true)
                .build();
        try (HmfsServer server = HmfsServer.start(config)) {
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            System.out.println(STARTED);
            while (System.in.read() >= 0) {
                // nothing is ever said; the end of input is the sign to stop
            }
        }
    }
}
