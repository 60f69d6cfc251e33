package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.setting.ServerSetting;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: an audit log whose thread has died is seen, and harms no client.
 * Method: a real server on a namespace that throws where this thread asks for the name of a user.
 */
@Timeout(300)
class AuditStoppedTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);

    @TempDir
    private Path directory;

    private static ServerNamespace failingUnderTheAuditLog(ServerNamespace real) {
        return (ServerNamespace) Proxy.newProxyInstance(
                AuditStoppedTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("principalName")
                            && Thread.currentThread().getName().equals("hmfs-audit")) {
                        throw new IndexOutOfBoundsException("a bad pointer");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void healthMetricsAndOneLineTellIt() throws Exception {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerConfig config = ServerConfig.builder(pool)
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.SUPERUSER, "alice")
                .set(ServerSetting.AUDIT_LOG, directory.resolve("audit.log"))
                .set(ServerSetting.AUDIT_LOG_SIZE, 1L << 20)
                .set(ServerSetting.AUDIT_LOG_FILES, 2)
                .build();
        Told told = new Told();
        LOG.addHandler(told);
        try (HmfsServer server = HmfsServer.start(
                        config, failingUnderTheAuditLog(Hmfs.openForServer(pool, OpenOptions.process())));
                HmfsClient client = HmfsClient.connect(
                        "127.0.0.1",
                        server.address().getPort(),
                        ClientOptions.defaults().withUser("alice"))) {
            assertTrue(client.metrics().contains("\nhmfs_audit_stopped 0.0\n"));
            client.create("/a", PLAIN);
            Await.until("it is told", () -> !server.health().isHealthy() && !told.lines.isEmpty());
            List<String> problems = server.health().problems();
            assertEquals(1, problems.size());
            assertTrue(problems.getFirst().startsWith("the audit log has stopped"), problems::getFirst);
            client.create("/b", PLAIN);
            Await.until("the metric", () -> client.metrics().contains("\nhmfs_audit_stopped 1.0\n"));
            assertEquals("b", client.stat("/b").name());
        } finally {
            LOG.removeHandler(told);
        }
        assertEquals(1, told.lines.size(), told.lines::toString);
        assertTrue(told.lines.getFirst().contains(directory + "/audit.log has stopped"), told.lines::getFirst);
    }

    private static final Logger LOG = Logger.getLogger("io.hmfs.server.metrics.AuditLog");

    /** What was logged. */
    private static final class Told extends Handler {
        private final List<String> lines = new ArrayList<>();

        @Override
        public synchronized void publish(LogRecord line) {
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
