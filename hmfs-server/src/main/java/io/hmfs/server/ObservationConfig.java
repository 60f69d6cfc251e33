package io.hmfs.server;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a server shows of itself.
 *
 * @param adminHost address for {@code /metrics} and {@code /health}
 * @param adminPort port for them; 0: a free one, {@link #OFF}: not served
 * @param auditLog the audit log's file; null: none
 * @param auditLogSize bytes of that file before the next is begun, 64 KiB to 1 TiB
 * @param auditLogFiles files of the audit log that are kept, 1 to 1,000
 * @param slowThreshold operations that take as long are recorded as slow; zero: none are
 */
public record ObservationConfig(
        String adminHost,
        int adminPort,
        @Nullable Path auditLog,
        long auditLogSize,
        int auditLogFiles,
        Duration slowThreshold) {
    /** As a port: not served. */
    public static final int OFF = -1;

    /** Nothing is served or written, and an operation is slow from a second on. */
    public static final ObservationConfig DEFAULT =
            new ObservationConfig("127.0.0.1", OFF, null, 256L << 20, 10, Duration.ofSeconds(1));

    public ObservationConfig {
        SettingBounds.check("adminPort", adminPort, OFF, 65_535);
        SettingBounds.check("auditLogSize", auditLogSize, 64 << 10, 1L << 40);
        SettingBounds.check("auditLogFiles", auditLogFiles, 1, 1000);
        SettingBounds.check("slowThreshold", slowThreshold.toMillis(), 0, Integer.MAX_VALUE);
    }

    public ObservationConfig withAdmin(String host, int port) {
        return new ObservationConfig(host, port, auditLog, auditLogSize, auditLogFiles, slowThreshold);
    }

    public ObservationConfig withAuditLog(@Nullable Path file, long size, int files) {
        return new ObservationConfig(adminHost, adminPort, file, size, files, slowThreshold);
    }

    public ObservationConfig withSlowThreshold(Duration threshold) {
        return new ObservationConfig(adminHost, adminPort, auditLog, auditLogSize, auditLogFiles, threshold);
    }

    /** From when on an operation is slow. */
    long slowNanos() {
        return slowThreshold.isZero() ? Long.MAX_VALUE : slowThreshold.toNanos();
    }
}
