package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.SumDecoder;
import io.hmfs.wire.SummaryEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a summary counts what is below a directory, once in whatever parts it is asked for, for users that may read all of it. Method: trees of
 * a few entries, summed up in one part and in parts of one entry.
 */
class ContentSummaryHandlerTest {
    private static final byte[] NOTHING = {};

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

    private static HandlerRig.Message summary(String path, long entriesMax, byte[] from) {
        return (out, header) -> new SummaryEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .entriesMax(entriesMax)
                .path(path)
                .putFrom(from, 0, from.length)
                .limit();
    }

    private SumDecoder sum(String user, String path, long entriesMax, byte[] from) {
        return new SumDecoder()
                .wrapAndApplyHeader(rig.ask(user, summary(path, entriesMax, from)), 0, new MessageHeaderDecoder());
    }

    private static byte[] next(SumDecoder sum) {
        byte[] next = new byte[sum.nextLength()];
        sum.getNext(next, 0, next.length);
        return next;
    }

    /** Four files of 5 bytes in all, three directories. */
    private long makeTree() {
        long top = rig.mkdir("d", 0755);
        Attributes inner = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(top, Name.of("inner"), 0755, 0, 0, inner));
        assertEquals(Status.OK, rig.namespace().mkdir(inner.id, Name.of("empty"), 0755, 0, 0, new Attributes()));
        long file = rig.create(inner.id, "f", 0644);
        assertEquals(Status.OK, rig.namespace().append(inner.id, Name.of("f"), file, 5));
        rig.create(inner.id, "g", 0644);
        rig.create(top, "h", 0644);
        rig.create(top, "i", 0644);
        return top;
    }

    @Test
    void aTreeIsCountedOnceInOnePartAndInMany() {
        makeTree();
        SumDecoder whole = sum(HandlerRig.USER, "/d", 0, NOTHING);
        assertEquals(List.of(5L, 4L, 3L), List.of(whole.bytes(), whole.files(), whole.directories()));
        assertEquals(0, whole.nextLength());
        long bytes = 0;
        long files = 0;
        long directories = 0;
        int parts = 0;
        byte[] from = NOTHING;
        do {
            SumDecoder part = sum(HandlerRig.USER, "/d", 1, from);
            bytes += part.bytes();
            files += part.files();
            directories += part.directories();
            parts++;
            from = next(part);
        } while (from.length > 0 && parts < 100);
        assertEquals(List.of(5L, 4L, 3L), List.of(bytes, files, directories));
        assertTrue(parts > 1);
    }

    @Test
    void theTopsQuotaIsToldAndAFileIsItsOwnSum() {
        long top = makeTree();
        SumDecoder none = sum(HandlerRig.ROOT, "/d", 0, NOTHING);
        assertEquals(List.of(Quota.NONE, Quota.NONE), List.of(none.nameQuota(), none.spaceQuota()));
        assertEquals(Status.OK, rig.partition().quotas().set(top, 10, 20));
        SumDecoder limited = sum(HandlerRig.ROOT, "/d", 0, NOTHING);
        assertEquals(List.of(10L, 20L), List.of(limited.nameQuota(), limited.spaceQuota()));
        SumDecoder file = sum(HandlerRig.ROOT, "/d/inner/f", 0, NOTHING);
        assertEquals(List.of(5L, 1L, 0L), List.of(file.bytes(), file.files(), file.directories()));
    }

    @Test
    void whatMayNotBeReadOrIsNotThereOrGoesOnNowhereIsRefused() {
        long top = makeTree();
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, summary("/none", 0, NOTHING)));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.USER, summary("/d", 0, new byte[] {1})));
        assertEquals(Status.OK, rig.namespace().chmod(top, Name.of("inner"), 0700));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, summary("/d", 0, NOTHING)));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, summary("/d", 0, NOTHING)));
    }

    /** What is too long to be written down as a place to go on from, 32 KB. */
    @Test
    void aTreeThatIsTooDeepToGoOnInIsRefusedOnceTheServerStops() {
        String name = "n".repeat(255);
        long at = rig.mkdir("d", 0755);
        for (int i = 0; i < 150; i++) {
            Attributes made = new Attributes();
            assertEquals(Status.OK, rig.namespace().mkdir(at, Name.of(name), 0755, 0, 0, made));
            at = made.id;
        }
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, summary("/d", 140, NOTHING)));
        rig.partition().orphans().close();
        assertEquals(ResultCode.TOO_LARGE, rig.outcome(HandlerRig.ROOT, summary("/d", 140, NOTHING)));
    }
}
