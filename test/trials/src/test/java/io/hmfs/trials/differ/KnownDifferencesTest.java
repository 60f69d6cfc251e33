package io.hmfs.trials.differ;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a row lets pass what it describes and nothing else, and one that nothing matches is told. Method: small tables; the one that ships is read. */
class KnownDifferencesTest {
    private static final String ROWS = """
            # a remark
            fs\\.truncate .* | false | true | in the background there

            .* | !Remote\\((.*)\\) | !\\1 | wrapped there
            """;

    private static Difference difference(String operation, String hdfs, String hmfs) {
        return Difference.ofOperation(0, Operation.parse(operation), CallOutcome.of(hdfs), CallOutcome.of(hmfs));
    }

    @Test
    void aRowMatchesTheCallAndBothOutcomes() {
        KnownDifferences known = KnownDifferences.parse(ROWS);
        assertTrue(known.has(difference("bob fs.truncate /a 1", "false", "true")));
        assertFalse(known.has(difference("bob fs.truncate /a 1", "true", "false")));
        assertFalse(known.has(difference("bob fs.delete /a true", "false", "true")));
        assertFalse(known.has(difference("bob fs.truncate /a 1", "false", "true or not")));
    }

    @Test
    void aColumnMayReferToAnEarlierOne() {
        KnownDifferences known = KnownDifferences.parse(ROWS);
        assertTrue(known.has(difference("bob fs.exists /a", "!Remote(E)", "!E")));
        assertFalse(known.has(difference("bob fs.exists /a", "!Remote(E)", "!F")));
    }

    @Test
    void whatIsAbbreviatedMeansTheSame() {
        KnownDifferences known =
                KnownDifferences.parse("<none> = (?:false|!E)\nfs\\.exists .* | <none> | <none> | neither has it");
        assertTrue(known.has(difference("bob fs.exists /a", "false", "!E")));
        assertFalse(known.has(difference("bob fs.exists /a", "true", "!E")));
    }

    @Test
    void rowsThatNothingMatchesAreStale() {
        KnownDifferences known = KnownDifferences.parse(ROWS);
        assertEquals(2, known.stale().size());
        known.has(difference("bob fs.truncate /a 1", "false", "true"));
        assertEquals(List.of(".* | !Remote\\((.*)\\) | !\\1 | wrapped there"), known.stale());
    }

    @Test
    void aRowWithoutAReasonIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> KnownDifferences.parse("a | b | c"));
        assertThrows(IllegalArgumentException.class, () -> KnownDifferences.parse("a | b | c | "));
        assertThrows(IllegalArgumentException.class, () -> KnownDifferences.parse("<none> false"));
    }

    @Test
    void theTableThatShipsCanBeRead() throws IOException {
        assertFalse(KnownDifferences.load().stale().isEmpty());
    }
}
