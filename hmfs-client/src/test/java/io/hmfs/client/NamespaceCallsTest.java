package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirDecoder;
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.SetOwnerDecoder;
import io.hmfs.wire.SetTimesDecoder;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.SymlinkDecoder;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Goal: each argument of the calls about names is in its field of the request, and each field of the reply in its
 * result.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class NamespaceCallsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ScriptedTransport entries = new ScriptedTransport(ScriptedAnswers::entry);
    private final ScriptedTransport done = new ScriptedTransport(ScriptedAnswers::done);
    private final ScriptedTransport inside = new ScriptedTransport(ScriptedAnswers::inside);

    @Test
    void statDescribesWhatStandsThere() throws IOException {
        try (HmfsClient client = entries.client()) {
            FileInfo info = client.stat("/a/ö");
            StatDecoder stat = new StatDecoder().wrapAndApplyHeader(entries.request(), 0, header);
            assertEquals(Wire.ROOT_ID, stat.baseId());
            assertEquals("/a/ö", stat.path());
            assertEquals(
                    new FileInfo(2, 3, "ö", false, 0640, "bob", "staff", 4, 5_000_001, 6, 7, "", true, false), info);
        }
    }

    @Test
    void aListingGoesOnWhereItsCursorSays() throws IOException {
        ScriptedTransport pages = new ScriptedTransport((request, head, reply) -> {
            PageEncoder page = new PageEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .directoryId(8)
                    .cursorBirth(21)
                    .cursorAt(22)
                    .cursorStart(23);
            PageEncoder.EntriesEncoder each = page.entriesCount(1).next();
            each.kind((short) 0)
                    .inode(2)
                    .size(4)
                    .mtimeNanos(5)
                    .atimeNanos(6_000_000)
                    .ctimeNanos(7_000_000)
                    .name("link");
            PageEncoder.KindsEncoder kind = page.kindsCount(1).next().mode(0600);
            kind.flags().clear().symlink(true);
            kind.owner("bob").group("staff");
            page.linksCount(1).next().target("../to");
            return page.putNext(new byte[0], 0, 0).limit();
        });
        try (HmfsClient client = pages.client()) {
            ListPage page = client.list("/d", new ListingCursor(11, 12, 13), 14);
            ListDecoder list = new ListDecoder().wrapAndApplyHeader(pages.request(), 0, header);
            assertEquals(11, list.cursorBirth());
            assertEquals(12, list.cursorAt());
            assertEquals(13, list.cursorStart());
            assertEquals(14, list.entriesMax());
            assertEquals(0, list.detail());
            assertEquals("/d", list.path());
            assertEquals(new ListingCursor(21, 22, 23), page.next());
            assertEquals(
                    new FileInfo(2, 8, "link", false, 0600, "bob", "staff", 4, 5, 6, 7, "../to", false, false),
                    page.entries().get(0));
            assertThrows(HmfsException.class, () -> client.list("/d", ListingCursor.START, -1));
            client.list("/d", ListingCursor.START, 0, ListDetail.TIMES, new NameFilter("part-", ".ä"));
            list.wrapAndApplyHeader(pages.request(), 0, header);
            assertEquals(2, list.detail());
            assertEquals("/d", list.path());
            assertEquals("part-", list.prefix());
            assertEquals(".ä", list.suffix());
            NameFilter tooLong = new NameFilter("", "ä".repeat(128));
            assertThrows(HmfsException.class, () -> client.list("/d", ListingCursor.START, 0, ListDetail.ALL, tooLong));
        }
    }

    @Test
    void mkdirHasBothModesAndItsFlag() throws IOException {
        try (HmfsClient client = entries.client()) {
            client.mkdir("/d", 0750, 0777, true);
            MkdirDecoder mkdir = new MkdirDecoder().wrapAndApplyHeader(entries.request(), 0, header);
            assertEquals(0750, mkdir.mode());
            assertEquals(0777, mkdir.unmaskedMode());
            assertTrue(mkdir.flags().createParents());
            assertEquals("/d", mkdir.path());
            assertThrows(HmfsException.class, () -> client.mkdir("/d", 010000, true));
        }
    }

    @Test
    void aSymbolicLinkHasItsTarget() throws IOException {
        try (HmfsClient client = entries.client()) {
            client.symlink("/l", "../to", new CreateOptions(0644, false, true, 0711));
            SymlinkDecoder symlink = new SymlinkDecoder().wrapAndApplyHeader(entries.request(), 0, header);
            assertEquals(0711, symlink.parentMode());
            assertTrue(symlink.flags().createParents());
            assertEquals("/l", symlink.path());
            assertEquals("../to", symlink.target());
            assertThrows(
                    HmfsException.class, () -> client.symlink("/l", "", new CreateOptions(0644, false, true, 0711)));
        }
    }

    @Test
    void deleteAndRmdirTellOfWhatTheyRemoved() throws IOException {
        try (HmfsClient client = done.client()) {
            client.delete("/f");
            DeleteDecoder delete = new DeleteDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals("/f", delete.path());
            assertEquals(1, delete.sequence());
            assertEquals(0, delete.emptyDirectory());
            client.rmdir("/d");
            RmdirDecoder rmdir = new RmdirDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals("/d", rmdir.path());
            assertEquals(2, rmdir.sequence());
            assertEquals(delete.clientId(), rmdir.clientId());
            client.remove("/either");
            delete.wrapAndApplyHeader(done.request(), 0, header);
            assertEquals("/either", delete.path());
            assertEquals(1, delete.emptyDirectory());
        }
        try (HmfsClient client = entries.client()) {
            long[] removed = new long[2];
            client.onRemoved((inode, size) -> {
                removed[0] = inode;
                removed[1] = size;
            });
            client.create("/f", new CreateOptions(0644, true, false, 0755));
            assertEquals(9, removed[0]);
            assertEquals(10, removed[1]);
        }
    }

    /** By a server that does not know that Delete may take directories, too. */
    @Test
    void whatIsSaidToBeADirectoryIsRemovedAsOne() throws IOException {
        ScriptedTransport older =
                new ScriptedTransport((request, head, reply) -> head.templateId() == DeleteDecoder.TEMPLATE_ID
                        ? new FailureEncoder()
                                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                                .code(ResultCode.IS_DIRECTORY.code())
                                .message("")
                                .limit()
                        : ScriptedAnswers.done(request, head, reply));
        try (HmfsClient client = older.client()) {
            client.remove("/d");
            RmdirDecoder rmdir = new RmdirDecoder().wrapAndApplyHeader(older.request(), 0, header);
            assertEquals("/d", rmdir.path());
            assertThrows(HmfsException.class, () -> client.delete("/d"));
        }
    }

    /** It is a file when it is removed as a directory, and a directory when as a file: a few times, and then for ever. */
    @Test
    void whatIsNowTheOneAndNowTheOtherIsRemovedIfItStaysSo() throws IOException {
        AtomicInteger changes = new AtomicInteger();
        ScriptedTransport changing = new ScriptedTransport((request, head, reply) -> {
            boolean isDelete = head.templateId() == DeleteDecoder.TEMPLATE_ID;
            return changes.getAndDecrement() <= 0
                    ? ScriptedAnswers.done(request, head, reply)
                    : new FailureEncoder()
                            .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                            .code((isDelete ? ResultCode.IS_DIRECTORY : ResultCode.NOT_DIRECTORY).code())
                            .message("")
                            .limit();
        });
        try (HmfsClient client = changing.client()) {
            changes.set(4);
            client.remove("/d");
            assertEquals(-1, changes.get());
            changes.set(1000);
            HmfsException failed = assertThrows(HmfsException.class, () -> client.remove("/d"));
            assertEquals(ResultCode.IS_DIRECTORY, failed.code());
            assertEquals(1000 - 2 * 16, changes.get());
        }
    }

    @Test
    void renameHasTwoPaths() throws IOException {
        try (HmfsClient client = done.client()) {
            client.rename("/from", "/to", true);
            RenameDecoder rename = new RenameDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals(Wire.ROOT_ID, rename.sourceBaseId());
            assertEquals(Wire.ROOT_ID, rename.targetBaseId());
            assertTrue(rename.flags().replace());
            assertEquals("/from", rename.source());
            assertEquals("/to", rename.target());
            HmfsException bad = assertThrows(HmfsException.class, () -> client.rename("/from", "to", true));
            assertEquals("rename to \"to\": the path is not absolute", bad.getMessage());
        }
    }

    @Test
    void aRenameIntoTellsWhereTheObjectIs() throws IOException {
        try (HmfsClient client = done.client()) {
            assertEquals("/to", client.renameInto("/d/from", "/to"));
            RenameDecoder rename = new RenameDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertTrue(rename.flags().into());
            assertFalse(rename.flags().replace());
        }
        try (HmfsClient client = inside.client()) {
            assertEquals("/to/from", client.renameInto("/d/from", "/to"));
            assertEquals("/from", client.renameInto("/d/from", "/"));
        }
    }

    @Test
    void attributesAreInTheirFields() throws IOException {
        try (HmfsClient client = done.client()) {
            client.chmod("/f", 0751);
            SetModeDecoder mode = new SetModeDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals(0751, mode.mode());
            assertEquals("/f", mode.path());
            client.chown("/f", "amy", null);
            SetOwnerDecoder owner = new SetOwnerDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals("/f", owner.path());
            assertEquals("amy", owner.owner());
            assertEquals("", owner.group());
            client.setTimes("/f", 5, -1);
            SetTimesDecoder times = new SetTimesDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals(5_000_000, times.mtimeNanos());
            assertEquals(-1, times.atimeNanos());
            assertThrows(HmfsException.class, () -> client.setTimes("/f", Long.MAX_VALUE / 2, -1));
            client.truncate("/f", 77);
            TruncateDecoder truncate = new TruncateDecoder().wrapAndApplyHeader(done.request(), 0, header);
            assertEquals(77, truncate.size());
            assertEquals("/f", truncate.path());
        }
    }

    @Test
    void aPathThatCannotBeIsNotSent() throws IOException {
        try (HmfsClient client = done.client()) {
            assertEquals(
                    ResultCode.INVALID_NAME,
                    assertThrows(HmfsException.class, () -> client.delete("f")).code());
            assertEquals(
                    ResultCode.NAME_TOO_LONG,
                    assertThrows(HmfsException.class, () -> client.delete("/" + "x".repeat(Wire.PATH_MAX)))
                            .code());
            assertTrue(client.deleteAsync("f").isCompletedExceptionally());
            assertFalse(done.hasRequest());
            assertFalse(client.deleteAsync("/f").isCompletedExceptionally());
        }
    }
}
