package io.hmfs.core.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: the killing table is about the code as it is, and the page has all of it. Method: each row's text is looked up in its
 * file, and in the page.
 */
final class KillTableTest {
    @Test
    void eachRowIsAboutTheCodeAsItIs() throws IOException {
        List<Mutation> rows = Mutation.all();
        assertTrue(rows.size() > 100, "rows: " + rows.size());
        assertEquals(rows.size(), rows.stream().map(Mutation::name).distinct().count(), "two rows have one name");
        for (Mutation row : rows) {
            String mutated = row.apply();
            assertFalse(mutated.isEmpty(), () -> row.name() + ": its text is not in " + row.file());
            assertFalse(mutated.equals(Files.readString(row.source())), () -> row.name() + " changes nothing");
        }
    }

    @Test
    void thePageHasEachRow() throws IOException {
        String page = Files.readString(KillTable.PAGE);
        for (Mutation row : Mutation.all()) {
            assertTrue(
                    page.contains("\n| " + row.name() + " | `" + row.where() + "` | "),
                    () -> row + " is not in the page");
        }
    }
}
