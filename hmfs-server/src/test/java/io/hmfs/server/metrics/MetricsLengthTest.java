package io.hmfs.server.metrics;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the metrics fit into one reply whatever is set, so that {@code status} and {@code top} work with every server.
 * Method: everything that can be counted is, on a pool with a log; numbers are taken for as long as they can become.
 */
class MetricsLengthTest {
    private static final int LONGEST_NUMBER = 24;

    @TempDir
    private Path directory;

    @Test
    void theLongestMetricsFitIntoTheShortestFrame() throws IOException {
        Path pool = directory.resolve("p.pool");
        LogOptions log = LogOptions.in(directory.resolve("log")).withOnVolatile(true);
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
        Meters meters = new Meters();
        WorkerMeter meter = meters.newMeter();
        for (int i = 0; i < RequestKind.count(); i++) {
            for (ResultCode outcome : ResultCode.values()) {
                meters.count(meter, RequestKind.of(i), outcome, 1);
            }
        }
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.logged(log));
                ServerMetrics metrics = new ServerMetrics(meters, namespace, "0.1.0-SNAPSHOT");
                AuditLog audit = AuditLog.open(directory.resolve("audit"), 1 << 20, 2, meters, String::valueOf)) {
            metrics.audit(audit);
            metrics.startSteps(Map.of("pool", 1L, "metrics", 1L, "data store", 1L, "removals", 1L, "listen", 1L));
            String text = new String(metrics.ownText(), StandardCharsets.UTF_8);
            long longest = 0;
            for (String line : text.lines().toList()) {
                int number = line.startsWith("#") ? line.length() : line.lastIndexOf(' ') + 1;
                longest += Math.max(line.length(), number + LONGEST_NUMBER) + 1;
            }
            long room = ServerSetting.FRAME_MAX_MIN - Wire.DATA_OVERHEAD;
            assertTrue(longest <= room, text.length() + " bytes, perhaps " + longest + "; there is room for " + room);
        }
    }
}
