package io.hmfs.trials.differ;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a script that was printed is the session that was run. Method: operations of all kinds, printed and parsed. */
class OperationTest {
    private static final int SESSIONS = 50;
    private static final int OPERATIONS = 200;

    @Test
    void drawnSessionsCanBeReadBack() {
        for (int seed = 0; seed < SESSIONS; seed++) {
            List<Operation> session = Generator.session(seed, OPERATIONS);
            assertEquals(session, Operation.parseAll(Operation.script(session)));
        }
    }

    @Test
    void oneSeedDrawsOneSession() {
        assertEquals(Generator.session(7, OPERATIONS), Generator.session(7, OPERATIONS));
    }

    @Test
    void whatSeparatesWordsIsEscapedInThem() {
        Operation operation = new Operation("alice", ApiCall.FS_RENAME, List.of("/a b%\t\"#\u00fc", ""));
        assertEquals("alice fs.rename /a%20b%25%09%22%23\u00fc \"\"", operation.toString());
        assertEquals(operation, Operation.parse(operation.toString()));
    }

    @Test
    void remarksAndEmptyLinesAreNoOperations() {
        assertEquals(
                List.of(new Operation("bob", ApiCall.FS_LIST, List.of("/"))),
                Operation.parseAll("# difference 1\n\nbob fs.listStatus /\n"));
    }

    @Test
    void sessionsAreParted() {
        List<Operation> one = List.of(new Operation("bob", ApiCall.FS_LIST, List.of("/")));
        List<Operation> two = List.of(
                new Operation("bob", ApiCall.FS_LIST, List.of("/a")),
                new Operation("bob", ApiCall.FS_LIST, List.of("/b")));
        String scripts = "# all\n\n# one\n" + Operation.script(one) + "\n  \n" + Operation.script(two) + "\n";
        assertEquals(List.of(one, two), Operation.parseSessions(scripts));
    }

    @Test
    void whatIsMadeMayHaveParentsMade() {
        for (ApiCall kind : List.of(ApiCall.FS_MKDIRS, ApiCall.FC_MKDIR, ApiCall.FS_CREATE, ApiCall.FC_SYMLINK)) {
            assertTrue(kind.makesParents(), kind::text);
        }
        for (ApiCall kind : List.of(ApiCall.FS_LIST, ApiCall.FS_RENAME, ApiCall.FS_DELETE)) {
            assertFalse(kind.makesParents(), kind::text);
        }
    }

    @Test
    void whatIsNoOperationIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Operation.parse("alice"));
        assertThrows(IllegalArgumentException.class, () -> Operation.parse("alice fs.nothing /a"));
        assertThrows(IllegalArgumentException.class, () -> Operation.parse("alice fs.rename /a"));
    }
}
