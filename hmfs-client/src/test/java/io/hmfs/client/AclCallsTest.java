package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.wire.AccessDecoder;
import io.hmfs.wire.AclReportEncoder;
import io.hmfs.wire.GetAclDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.ModifyAclDecoder;
import io.hmfs.wire.RemoveAclDecoder;
import io.hmfs.wire.RemoveAclEntriesDecoder;
import io.hmfs.wire.RemoveDefaultAclDecoder;
import io.hmfs.wire.SetAclDecoder;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: each change of an ACL is the request of its name, with its entries.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class AclCallsTest {
    private static final List<String> ENTRIES = List.of("user:amy:r--", "group::r-x");
    private static final String TEXT = "user:amy:r--\0group::r-x";

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    @Test
    void changesHaveTheirEntries() throws IOException {
        ScriptedTransport transport = new ScriptedTransport(ScriptedAnswers::done);
        try (HmfsClient client = transport.client()) {
            Acls acls = client.acls();
            acls.modify("/f", ENTRIES);
            ModifyAclDecoder modify = new ModifyAclDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals("/f", modify.path());
            assertEquals(TEXT, modify.entries());
            acls.removeEntries("/f", ENTRIES);
            RemoveAclEntriesDecoder entries =
                    new RemoveAclEntriesDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals("/f", entries.path());
            assertEquals(TEXT, entries.entries());
            acls.removeDefault("/f");
            assertEquals(
                    "/f",
                    new RemoveDefaultAclDecoder()
                            .wrapAndApplyHeader(transport.request(), 0, header)
                            .path());
            acls.remove("/f");
            assertEquals(
                    "/f",
                    new RemoveAclDecoder()
                            .wrapAndApplyHeader(transport.request(), 0, header)
                            .path());
            acls.set("/f", ENTRIES);
            SetAclDecoder set = new SetAclDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(5, set.sequence());
            assertEquals("/f", set.path());
            assertEquals(TEXT, set.entries());
            assertThrows(HmfsException.class, () -> acls.set("/f", List.of("x".repeat(65_535))));
            acls.access("/f", 5);
            AccessDecoder access = new AccessDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals("/f", access.path());
            assertEquals(5, access.wanted());
        }
    }

    @Test
    void anAclHasOwnerGroupModeAndEntries() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> new AclReportEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .mode(0650)
                .owner("bob")
                .group("staff")
                .entries(TEXT)
                .limit());
        try (HmfsClient client = transport.client()) {
            assertEquals(
                    new AclInfo("bob", "staff", 0650, ENTRIES), client.acls().get("/f"));
            assertEquals(
                    "/f",
                    new GetAclDecoder()
                            .wrapAndApplyHeader(transport.request(), 0, header)
                            .path());
        }
    }
}
