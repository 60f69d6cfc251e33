package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.ListEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a listing tells each entry once, page by page, to users that may read the directory. Method: pages of two entries. */
class ListHandlerTest {
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

    private static HandlerRig.Message list(String path, long birth, long at, long start) {
        return (out, header) -> new ListEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .cursorBirth(birth)
                .cursorAt(at)
                .cursorStart(start)
                .entriesMax(2)
                .bytesMax(0)
                .path(path)
                .limit();
    }

    @Test
    void eachEntryIsToldOnceOverPages() {
        long parent = rig.mkdir("d", 0755);
        Set<String> made = Set.of("a", "b", "c", "e", "f");
        made.forEach(name -> rig.create(parent, name, 0644));
        Set<String> told = new HashSet<>();
        long birth = 0;
        long at = 0;
        long start = 0;
        for (int pages = 0; birth != -1; pages++) {
            PageDecoder page = new PageDecoder()
                    .wrapAndApplyHeader(
                            rig.ask(HandlerRig.USER, list("/d", birth, at, start)), 0, new MessageHeaderDecoder());
            birth = page.cursorBirth();
            at = page.cursorAt();
            start = page.cursorStart();
            PageDecoder.EntriesDecoder entries = page.entries();
            while (entries.hasNext()) {
                assertEquals(true, told.add(entries.next().name()));
                entries.owner();
                entries.group();
            }
            assertEquals(true, pages < made.size());
        }
        assertEquals(made, told);
    }

    @Test
    void whatIsNoDirectoryOrMayNotBeReadIsRefused() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        rig.mkdir("closed", 0711);
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.USER, list("/f", 0, 0, 0)));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, list("/none", 0, 0, 0)));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, list("/closed", 0, 0, 0)));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, list("/closed", 0, 0, 0)));
    }
}
