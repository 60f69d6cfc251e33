package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.MetricsEncoder;
import io.hmfs.wire.MetricsReportDecoder;
import io.hmfs.wire.SafeModeEncoder;
import io.hmfs.wire.SafeModeStateDecoder;
import io.hmfs.wire.StatusEncoder;
import io.hmfs.wire.StatusReportDecoder;
import io.hmfs.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Rows: the server itself. */
final class ServerCalls {
    private final StatusEncoder statusEncoder = new StatusEncoder();
    private final MetricsEncoder metricsEncoder = new MetricsEncoder();
    private final SafeModeEncoder safeModeEncoder = new SafeModeEncoder();
    private final StatusReportDecoder statusDecoder = new StatusReportDecoder();
    private final MetricsReportDecoder metricsDecoder = new MetricsReportDecoder();
    private final SafeModeStateDecoder safeModeDecoder = new SafeModeStateDecoder();

    final CallKind<byte[], ServerStatus> status;
    final CallKind<byte[], String> metrics;
    final CallKind<SafeMode, Boolean> safeMode;

    /** What is done about safe mode. */
    enum SafeMode {
        ASK(0),
        ENTER(1),
        LEAVE(2);

        private final short action;

        SafeMode(int action) {
            this.action = (short) action;
        }
    }

    ServerCalls() {
        status = CallKind.ofPath(
                "status",
                REPEATABLE,
                StatusEncoder.TEMPLATE_ID,
                StatusEncoder.BLOCK_LENGTH,
                (nothing, out) -> statusEncoder.wrap(out, Wire.HEADER_SIZE).limit(),
                StatusReportDecoder.TEMPLATE_ID,
                (reply, subject, nothing) -> status(reply));
        metrics = CallKind.ofPath(
                "metrics",
                REPEATABLE,
                MetricsEncoder.TEMPLATE_ID,
                MetricsEncoder.BLOCK_LENGTH,
                (nothing, out) -> metricsEncoder.wrap(out, Wire.HEADER_SIZE).limit(),
                MetricsReportDecoder.TEMPLATE_ID,
                (reply, subject, nothing) -> metrics(reply));
        safeMode = new CallKind<>(
                "safe mode",
                REPEATABLE,
                SafeModeEncoder.TEMPLATE_ID,
                SafeModeEncoder.BLOCK_LENGTH,
                mode -> 0,
                (mode, out) -> safeModeEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .action(mode.action)
                        .limit(),
                SafeModeStateDecoder.TEMPLATE_ID,
                (reply, subject, mode) -> safeModeDecoder
                                .wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version())
                                .on()
                        != 0);
    }

    private ServerStatus status(ReplyFrame reply) {
        StatusReportDecoder status = statusDecoder;
        status.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        UUID cluster = new UUID(status.clusterId().high(), status.clusterId().low());
        String poolPath = status.poolPath(); // variable parts in the order of the schema
        String backing = status.backing();
        String persistence = status.persistence();
        String serverVersion = status.serverVersion();
        return new ServerStatus(
                poolPath,
                backing,
                persistence,
                cluster,
                status.mapVersion(),
                (int) status.formatVersion(),
                status.capacity(),
                (int) status.regionsUsed(),
                (int) status.regionsMax(),
                status.recovering() != 0,
                status.recoveredObjects(),
                (int) status.connections(),
                status.uptimeMillis(),
                serverVersion);
    }

    private String metrics(ReplyFrame reply) {
        metricsDecoder.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        byte[] text = reply.room(metricsDecoder.limit(), metricsDecoder.textLength());
        metricsDecoder.getText(text, 0, text.length);
        return new String(text, StandardCharsets.UTF_8);
    }
}
