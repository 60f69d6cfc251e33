package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.GetXattrsDecoder;
import io.hmfs.wire.ListXattrsDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RemoveXattrDecoder;
import io.hmfs.wire.SetXattrDecoder;
import io.hmfs.wire.XattrsEncoder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Goal: names and values of extended attributes are in their fields, and what cannot be one is not sent.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class XattrCallsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    @Test
    void anAttributeIsSetAndRemoved() throws IOException {
        ScriptedTransport transport = new ScriptedTransport(ScriptedAnswers::done);
        try (HmfsClient client = transport.client()) {
            client.xattrs().set("/f", "user.a", new byte[] {1, 2}, XattrSetMode.CREATE);
            SetXattrDecoder set = new SetXattrDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertTrue(set.flags().create());
            assertFalse(set.flags().replace());
            assertEquals("/f", set.path());
            assertEquals("user.a", set.attribute());
            assertEquals(2, set.valueLength());
            client.xattrs().remove("/f", "user.b");
            RemoveXattrDecoder remove = new RemoveXattrDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals("/f", remove.path());
            assertEquals("user.b", remove.attribute());
            assertEquals(2, remove.sequence());
            for (String bad : List.of("", "user.\0", "user." + "x".repeat(255))) {
                assertThrows(HmfsException.class, () -> client.xattrs().remove("/f", bad));
            }
            assertThrows(
                    HmfsException.class,
                    () -> client.xattrs().set("/f", "user.a", new byte[(64 << 10) + 1], XattrSetMode.CREATE));
        }
    }

    @Test
    void valuesComeByTheirNames() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            XattrsEncoder xattrs = new XattrsEncoder().wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder());
            XattrsEncoder.AttributesEncoder each = xattrs.attributesCount(2);
            each.next().name("user.a").putValue(new byte[] {1, 2}, 0, 2);
            each.next().name("user.b").putValue(new byte[] {3}, 0, 1);
            return xattrs.limit();
        });
        try (HmfsClient client = transport.client()) {
            Map<String, byte[]> values = client.xattrs().get("/f", List.of("user.a", "user.b"));
            GetXattrsDecoder get = new GetXattrsDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals("/f", get.path());
            assertEquals("user.a\0user.b", get.attributes());
            assertArrayEquals(new byte[] {1, 2}, values.get("user.a"));
            assertArrayEquals(new byte[] {3}, values.get("user.b"));
            assertEquals(List.of("user.a", "user.b"), client.xattrs().list("/f"));
            assertEquals(
                    "/f",
                    new ListXattrsDecoder()
                            .wrapAndApplyHeader(transport.request(), 0, header)
                            .path());
        }
    }
}
