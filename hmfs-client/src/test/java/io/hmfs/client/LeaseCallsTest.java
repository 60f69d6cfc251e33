package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.IsClosedDecoder;
import io.hmfs.wire.LeaseStateEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RecoverLeaseDecoder;
import io.hmfs.wire.RenewLeasesDecoder;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * Goal: the server hears which lease is over and which file is to be taken from its writer.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class LeaseCallsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    @Test
    void theEndOfALeaseIsTold() throws IOException {
        ScriptedTransport transport = new ScriptedTransport(ScriptedAnswers::done);
        try (HmfsClient client = transport.client()) {
            client.leases().begun();
            client.leases().end(81, new Grant(1, 2, 82)).join();
            RenewLeasesDecoder renew = new RenewLeasesDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(81, renew.endedInode());
            assertEquals(82, renew.endedLease());
            client.leases().recover("/f");
            assertEquals(
                    "/f",
                    new RecoverLeaseDecoder()
                            .wrapAndApplyHeader(transport.request(), 0, header)
                            .path());
        }
    }

    @Test
    void aFileIsClosedOrNot() throws IOException {
        for (int closed = 0; closed < 2; closed++) {
            short told = (short) closed;
            ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> new LeaseStateEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .closed(told)
                    .limit());
            try (HmfsClient client = transport.client()) {
                if (closed == 0) {
                    assertFalse(client.leases().isClosed("/f"));
                } else {
                    assertTrue(client.leases().isClosed("/f"));
                }
                assertEquals(
                        "/f",
                        new IsClosedDecoder()
                                .wrapAndApplyHeader(transport.request(), 0, header)
                                .path());
            }
        }
    }
}
