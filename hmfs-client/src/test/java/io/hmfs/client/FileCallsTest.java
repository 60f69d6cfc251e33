package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.OpenDecoder;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * Goal: each argument of the calls that make, open and commit files is in its field, and a grant has the lease that was
 * asked for.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class FileCallsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ScriptedTransport transport = new ScriptedTransport(ScriptedAnswers::entry);

    @Test
    void createHasAllItsOptions() throws IOException {
        try (HmfsClient client = transport.client()) {
            CreateOptions options = new CreateOptions(0640, false, true, 0711, 0666)
                    .replacing(new FileVersion(31, 32, 33))
                    .leased(34);
            OpenedFile file = client.createAndOpen("/f", options);
            CreateDecoder create = new CreateDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(1, create.sequence());
            assertEquals(0640, create.mode());
            assertEquals(0711, create.parentMode());
            assertEquals(0666, create.unmaskedMode());
            assertTrue(create.flags().overwrite());
            assertTrue(create.flags().createParents());
            assertEquals(31, create.expectedInode());
            assertEquals(32, create.expectedMtimeNanos());
            assertEquals(33, create.expectedSize());
            assertEquals(34, create.lease());
            assertEquals("/f", create.path());
            assertEquals(new Grant(11, 12, 34), file.grant());
            assertEquals("f", file.info().name());
            client.create("/f", new CreateOptions(0640, false, true, CreateOptions.INHERITED));
            create.wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(CreateDecoder.parentModeNullValue(), create.parentMode());
            CreateOptions impossible = new CreateOptions(0640, false, true, 0711, 010000);
            assertThrows(HmfsException.class, () -> client.create("/f", impossible));
            assertTrue(client.createAsync("/f", impossible).isCompletedExceptionally());
        }
    }

    @Test
    void openAsksForAccessAndLease() throws IOException {
        try (HmfsClient client = transport.client()) {
            OpenedFile file = client.open("/f", false, true, 41);
            OpenDecoder open = new OpenDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertFalse(open.access().read());
            assertTrue(open.access().write());
            assertEquals(41, open.lease());
            assertEquals("/f", open.path());
            assertEquals(new Grant(11, 12, 41), file.grant());
        }
    }

    @Test
    void appendMeansAFileByParentNameAndId() throws IOException {
        ScriptedTransport done = new ScriptedTransport(ScriptedAnswers::done);
        FileInfo file = new FileInfo(2, 3, "f", false, 0640, "bob", "staff", 4, 5, 6, 7, "", false, false);
        try (HmfsClient client = done.client()) {
            client.append(file, 51, new Grant(52, 53, 54), true);
            AppendDecoder append = new AppendDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals(1, append.sequence());
            assertEquals(3, append.parentId());
            assertEquals(2, append.inode());
            assertEquals(51, append.size());
            assertEquals(52, append.grant());
            assertEquals(53, append.seal());
            assertEquals(54, append.lease());
            assertEquals(1, append.last());
            assertEquals(-1, append.writtenFrom());
            assertEquals("f", append.name());
            client.append(file, 51, Grant.NONE, false, new Written(17, 18));
            append.wrapAndApplyHeader(done.request(), 0, header);
            assertEquals(17, append.writtenFrom());
            assertEquals(18, append.verifier());
            assertEquals(0, append.last());
        }
    }
}
