package io.hmfs.server.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.server.history.HistoryCall.Place;
import io.hmfs.server.history.HistoryCall.Seen;
import io.hmfs.server.history.HistoryCall.Verb;
import io.hmfs.server.history.HistoryTree.Node;
import io.hmfs.server.history.HistoryTree.Spot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: what no order explains is found out, and what one explains is not blamed. Method: short histories written by hand, each wrong
 * one beside a right one that differs in one point.
 */
class EpochTest {
    private static final long D = 2;
    private static final Place A = new Place(D, "a", "");
    private static final Place B = new Place(D, "b", "");
    private static final Place INSIDE_A = new Place(D, "a", "x");
    private static final Place INSIDE_B = new Place(D, "b", "x");
    private static final Node FILE = new Node(10, false, 0644, 0);
    private static final Node DIRECTORY = new Node(20, true, 0755, 0);

    private final List<HistoryCall> calls = new ArrayList<>();
    private final Map<Spot, Node> before = new HashMap<>();
    private final Map<Spot, Node> after = new HashMap<>();

    private HistoryCall call(
            long begun, long ended, Verb verb, Place at, @Nullable Place to, int number, ResultCode answer) {
        HistoryCall call = new HistoryCall(calls.size(), verb, at, to, number, null);
        call.begun = begun;
        call.ended = ended;
        call.answer = answer;
        calls.add(call);
        return call;
    }

    private HistoryCall created(long begun, long ended, Place at, Node node) {
        HistoryCall call = call(begun, ended, Verb.CREATE, at, null, node.mode(), ResultCode.OK);
        call.seen = seen(D, node);
        return call;
    }

    private void deleted(long begun, long ended, Place at, Node node) {
        call(begun, ended, Verb.DELETE, at, null, 0, ResultCode.OK).removed = node.id();
    }

    private void found(long begun, long ended, Place at, long parent, Node node) {
        call(begun, ended, Verb.STAT, at, null, 0, ResultCode.OK).seen = seen(parent, node);
    }

    private void missed(long begun, long ended, Place at) {
        call(begun, ended, Verb.STAT, at, null, 0, ResultCode.NOT_FOUND);
    }

    private void renamed(long begun, long ended, Place at, Place to) {
        call(begun, ended, Verb.RENAME, at, to, 0, ResultCode.OK);
    }

    private HistoryCall unknown(long begun, long lost, Verb verb, Place at, @Nullable Place to, int number) {
        HistoryCall call = call(begun, lost + 1, verb, at, to, number, ResultCode.OUTCOME_UNKNOWN);
        call.lost = lost;
        return call;
    }

    private static Seen seen(long parent, Node node) {
        return new Seen(node.id(), parent, node.directory(), node.mode(), node.size());
    }

    private static Spot key(Place place) {
        return place.top();
    }

    private @Nullable String problem() {
        return new Epoch(calls, HistoryTree.of(before), HistoryTree.of(after)).problem();
    }

    private void right() {
        assertNull(problem());
    }

    private void wrong() {
        String problem = problem();
        assertNotNull(problem);
        assertTrue(problem.startsWith("no order explains"), problem);
    }

    @Test
    void anAcknowledgedCreateThatIsGoneIsWrong() {
        created(1, 2, A, FILE);
        wrong();
        after.put(key(A), FILE);
        right();
    }

    @Test
    void aDeletedFileThatIsBackIsWrong() {
        before.put(key(A), FILE);
        deleted(1, 2, A, FILE);
        right();
        after.put(key(A), FILE);
        wrong();
    }

    @Test
    void aStatThatIsTooOldIsWrong() {
        created(1, 4, A, FILE);
        missed(2, 3, A);
        after.put(key(A), FILE);
        right();
        missed(5, 6, A);
        wrong();
    }

    @Test
    void whatOneHasSeenAnotherDoesNotMissLater() {
        created(1, 6, A, FILE);
        found(2, 3, A, D, FILE);
        after.put(key(A), FILE);
        right();
        missed(4, 5, A);
        wrong();
    }

    @Test
    void aDeleteThatIsExecutedTwiceIsWrong() {
        before.put(key(A), FILE);
        Node other = new Node(11, false, 0600, 0);
        deleted(1, 10, A, FILE);
        created(2, 3, A, other);
        after.put(key(A), other);
        right();
        after.clear();
        wrong();
    }

    @Test
    void aCreateThatFindsItsOwnFileIsWrong() {
        call(1, 4, Verb.CREATE, A, null, 0644, ResultCode.EXISTS);
        missed(5, 6, A);
        wrong();
    }

    @Test
    void halfARenameIsWrong() {
        before.put(key(A), FILE);
        after.put(key(B), FILE);
        renamed(1, 8, A, B);
        missed(2, 3, A);
        found(4, 5, B, D, FILE);
        right();
        found(6, 7, A, D, FILE);
        wrong();
        calls.removeLast();
        after.put(key(A), FILE);
        wrong();
        after.clear();
        wrong();
    }

    @Test
    void aRenameThatNoClientWasToldOfIsWholeOrNotAtAll() {
        before.put(key(A), FILE);
        after.put(key(B), FILE);
        unknown(1, 5, Verb.RENAME, A, B, 0);
        right();
        found(6, 7, A, D, FILE); // after the server's end it cannot happen any more
        wrong();
        after.clear();
        after.put(key(A), FILE);
        right();
        after.clear();
        wrong();
    }

    @Test
    void whatAnUnknownCreateHasMadeKeepsItsId() {
        Node other = new Node(11, false, 0644, 0);
        unknown(1, 10, Verb.CREATE, A, null, 0644);
        found(2, 3, A, D, FILE);
        after.put(key(A), FILE);
        right();
        after.put(key(A), other);
        wrong();
    }

    @Test
    void anObjectThatNoCallHasMadeIsWrong() {
        after.put(key(A), FILE);
        wrong();
        unknown(1, 2, Verb.MKDIR, A, null, 0644);
        wrong();
        unknown(1, 2, Verb.CREATE, A, null, 0600);
        wrong();
        unknown(1, 2, Verb.CREATE, A, null, 0644);
        right();
    }

    @Test
    void anUnknownOutcomeNeedsAServerThatEnded() {
        unknown(1, 2, Verb.DELETE, A, null, 0).lost = HistoryCall.NEVER;
        String problem = problem();
        assertNotNull(problem);
        assertTrue(problem.startsWith("the outcome is unknown though no server has ended"), problem);
    }

    @Test
    void oneIdForTwoObjectsIsWrong() {
        created(1, 2, A, FILE);
        created(3, 4, B, FILE);
        String problem = problem();
        assertNotNull(problem);
        assertTrue(problem.startsWith("an id was given twice"), problem);
    }

    @Test
    void aPathIsWalkedBeforeItsEndIsSeen() {
        before.put(key(A), DIRECTORY);
        before.put(new Spot(DIRECTORY.id(), "x"), FILE);
        after.put(key(B), DIRECTORY);
        after.put(new Spot(DIRECTORY.id(), "x"), FILE);
        renamed(1, 6, A, B);
        found(2, 3, INSIDE_B, DIRECTORY.id(), FILE);
        right();
        found(4, 5, INSIDE_A, DIRECTORY.id(), FILE); // its walk began when nothing was at that name any more
        wrong();
        calls.removeLast();
        found(2, 5, INSIDE_A, DIRECTORY.id(), FILE);
        right();
    }

    @Test
    void aDirectoryWithAFileInItIsNotRemoved() {
        before.put(key(A), DIRECTORY);
        HistoryCall made = created(1, 4, INSIDE_A, FILE);
        made.seen = seen(DIRECTORY.id(), FILE);
        call(2, 3, Verb.RMDIR, A, null, 0, ResultCode.OK);
        wrong();
        after.put(key(A), DIRECTORY);
        after.put(new Spot(DIRECTORY.id(), "x"), FILE);
        wrong();
        calls.getLast().answer = ResultCode.NOT_EMPTY;
        right();
    }

    @Test
    void moreThanAHundredCallsThatChangeNothingAreExplained() {
        before.put(key(A), FILE);
        after.put(key(A), FILE);
        for (int i = 0; i < 128; i++) {
            renamed(1 + i, 1001 + i, A, A);
        }
        right();
    }

    @Test
    void whatTakesTooLongIsNotDecided() {
        for (int i = 0; i < 8; i++) {
            call(1, 100, Verb.CHMOD, A, null, 0100 + i, ResultCode.OK);
        }
        before.put(key(A), FILE);
        after.put(key(A), new Node(FILE.id(), false, 0777, 0)); // which no call has set
        String problem = new Epoch(calls, HistoryTree.of(before), HistoryTree.of(after)).problem(100);
        assertNotNull(problem);
        assertTrue(problem.startsWith("not decided"), problem);
        wrong();
    }

    @Test
    void namesThatNoRenameConnectsAreDecidedApart() {
        created(1, 2, A, FILE);
        after.put(key(A), FILE);
        missed(1, 2, B);
        Epoch epoch = new Epoch(calls, HistoryTree.of(before), HistoryTree.of(after));
        assertNull(epoch.problem());
        assertEquals(2, epoch.parts());
    }
}
