package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.QuotaReportDecoder;
import io.hmfs.wire.QuotaUsageEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the quota of a directory and what is charged to it are told to users that may read the directory. Method: a directory with and without
 * a quota.
 */
class QuotaUsageHandlerTest {
    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static HandlerRig.Message usage(String path) {
        return (out, header) -> new QuotaUsageEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
    }

    private List<Long> told(String user, String path) {
        QuotaReportDecoder report =
                new QuotaReportDecoder().wrapAndApplyHeader(rig.ask(user, usage(path)), 0, new MessageHeaderDecoder());
        return List.of(report.nameQuota(), report.spaceQuota(), report.names(), report.bytes());
    }

    @Test
    void limitsAndWhatIsChargedAreTold() {
        long id = rig.mkdir("d", 0755);
        long file = rig.create(id, "f", 0644);
        assertEquals(Status.OK, rig.namespace().append(id, Name.of("f"), file, 5));
        assertEquals(List.of(Quota.NONE, Quota.NONE, 0L, 0L), told(HandlerRig.USER, "/d"));
        assertEquals(List.of(Quota.NONE, Quota.NONE, 0L, 0L), told(HandlerRig.USER, "/d/f"));
        assertEquals(Status.OK, rig.partition().quotas().set(id, 10, 20));
        assertEquals(List.of(10L, 20L, 2L, 5L), told(HandlerRig.USER, "/d"));
    }

    @Test
    void whatMayNotBeReadOrIsNotThereIsRefused() {
        rig.mkdir("closed", 0711);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, usage("/closed")));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, usage("/closed")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, usage("/none")));
    }
}
