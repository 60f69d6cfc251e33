package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.SetQuotaEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: superusers limit directories, and nothing else is taken for a limit. Method: quotas are set by both users, and the partition's quotas
 * tell what came of it.
 */
class SetQuotaHandlerTest {
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

    private static HandlerRig.Message setQuota(String path, long names, long bytes) {
        return (out, header) -> new SetQuotaEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .names(names)
                .bytes(bytes)
                .path(path)
                .limit();
    }

    private void assertQuota(long id, long names, long bytes) {
        Quota quota = rig.partition().quotas().limits(id);
        assertEquals(names, quota.names);
        assertEquals(bytes, quota.bytes);
    }

    @Test
    void aSuperuserSetsAndLiftsALimit() {
        long id = rig.mkdir("d", 0755);
        rig.assertDone(rig.ask(HandlerRig.ROOT, setQuota("/d", 10, 0)));
        assertQuota(id, 10, 0);
        rig.assertDone(rig.ask(HandlerRig.ROOT, setQuota("/d", Long.MAX_VALUE, 20))); // the first as it is
        assertQuota(id, 10, 20);
        rig.assertDone(rig.ask(HandlerRig.ROOT, setQuota("/d", Quota.NONE, Quota.NONE)));
        assertEquals(0, rig.partition().quotas().size());
    }

    @Test
    void othersAreRefusedWhateverTheyName() {
        long id = rig.mkdir("d", 0777);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setQuota("/d", 10, 10)));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setQuota("/none", 0, 10)));
        assertQuota(id, Quota.NONE, Quota.NONE);
    }

    @Test
    void whatIsNoLimitOrNoDirectoryIsRefused() {
        long id = rig.mkdir("d", 0755);
        rig.create(id, "f", 0644);
        for (long[] wrong : new long[][] {{0, 10}, {-2, 10}, {10, -2}}) {
            assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, setQuota("/d", wrong[0], wrong[1])));
        }
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.ROOT, setQuota("/d/f", 10, 10)));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, setQuota("/none", 10, 10)));
        assertEquals(0, rig.partition().quotas().size());
    }
}
