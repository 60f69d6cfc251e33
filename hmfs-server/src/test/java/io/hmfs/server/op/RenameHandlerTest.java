package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: rename moves an object for users that may, replaces one only if asked to, and tells which file's data has to go. Method: each asks, the
 * engine tells what came of it.
 */
class RenameHandlerTest {
    private static final long SIZE = 5000;

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

    private static HandlerRig.Message rename(long sequence, String source, String target, boolean replace) {
        return rename(sequence, source, target, replace, false);
    }

    private static HandlerRig.Message rename(
            long sequence, String source, String target, boolean replace, boolean into) {
        return (out, header) -> {
            RenameEncoder rename = new RenameEncoder()
                    .wrapAndApplyHeader(out, 0, header)
                    .correlationId(1)
                    .clientId(1)
                    .sequence(sequence)
                    .sourceBaseId(Wire.ROOT_ID)
                    .targetBaseId(Wire.ROOT_ID);
            rename.flags().clear().replace(replace).into(into);
            return rename.source(source).target(target).limit();
        };
    }

    static HandlerRig.Message rename(String source, String target) {
        return rename(0, source, target, false);
    }

    private static HandlerRig.Message replace(String source, String target) {
        return rename(0, source, target, true);
    }

    private static HandlerRig.Message into(String source, String target) {
        return rename(0, source, target, false, true);
    }

    private void assertMoved(boolean inside, WireBuffer reply) {
        rig.assertDone(reply);
        DoneDecoder done = new DoneDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        assertEquals(inside ? 1 : 0, done.inside());
    }

    private void assertReplaced(long id, WireBuffer reply) {
        rig.assertDone(reply);
        DoneDecoder done = new DoneDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        assertEquals(id, done.removedId());
        assertEquals(id == 0 ? 0 : SIZE, done.removedSize());
    }

    private long file(long parent, String name) {
        long file = rig.create(parent, name, 0666);
        assertEquals(Status.OK, rig.namespace().append(parent, Name.of(name), file, SIZE));
        return file;
    }

    private long ownFile(long parent, String name) {
        int user = rig.namespace().principalId(HandlerRig.USER);
        Attributes made = new Attributes();
        assertEquals(Status.OK, rig.namespace().create(parent, Name.of(name), 0644, user, 0, made));
        return made.id;
    }

    private Status look(long parent, String name) {
        return rig.namespace().stat(parent, Name.of(name), new Attributes());
    }

    @Test
    void anObjectMovesAndReplacesOneOnlyIfAskedTo() {
        long parent = rig.mkdir("d", 0755);
        long file = file(Namespace.ROOT_ID, "f");
        long other = file(Namespace.ROOT_ID, "g");
        assertReplaced(0, rig.ask(HandlerRig.ROOT, rename("/f", "/d/f")));
        assertEquals(file, rig.stat(parent, "f").id);
        assertEquals(Status.NOT_FOUND, look(Namespace.ROOT_ID, "f"));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, rename("/g", "/d/f")));
        assertReplaced(file, rig.ask(HandlerRig.ROOT, replace("/g", "/d/f")));
        assertEquals(other, rig.stat(parent, "f").id);
        assertReplaced(0, rig.ask(HandlerRig.ROOT, replace("/d/f", "/h")));
    }

    @Test
    void aDirectoryInTheTargetsPlaceIsEnteredIfAskedTo() {
        long parent = rig.mkdir("d", 0755);
        long file = file(Namespace.ROOT_ID, "f");
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, rename("/f", "/d")));
        assertMoved(true, rig.ask(HandlerRig.ROOT, into("/f", "/d")));
        assertEquals(file, rig.stat(parent, "f").id);
        assertMoved(true, rig.ask(HandlerRig.ROOT, into("/d/f", "/d"))); // to itself
        assertMoved(false, rig.ask(HandlerRig.ROOT, into("/d/f", "/d/f")));
        assertMoved(false, rig.ask(HandlerRig.ROOT, into("/d/f", "/d/g")));
        assertMoved(true, rig.ask(HandlerRig.ROOT, into("/d/g", "/")));
        assertEquals(file, rig.stat(Namespace.ROOT_ID, "g").id);
    }

    @Test
    void whatCannotMoveIntoADirectoryStays() {
        long parent = rig.mkdir("d", 0755);
        rig.mkdir("e", 0755);
        file(Namespace.ROOT_ID, "f");
        file(parent, "f");
        byte[] target = {'d'};
        long root = Namespace.ROOT_ID;
        assertEquals(Status.OK, rig.namespace().symlink(root, Name.of("l"), target, 0, 0, new Attributes()));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, into("/f", "/d")), "the name is taken there");
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, into("/e", "/f")), "a file");
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, into("/e", "/l")), "a link is not followed");
        assertEquals(ResultCode.LOOP, rig.outcome(HandlerRig.ROOT, into("/d", "/d")));
        assertMoved(true, rig.ask(HandlerRig.ROOT, into("/e", "/d")));
        assertEquals(ResultCode.LOOP, rig.outcome(HandlerRig.ROOT, into("/d", "/d/e")));
        assertEquals(ResultCode.IS_ROOT, rig.outcome(HandlerRig.ROOT, into("/", "/d")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, into("/none", "/d")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, into("/f", "/none/x")));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, rename(0, "/f", "/d", true, true)));
    }

    @Test
    void aLinkDoesNotMoveToWhereItLeads() {
        rig.mkdir("d", 0755);
        long root = Namespace.ROOT_ID;
        byte[] target = "/d/l".getBytes(StandardCharsets.UTF_8);
        assertEquals(Status.OK, rig.namespace().symlink(root, Name.of("l"), target, 0, 0, new Attributes()));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, into("/l", "/d/l")));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, into("/l", "/d")));
        assertMoved(false, rig.ask(HandlerRig.ROOT, into("/l", "/d/m")));
        assertMoved(
                false, rig.ask(HandlerRig.ROOT, rename("/d/m", "/d/l"))); // the exact rename is judged by the client
        assertMoved(true, rig.ask(HandlerRig.ROOT, into("/d/l", "/d"))); // to itself
    }

    @Test
    void aPathThatWouldGetTooLongIsRefused() {
        StringBuilder path = new StringBuilder();
        long parent = Namespace.ROOT_ID;
        String name = "x".repeat(Name.LENGTH_MAX);
        while (path.length() + 1 + name.length() <= Wire.PATH_MAX) {
            Attributes made = new Attributes();
            assertEquals(Status.OK, rig.namespace().mkdir(parent, Name.of(name), 0755, 0, 0, made));
            path.append('/').append(name);
            parent = made.id;
        }
        file(Namespace.ROOT_ID, "y".repeat(Name.LENGTH_MAX));
        String file = "/" + "y".repeat(Name.LENGTH_MAX);
        assertEquals(ResultCode.NAME_TOO_LONG, rig.outcome(HandlerRig.ROOT, into(file, path.toString())));
    }

    /** The directory is asked, and not the one that it stands in. */
    @Test
    void aMoveIntoADirectoryAsksToWriteAndPassIt() {
        long open = rig.mkdir("open", 0777);
        rig.mkdir("closed", 0755);
        rig.mkdir("unpassed", 0776);
        long in = rig.mkdir("in", 0777);
        long sticky = rig.mkdir("sticky", 01777);
        long file = rig.create(in, "f", 0666);
        rig.create(sticky, "s", 0666);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, into("/in/f", "/closed")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, into("/in/f", "/unpassed")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, into("/in/f", "/new")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, into("/sticky/s", "/open")));
        assertMoved(true, rig.ask(HandlerRig.USER, into("/in/f", "/open")));
        assertEquals(file, rig.stat(open, "f").id);
        assertMoved(true, rig.ask(HandlerRig.USER, into("/open/f", "/sticky")));
        assertEquals(file, rig.stat(sticky, "f").id);
    }

    @Test
    void aMoveIntoADirectoryThatComesAgainIsAnsweredAsBefore() throws IOException {
        long parent = rig.mkdir("d", 0755);
        rig.mkdir("e", 0755);
        file(Namespace.ROOT_ID, "f");
        file(Namespace.ROOT_ID, "g");
        rig.restart(1);
        for (int server = 0; server < 2; server++) {
            for (int time = 0; time < 2; time++) {
                assertMoved(true, rig.ask(HandlerRig.ROOT, rename(1, "/f", "/d", false, true)));
                assertMoved(true, rig.ask(HandlerRig.ROOT, rename(2, "/d/f", "/", false, true)));
                assertMoved(false, rig.ask(HandlerRig.ROOT, rename(3, "/g", "/d/h", false, true)));
                assertMoved(false, rig.ask(HandlerRig.ROOT, rename(4, "/e", "/d/e", false, true)));
            }
            rig.restart(1);
        }
        assertEquals(Status.OK, look(parent, "h"));
    }

    @Test
    void whatMovesIntoADirectoryIsCountedThere() {
        long there = rig.mkdir("there", 0755);
        file(Namespace.ROOT_ID, "f");
        file(Namespace.ROOT_ID, "g");
        assertEquals(Status.OK, rig.partition().quotas().set(there, 2, Quota.NONE));
        assertMoved(true, rig.ask(HandlerRig.ROOT, into("/f", "/there")));
        assertEquals(ResultCode.NAME_QUOTA_EXCEEDED, rig.outcome(HandlerRig.ROOT, into("/g", "/there")));
        Quota usage = rig.partition().quotas().usage(there);
        assertEquals(2, usage == null ? 0 : usage.usedNames);
    }

    @Test
    void onlyTheLastNameOfAReplacedFileIsToldWithItsData() {
        file(Namespace.ROOT_ID, "f");
        long other = file(Namespace.ROOT_ID, "other");
        long root = Namespace.ROOT_ID;
        Attributes out = new Attributes();
        assertEquals(Status.OK, rig.namespace().link(root, Name.of("other"), root, Name.of("again"), out));
        assertReplaced(0, rig.ask(HandlerRig.ROOT, replace("/f", "/other")));
        rig.partition().leases().give(other, new ClientKey(1, 1), "host", 7);
        assertReplaced(other, rig.ask(HandlerRig.ROOT, replace("/other", "/again")));
        assertEquals(0, rig.partition().leases().count());
        rig.mkdir("d", 0755);
        rig.mkdir("empty", 0755);
        assertReplaced(0, rig.ask(HandlerRig.ROOT, replace("/d", "/empty")));
    }

    @Test
    void whatIsNotThereOrInTheWayIsRefused() {
        rig.mkdir("d", 0755);
        rig.create(Namespace.ROOT_ID, "f", 0644);
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, rename("/none", "/x")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, rename("/f", "/none/x")));
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.ROOT, rename("/d", "/f/x")));
        assertEquals(ResultCode.IS_ROOT, rig.outcome(HandlerRig.ROOT, rename("/", "/x")));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, rename("/f", "/")));
        assertEquals(ResultCode.LOOP, rig.outcome(HandlerRig.ROOT, rename("/d", "/d/x")));
    }

    @Test
    void aUserThatMayNotWriteBothDirectoriesOrIsKeptOffByTheirStickyBitsMovesNothing() {
        long open = rig.mkdir("open", 0777);
        long closed = rig.mkdir("closed", 0755);
        long sticky = rig.mkdir("sticky", 01777);
        long file = rig.create(open, "f", 0666);
        rig.create(closed, "f", 0666);
        rig.create(sticky, "f", 0666);
        ownFile(sticky, "own");
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, rename("/closed/f", "/open/g")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, rename("/open/f", "/closed/g")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, rename("/sticky/f", "/open/g")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, replace("/open/f", "/sticky/f")));
        assertEquals(file, rig.stat(open, "f").id);
        rig.assertDone(rig.ask(HandlerRig.USER, replace("/open/f", "/sticky/own")));
        assertEquals(file, rig.stat(sticky, "own").id);
        ownFile(sticky, "more");
        rig.assertDone(rig.ask(HandlerRig.USER, replace("/sticky/more", "/sticky/new")));
        assertEquals(Status.OK, look(sticky, "new"));
    }

    /** As in HDFS. */
    @Test
    void aUserThatMayNotRenameIsToldThatAndNotWhatIsMissingOrInTheWay() {
        long open = rig.mkdir("open", 0777);
        rig.mkdir("closed", 0755);
        rig.create(open, "f", 0666);
        rig.create(rig.mkdir("sticky", 01777), "s", 0666);
        ResultCode denied = ResultCode.ACCESS_DENIED;
        assertEquals(denied, rig.outcome(HandlerRig.USER, rename("/sticky/s", "/open/none/g")));
        assertEquals(denied, rig.outcome(HandlerRig.USER, rename("/closed/none", "/open/g")));
        assertEquals(denied, rig.outcome(HandlerRig.USER, rename("/closed/none", "/open/none/g")));
        assertEquals(denied, rig.outcome(HandlerRig.USER, rename("/none/f", "/closed/none/g")));
        assertEquals(denied, rig.outcome(HandlerRig.USER, rename("/open/f", "/closed/none/at/all")));
        assertEquals(denied, rig.outcome(HandlerRig.USER, into("/open/none", "/closed")));
        assertEquals(denied, rig.outcome(HandlerRig.USER, rename("/", "/closed/g")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, rename("/none/f", "/open/g")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, rename("/sticky/none", "/open/g")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, rename("/open/f", "/open/none/g")));
        assertEquals(Status.OK, look(open, "f"));
    }

    @Test
    void aSourceBelowAFileOrOfANameThatIsTooLongIsNotThere() {
        rig.mkdir("d", 0755);
        file(Namespace.ROOT_ID, "f");
        String tooLong = "/" + "x".repeat(Name.LENGTH_MAX + 1);
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, rename("/f/g", "/d/g")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, rename(tooLong, "/d/g")));
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.ROOT, rename("/none/g", "/f/g")));
        assertEquals(ResultCode.NAME_TOO_LONG, rig.outcome(HandlerRig.ROOT, rename("/d", tooLong)));
    }

    /** Which sums up what moves: only a disk thread may. */
    @Test
    void whatMovesIsCountedWhereItComesTo() {
        long here = rig.mkdir("here", 0755);
        long there = rig.mkdir("there", 0755);
        file(here, "f");
        file(here, "g");
        assertEquals(Status.OK, rig.partition().quotas().set(here, 10, Quota.NONE));
        assertEquals(Status.OK, rig.partition().quotas().set(there, 2, Quota.NONE));
        rig.assertDone(rig.ask(HandlerRig.ROOT, rename("/here/f", "/there/f")));
        assertEquals(ResultCode.NAME_QUOTA_EXCEEDED, rig.outcome(HandlerRig.ROOT, rename("/here/g", "/there/g")));
        for (long parent : new long[] {here, there}) {
            Quota usage = rig.partition().quotas().usage(parent);
            assertEquals(2, usage == null ? 0 : usage.usedNames);
            assertEquals(SIZE, usage == null ? 0 : usage.usedBytes);
        }
    }

    /** As in HDFS, that is told before a quota below the directory. */
    @Test
    void whatCannotMoveBelowItselfIsNotCounted() {
        long top = rig.mkdir("d", 0755);
        Attributes made = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(top, Name.of("e"), 0755, 0, 0, made));
        long below = made.id;
        assertEquals(Status.OK, rig.partition().quotas().set(below, 1, Quota.NONE));
        assertEquals(ResultCode.LOOP, rig.outcome(HandlerRig.ROOT, rename("/d", "/d/e/f")));
        assertEquals(ResultCode.LOOP, rig.outcome(HandlerRig.ROOT, into("/d", "/d/e")));
        Quota usage = rig.partition().quotas().usage(below);
        assertEquals(1, usage == null ? 0 : usage.usedNames);
    }

    /** From the retry cache, and after a crash from the record that the pool has of it. */
    @Test
    void whatComesAgainIsAnsweredAsBefore() throws IOException {
        long root = Namespace.ROOT_ID;
        long file = file(root, "f");
        long other = file(root, "g");
        file(root, "linked");
        assertEquals(
                Status.OK, rig.namespace().link(root, Name.of("linked"), root, Name.of("again"), new Attributes()));
        file(root, "h");
        rig.mkdir("d", 0755);
        rig.mkdir("empty", 0755);
        rig.restart(1);
        for (int server = 0; server < 2; server++) {
            for (int time = 0; time < 2; time++) {
                assertReplaced(other, rig.ask(HandlerRig.ROOT, rename(1, "/f", "/g", true)));
                assertReplaced(0, rig.ask(HandlerRig.ROOT, rename(2, "/h", "/linked", true)));
                assertReplaced(0, rig.ask(HandlerRig.ROOT, rename(3, "/d", "/empty", true)));
            }
            rig.restart(1);
        }
        assertEquals(file, rig.stat(root, "g").id);
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, rename(4, "/f", "/g", true)));
    }

    @Test
    void aRequestThatIsCutOffIsRefusedAndMovesNothing() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        HandlerRig.Message cutOff = (out, header) -> rename("/f", "/g").encode(out, header) - 1;
        HandlerRig.Message shortBlock = (out, header) -> {
            int length = rename("/f", "/g").encode(out, header);
            header.wrap(out, 0).blockLength(RenameEncoder.BLOCK_LENGTH - 1);
            return length;
        };
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, cutOff));
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, shortBlock));
        assertEquals(Status.OK, look(Namespace.ROOT_ID, "f"));
    }

    @Test
    void onlyARenameFromBelowOneQuotaToBelowAnotherLeavesTheEventLoop() {
        long here = rig.mkdir("here", 0755);
        long there = rig.mkdir("there", 0755);
        assertEquals(Status.OK, rig.partition().quotas().set(here, 10, Quota.NONE));
        assertEquals(Status.OK, rig.partition().quotas().set(there, 10, Quota.NONE));
        rig.create(here, "f", 0644);
        rig.assertDone(rig.ask(HandlerRig.ROOT, rename("/here/f", "/here/counted"))); // the first counts what is below
        int before = rig.offloaded();
        rig.assertDone(rig.ask(HandlerRig.ROOT, rename("/here/counted", "/here/g")));
        assertEquals(before, rig.offloaded());
        rig.assertDone(rig.ask(HandlerRig.ROOT, rename("/here/g", "/there/g")));
        assertEquals(before + 1, rig.offloaded());
    }
}
