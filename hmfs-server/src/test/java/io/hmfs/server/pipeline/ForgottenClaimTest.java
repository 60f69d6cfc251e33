package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.core.type.DeleteBatch;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.op.BatchedHandler;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.request.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a claim that no handler would answer is noticed. Method: a handler that claims a change and does not take it. */
class ForgottenClaimTest {
    private static final long SEQUENCE = 7;

    @TempDir
    private Path directory;

    /** Claims, and says no. */
    private static final class ClaimingHandler extends BatchedHandler {
        ClaimingHandler() {
            super(RequestKind.DELETE, new DeleteBatch(2));
        }

        @Override
        public boolean add(Request request) {
            request.claimed(SEQUENCE);
            return false;
        }

        @Override
        public void execute(Request request) {}

        @Override
        public void executeAll(Request request) {}

        @Override
        public void reply(Request request, int row) {}
    }

    @Test
    void aRequestDoesNotBeginWhileAClaimIsOpen() throws IOException {
        try (HandlerRig rig = new HandlerRig(directory)) {
            Request request = new Request(new Partitions(List.of(rig.partition())), new Meters().newMeter(), false);
            BareSession session = new BareSession();
            request.begin(session, session.channel(), 1);
            assertFalse(new ClaimingHandler().add(request));
            assertThrows(IllegalStateException.class, () -> request.begin(session, session.channel(), 2));
            assertEquals(SEQUENCE, request.handOver());
            request.begin(session, session.channel(), 3);
        }
    }
}
