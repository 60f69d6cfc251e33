package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Goal: pages are asked for ahead, more with each page and never more than allowed, each behind the request before it,
 * and after a failure from the cursor on. Method: a server that numbers the pages by their births, and keeps what it was asked.
 */
class PagesAheadTest {
    private static final ListingCursor FIRST = new ListingCursor(7, 8, 9);

    private record Asked(long id, long behind, long birth) {}

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final List<Asked> asked = new ArrayList<>();
    private final ScriptedTransport server = new ScriptedTransport(this::answer);

    private int answer(WireBuffer request, MessageHeaderDecoder head, WireBuffer reply) {
        if (head.templateId() != ListDecoder.TEMPLATE_ID) {
            return ScriptedAnswers.entry(request, head, reply);
        }
        ListDecoder list = new ListDecoder().wrapAndApplyHeader(request, 0, header);
        asked.add(new Asked(list.correlationId(), list.behind(), list.cursorBirth()));
        PageEncoder page = new PageEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .directoryId(8)
                .cursorBirth(100 + asked.size())
                .cursorAt(0)
                .cursorStart(0);
        page.entriesCount(0);
        page.kindsCount(0);
        page.linksCount(0);
        return page.putNext(new byte[0], 0, 0).limit();
    }

    private static PagesAhead ahead(HmfsClient client, int pagesMax) throws IOException {
        return client.listAhead("/d", 0, ListDetail.ALL, NameFilter.NONE, pagesMax);
    }

    /** Waits for the next page; where the one behind it begins. */
    private static ListingCursor read(HmfsClient client, PagesAhead ahead, ListingCursor at) throws IOException {
        return Objects.requireNonNull(client.calls().await(ahead.next(at)).next());
    }

    @Test
    void eachPageAsksForOneMoreUpToTheWindow() throws IOException {
        try (HmfsClient client = server.client()) {
            PagesAhead ahead = ahead(client, 3);
            ListingCursor at = FIRST;
            // Behind page n there are one, two, three pages under way, and then one is asked for with each.
            int[] requests = {1, 3, 5, 6, 7};
            for (int page = 0; page < requests.length; page++) {
                at = read(client, ahead, at);
                assertEquals(101 + page, at.birth(), "pages come in the order in which they were asked for");
                client.stat("/last"); // what was asked for before is answered before
                assertEquals(requests[page], asked.size());
            }
        }
    }

    @Test
    void eachGoesOnBehindTheOneBeforeOrFromACursor() throws IOException {
        try (HmfsClient client = server.client()) {
            PagesAhead ahead = ahead(client, 4);
            ListingCursor at = FIRST;
            for (int page = 0; page < 4; page++) {
                at = read(client, ahead, at);
            }
            client.stat("/last");
            assertEquals(new Asked(asked.get(0).id, 0, FIRST.birth()), asked.get(0));
            assertEquals(new Asked(asked.get(1).id, 0, 101), asked.get(1), "nothing was under way");
            for (int i = 2; i < asked.size(); i++) {
                assertEquals(new Asked(asked.get(i).id, asked.get(i - 1).id, 0), asked.get(i));
            }
            int before = asked.size();
            ahead.restart();
            read(client, ahead, new ListingCursor(55, 0, 0));
            client.stat("/last");
            assertEquals(List.of(new Asked(asked.get(before).id, 0, 55)), asked.subList(before, asked.size()));
        }
    }

    @Test
    void noPageAtAllIsRefused() throws IOException {
        try (HmfsClient client = server.client()) {
            assertThrows(HmfsException.class, () -> ahead(client, 0));
        }
    }
}
