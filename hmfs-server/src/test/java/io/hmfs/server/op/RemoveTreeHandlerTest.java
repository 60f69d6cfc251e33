package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.RemoveTreeEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a directory goes with all that is below it, for users that may remove all of that, or nothing goes. Method: each asks, the engine tells
 * what came of it; nothing takes the trees apart in the background.
 */
class RemoveTreeHandlerTest {
    @TempDir
    private Path directory;

    private HandlerRig rig;
    private int user;
    private long work;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory, true);
        user = rig.namespace().principalId(HandlerRig.USER);
        work = rig.mkdir("w", 0777);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static HandlerRig.Message removeTree(long sequence, String path) {
        return (out, header) -> new RemoveTreeEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
    }

    private static HandlerRig.Message removeTree(String path) {
        return removeTree(0, path);
    }

    private long mkdir(long parent, String name, int mode, int uid) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(parent, Name.of(name), mode, uid, 0, made));
        return made.id;
    }

    /** A directory in {@code /w} with a directory in it, which has a file. Tells the id of the inner one. */
    private long tree(String name, int uid) {
        long inner = mkdir(mkdir(work, name, 0755, uid), "inner", 0755, uid);
        rig.create(inner, "f", 0600);
        return inner;
    }

    private Status look(long parent, String name) {
        return rig.namespace().stat(parent, Name.of(name), new Attributes());
    }

    private void assertOrphan(long directory) {
        assertTrue(rig.partition().orphans().holds(directory));
        rig.partition().reapTrees();
        assertEquals(Status.NO_SUCH_DIRECTORY, rig.namespace().statDirectory(directory, new Attributes()));
    }

    @Test
    void aTreeOfTheUserGoesAndSoDoesAnyOfASuperuser() {
        long own = tree("own", user);
        long others = tree("others", 0);
        rig.assertDone(rig.ask(HandlerRig.USER, removeTree("/w/own")));
        rig.assertDone(rig.ask(HandlerRig.ROOT, removeTree("/w/others")));
        assertEquals(Status.NOT_FOUND, look(work, "own"));
        assertEquals(Status.NOT_FOUND, look(work, "others"));
        assertOrphan(own);
        assertOrphan(others);
    }

    @Test
    void aUserThatMayNotRemoveAllOfATreeRemovesNoneOfIt() {
        long inner = mkdir(mkdir(work, "mixed", 0755, user), "others", 0755, 0);
        rig.create(inner, "f", 0666);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, removeTree("/w/mixed")));
        long sticky = mkdir(mkdir(work, "kept", 0755, user), "sticky", 01777, 0);
        rig.create(sticky, "f", 0666);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, removeTree("/w/kept")));
        mkdir(mkdir(work, "closed", 0755, 0), "own", 0755, user);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, removeTree("/w/closed/own")));
        long below = mkdir(work, "keeping", 01777, 0);
        mkdir(below, "others", 0777, 0);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, removeTree("/w/keeping/others")));
        assertEquals(Status.OK, look(inner, "f"));
        assertEquals(Status.OK, look(sticky, "f"));
        assertEquals(Status.OK, look(below, "others"));
        assertEquals(false, rig.partition().orphans().holds(inner));
    }

    @Test
    void onlyADirectoryBelowTheRootIsATree() {
        rig.create(work, "f", 0666);
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.ROOT, removeTree("/w/f")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, removeTree("/w/none")));
        assertEquals(ResultCode.IS_ROOT, rig.outcome(HandlerRig.ROOT, removeTree("/")));
        assertEquals(Status.OK, look(work, "f"));
    }

    @Test
    void aServerThatStopsRemovesNothingAndSaysSo() {
        tree("own", user);
        rig.partition().orphans().close();
        assertEquals(ResultCode.SHUTTING_DOWN, rig.outcome(HandlerRig.USER, removeTree("/w/own")));
        assertEquals(Status.OK, look(work, "own"));
    }

    @Test
    void quotasBelowGoAndThoseAboveCountTheTreeNoMore() {
        long inner = tree("own", user);
        assertEquals(Status.OK, rig.partition().quotas().set(work, 10, Quota.NONE));
        assertEquals(Status.OK, rig.partition().quotas().set(inner, 10, Quota.NONE));
        rig.assertDone(rig.ask(HandlerRig.USER, removeTree("/w/own")));
        assertEquals(1, rig.partition().quotas().size());
        Quota usage = rig.partition().quotas().usage(work);
        assertEquals(1, usage == null ? 0 : usage.usedNames);
    }

    /** From the retry cache, and after a crash from the record that the pool has of it. */
    @Test
    void whatComesAgainIsAnsweredAsBefore() throws IOException {
        tree("own", user);
        tree("others", 0);
        rig.restart(1);
        for (int server = 0; server < 2; server++) {
            for (int time = 0; time < 2; time++) {
                rig.assertDone(rig.ask(HandlerRig.USER, removeTree(1, "/w/own")));
                rig.assertDone(rig.ask(HandlerRig.ROOT, removeTree(1, "/w/others")));
            }
            rig.restart(1);
        }
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, removeTree(2, "/w/own")));
    }

    @Test
    void aRequestThatIsCutOffIsRefusedAndRemovesNothing() {
        tree("own", user);
        HandlerRig.Message cutOff = (out, header) -> removeTree("/w/own").encode(out, header) - 1;
        HandlerRig.Message shortBlock = (out, header) -> {
            int length = removeTree("/w/own").encode(out, header);
            header.wrap(out, 0).blockLength(RemoveTreeEncoder.BLOCK_LENGTH - 1);
            return length;
        };
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, cutOff));
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, shortBlock));
        assertEquals(Status.OK, look(work, "own"));
    }

    @Test
    void whereClientsKeepTheDataNoTreeGoes(@TempDir Path other) throws IOException {
        try (HandlerRig elsewhere = new HandlerRig(other)) {
            elsewhere.mkdir("d", 0777);
            assertEquals(ResultCode.INVALID_ARGUMENT, elsewhere.outcome(HandlerRig.ROOT, removeTree("/d")));
            assertTrue(elsewhere.stat(Namespace.ROOT_ID, "d").isDirectory());
        }
    }
}
