package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: creates, appends and deletes below a quota join their event-loop batch, and each counts for what it did. Method: batches in which
 * some requests fail; the usage after each.
 */
class BatchBelowQuotaTest {
    private static final long BYTES = 1000;

    @TempDir
    private Path directory;

    private HandlerRig rig;
    private long limited;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
        limited = rig.mkdir("limited", 0777);
        assertEquals(Status.OK, rig.partition().quotas().set(limited, 4, BYTES)); // the directory itself is a name
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, create("f")));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private HandlerRig.Message create(String name) {
        return (out, header) -> new CreateEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .baseId(Wire.ROOT_ID)
                .mode(0644)
                .parentMode(0755)
                .unmaskedMode(0644)
                .path("/limited/" + name)
                .limit();
    }

    private HandlerRig.Message delete(String name) {
        return (out, header) -> new DeleteEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .baseId(Wire.ROOT_ID)
                .emptyDirectory((short) 0)
                .path("/limited/" + name)
                .limit();
    }

    private HandlerRig.Message append(String name, long inode, long size) {
        return FileRequests.append(0, limited, name, new FileRequests.Opened(inode, 0, 0), size, 0, false);
    }

    private void assertBatched(HandlerRig.Message... messages) {
        for (HandlerRig.Message each : messages) {
            assertTrue(rig.isBatched(HandlerRig.ROOT, each));
        }
        rig.endBatch();
    }

    private void assertOutcomes(ResultCode... outcomes) {
        for (ResultCode each : outcomes) {
            assertEquals(each, rig.outcome(rig.reply(HandlerRig.ROOT)));
        }
    }

    private void assertUsage(long names, long bytes) {
        Quota usage = rig.partition().quotas().usage(limited);
        assertEquals(names, usage == null ? 0 : usage.usedNames);
        assertEquals(bytes, usage == null ? 0 : usage.usedBytes);
    }

    @Test
    void aCreateThatFailsIsNotCharged() {
        assertBatched(create("g"), create("g"));
        assertOutcomes(ResultCode.OK, ResultCode.EXISTS);
        assertUsage(3, 0);
        assertBatched(create("h"));
        assertOutcomes(ResultCode.OK);
        assertFalse(rig.isBatched(HandlerRig.ROOT, create("i")), "is refused at once");
        assertOutcomes(ResultCode.NAME_QUOTA_EXCEEDED);
        assertUsage(4, 0);
    }

    @Test
    void anAppendIsChargedWhatTheFileGrows() {
        long file = rig.stat(limited, "f").id;
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, create("g")));
        long other = rig.stat(limited, "g").id;
        assertBatched(append("f", file, 100), append("g", file, 100));
        assertOutcomes(ResultCode.OK, ResultCode.STALE);
        assertUsage(3, 100);
        assertBatched(append("f", file, 300), append("g", other, 200));
        assertOutcomes(ResultCode.OK, ResultCode.OK);
        assertUsage(3, 500);
        assertFalse(rig.isBatched(HandlerRig.ROOT, append("g", other, 701)), "is refused at once");
        assertOutcomes(ResultCode.SPACE_QUOTA_EXCEEDED);
        assertUsage(3, 500);
    }

    /** What the second one adds depends on what the first one does. */
    @Test
    void twoAppendsOfOneFileAreTwoBatches() {
        long file = rig.stat(limited, "f").id;
        assertBatched(append("f", file, 100));
        assertOutcomes(ResultCode.OK);
        assertTrue(rig.isBatched(HandlerRig.ROOT, append("f", file, 200)));
        rig.send(HandlerRig.ROOT, append("f", file, 300));
        rig.endBatch();
        assertOutcomes(ResultCode.OK, ResultCode.OK);
        assertUsage(2, 300);
    }

    @Test
    void aDeleteGivesBackWhatTheFileHad() {
        long file = rig.stat(limited, "f").id;
        assertBatched(append("f", file, 100));
        assertOutcomes(ResultCode.OK);
        assertBatched(delete("f"), delete("f"), delete("none"));
        assertOutcomes(ResultCode.OK, ResultCode.NOT_FOUND, ResultCode.NOT_FOUND);
        assertUsage(1, 0);
    }

    /** Of another connection in the same event-loop batch; deletes are executed first. */
    @Test
    void anAppendThatADeleteComesBeforeIsNotCharged() {
        long file = rig.stat(limited, "f").id;
        assertTrue(rig.isBatched(HandlerRig.ROOT, append("f", file, 100)));
        assertTrue(rig.isBatched(HandlerRig.USER, delete("f")));
        rig.endBatch();
        assertOutcomes(ResultCode.STALE);
        assertEquals(ResultCode.OK, rig.outcome(rig.reply(HandlerRig.USER)));
        assertUsage(1, 0);
    }
}
