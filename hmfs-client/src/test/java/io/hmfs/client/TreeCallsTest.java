package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hmfs.wire.ListTreeDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.QuotaReportEncoder;
import io.hmfs.wire.QuotaUsageDecoder;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.SetQuotaDecoder;
import io.hmfs.wire.SumEncoder;
import io.hmfs.wire.SummaryDecoder;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Goal: sums are of all parts, walks go on where the server said, and limits are in their fields.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class TreeCallsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    @Test
    void aSumIsOfAllItsParts() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            SummaryDecoder asked = new SummaryDecoder().wrapAndApplyHeader(request, 0, head);
            assertEquals("/d", asked.path());
            byte[] from = new byte[asked.fromLength()];
            asked.getFrom(from, 0, from.length);
            boolean first = from.length == 0;
            byte[] next = first ? new byte[] {5} : new byte[0];
            return new SumEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .bytes(first ? 100 : 200)
                    .files(first ? 10 : 20)
                    .directories(first ? 1 : 2)
                    .nameQuota(first ? 1000 : -1)
                    .spaceQuota(first ? 2000 : -1)
                    .putNext(next, 0, next.length)
                    .limit();
        });
        try (HmfsClient client = transport.client()) {
            assertEquals(new TreeSummary(300, 30, 3, 1000, 2000), client.trees().summary("/d"));
        }
    }

    @Test
    void aListingGoesOnWhereTheServerSaid() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            ListTreeDecoder asked = new ListTreeDecoder().wrapAndApplyHeader(request, 0, head);
            assertEquals("/d", asked.path());
            assertEquals(14, asked.entriesMax());
            boolean first = asked.fromLength() == 0;
            PageEncoder page = new PageEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .directoryId(0)
                    .cursorBirth(-1)
                    .cursorAt(0)
                    .cursorStart(0);
            PageEncoder.EntriesEncoder each = page.entriesCount(1).next();
            each.kind((short) 0)
                    .inode(2)
                    .size(0)
                    .mtimeNanos(5)
                    .atimeNanos(0)
                    .ctimeNanos(0)
                    .name(first ? "x/y" : "z");
            PageEncoder.KindsEncoder kind = page.kindsCount(1).next().mode(0700);
            kind.flags().clear().directory(true).apart(first);
            kind.owner("bob").group("staff");
            page.linksCount(0);
            byte[] next = first ? new byte[] {7, 8} : new byte[0];
            return page.putNext(next, 0, next.length).limit();
        });
        try (HmfsClient client = transport.client()) {
            TreePage one = client.trees().list("/d", TreeCursor.START, 14);
            assertEquals("x/y", one.entries().get(0).name());
            assertEquals(one.entries(), one.apart());
            TreeCursor cursor = Objects.requireNonNull(one.next());
            TreePage two = client.trees().list("/d", cursor, 14);
            assertEquals("z", two.entries().get(0).name());
            assertEquals(0, two.apart().size());
            assertNull(two.next());
        }
    }

    @Test
    void treesAreRemovedAndLimited() throws IOException {
        ScriptedTransport transport = new ScriptedTransport(ScriptedAnswers::done);
        try (HmfsClient client = transport.client()) {
            client.trees().remove("/d");
            RemoveTreeDecoder remove = new RemoveTreeDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals("/d", remove.path());
            assertEquals(1, remove.sequence());
            client.trees().setQuota("/d", 71, 72);
            SetQuotaDecoder limits = new SetQuotaDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(71, limits.names());
            assertEquals(72, limits.bytes());
            assertEquals("/d", limits.path());
        }
    }

    @Test
    void aQuotaHasLimitsAndUse() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> new QuotaReportEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .nameQuota(71)
                .spaceQuota(72)
                .names(73)
                .bytes(74)
                .limit());
        try (HmfsClient client = transport.client()) {
            assertEquals(new QuotaInfo(71, 72, 73, 74), client.trees().quota("/d"));
            assertEquals(
                    "/d",
                    new QuotaUsageDecoder()
                            .wrapAndApplyHeader(transport.request(), 0, header)
                            .path());
        }
    }
}
