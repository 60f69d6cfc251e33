package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.MetricsEncoder;
import io.hmfs.wire.MetricsReportDecoder;
import io.hmfs.wire.SafeModeEncoder;
import io.hmfs.wire.SafeModeStateDecoder;
import io.hmfs.wire.ScrubEncoder;
import io.hmfs.wire.ScrubReportDecoder;
import io.hmfs.wire.StatusEncoder;
import io.hmfs.wire.StatusReportDecoder;
import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Rows: the server itself. */
final class ServerCalls {
    private final StatusEncoder statusEncoder = new StatusEncoder();
    private final MetricsEncoder metricsEncoder = new MetricsEncoder();
    private final SafeModeEncoder safeModeEncoder = new SafeModeEncoder();
    private final ScrubEncoder scrubEncoder = new ScrubEncoder();
    private final ScrubReportDecoder scrubDecoder = new ScrubReportDecoder();
    private final StatusReportDecoder statusDecoder = new StatusReportDecoder();
    private final MetricsReportDecoder metricsDecoder = new MetricsReportDecoder();
    private final SafeModeStateDecoder safeModeDecoder = new SafeModeStateDecoder();

    final CallKind<byte[], ServerStatus> status;
    final CallKind<byte[], String> metrics;
    final CallKind<SafeMode, Boolean> safeMode;
    final CallKind<Scrub, ScrubStatus> scrub;

    /** {@code from}: the first damaged part to be told. */
    record Scrub(boolean begins, long bytesPerSecond, int from) {}

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
        scrub = new CallKind<>(
                "scrub",
                REPEATABLE,
                ScrubEncoder.TEMPLATE_ID,
                ScrubEncoder.BLOCK_LENGTH,
                each -> 0,
                (each, out) -> scrubEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .action((short) (each.begins ? 1 : 0))
                        .bytesPerSecond(each.bytesPerSecond)
                        .from(each.from)
                        .limit(),
                ScrubReportDecoder.TEMPLATE_ID,
                (reply, subject, each) -> scrub(reply));
    }

    private ScrubStatus scrub(ReplyFrame reply) {
        ScrubReportDecoder report = scrubDecoder;
        report.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        byte[] bytes = reply.room(report.limit(), report.damagesLength());
        report.getDamages(bytes, 0, bytes.length);
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        List<ScrubStatus.Damage> damages = new ArrayList<>();
        while (in.hasRemaining()) {
            long inode = in.getLong();
            long from = in.getLong();
            long to = in.getLong();
            byte[] path = new byte[Short.toUnsignedInt(in.getShort())];
            in.get(path);
            damages.add(new ScrubStatus.Damage(new String(path, StandardCharsets.UTF_8), inode, from, to));
        }
        return new ScrubStatus(
                report.number(),
                report.running() != 0,
                report.whole() != 0,
                report.files(),
                report.objects(),
                report.bytes(),
                report.unread(),
                report.damaged(),
                report.beganMillis(),
                report.endedMillis(),
                damages,
                (int) report.next());
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
