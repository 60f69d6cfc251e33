package io.hmfs.server;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a server shows of itself: values of its settings.
 *
 * @param auditLog null: none
 * @param slowThreshold zero: no operation is slow
 */
public record ObservationConfig(
        String adminHost,
        int adminPort,
        @Nullable Path auditLog,
        long auditLogSize,
        int auditLogFiles,
        Duration slowThreshold) {
    /** From when on an operation is slow. */
    long slowNanos() {
        return slowThreshold.isZero() ? Long.MAX_VALUE : slowThreshold.toNanos();
    }
}
