package io.hmfs.server.metrics;

import org.jspecify.annotations.Nullable;

/**
 * Where request execution tells what it does.
 *
 * @param meters counts
 * @param metrics what a peer is told that asks for them
 * @param audit null: no audit log
 * @param slowNanos from when on an operation is slow; {@code Long.MAX_VALUE}: none is
 */
public record Observation(
        Meters meters, ServerMetrics metrics, @Nullable AuditLog audit, long slowNanos) {}
