package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Goal: {@code top} and {@code status} end, with one line that says what to do, when their server does not answer.
 * Method: a server that goes while {@code top} looks at it, a port that takes connections and says nothing, timeouts of their own.
 */
@Timeout(120)
class VanishedServerTest {
    @TempDir
    private Path directory = Path.of("");

    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Main.commandLine();
        line.getSubcommands().values().forEach(each -> each.setErr(new PrintWriter(err, true)));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    private void assertOneLine(String wanted) {
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().matches("(?s)hmfs: .*" + wanted + ".*"), err::toString);
    }

    @Test
    void topEndsWhenItsServerHasGone() throws Exception {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        CountDownLatch looked = new CountDownLatch(1);
        PrintStream before = System.out;
        System.setOut(new PrintStream(new Latched(looked), true, StandardCharsets.UTF_8));
        try {
            CompletableFuture<Integer> top;
            String address;
            try (HmfsServer server = HmfsServer.start(ServerConfig.builder(pool)
                    .set(ServerSetting.PORT, 0)
                    .set(ServerSetting.PERSISTENCE, Persistence.PROCESS)
                    .build())) {
                address = "127.0.0.1:" + server.address().getPort();
                top = CompletableFuture.supplyAsync(
                        () -> run("top", "--interval", "100ms", "--timeout", "10s", "--server", address));
                while (!looked.await(100, TimeUnit.MILLISECONDS)) {
                    assertFalse(top.isDone(), err::toString);
                }
            }
            assertEquals(1, top.get(60, TimeUnit.SECONDS));
            assertOneLine(address + " does not answer.*within PT10S.*--timeout");
        } finally {
            System.setOut(before);
        }
    }

    @Test
    void aServerThatTakesConnectionsAndSaysNothingIsGivenUp() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            for (String command : new String[] {"status", "top"}) {
                err.getBuffer().setLength(0);
                assertEquals(1, run(command, "--timeout", "200ms", "--server", address));
                assertOneLine(address + " does not answer.*--timeout");
            }
        }
    }

    @Test
    void aTimeoutIsOverZero() {
        assertEquals(2, run("top", "--timeout", "0s"));
        assertOneLine("--timeout.*over zero");
    }

    /** Tells when something was written. */
    private static final class Latched extends OutputStream {
        private final CountDownLatch written;

        Latched(CountDownLatch written) {
            this.written = written;
        }

        @Override
        public void write(int oneByte) {
            written.countDown();
        }
    }
}
