package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: the client has one row for each request that docs/wire.md lists, with the reply and the retry class that stand
 * there.
 * Method: the rows, found by reflection, beside the table of the page.
 */
class CallTableTest {
    private static final int HELLO = 1; // the handshake is no call
    private static final int RESPONSE = 3;
    private static final int CHANGES_FIRST = 20;
    private static final int CHANGES_LAST = 39;
    private static final Pattern LINE = Pattern.compile("\\| ([0-9, ]+) \\| [A-Z][A-Za-z, ]+ \\| ([0-9]+) [A-Z].*");

    private static Map<Integer, CallKind<?, ?>> rows() throws IllegalAccessException {
        Map<Integer, CallKind<?, ?>> rows = new TreeMap<>();
        CallTable table = new CallTable((inode, size) -> {});
        for (Field family : CallTable.class.getDeclaredFields()) {
            family.setAccessible(true);
            for (Field field : family.getType().getDeclaredFields()) {
                field.setAccessible(true);
                if (field.getType() == CallKind.class) {
                    CallKind<?, ?> row = (CallKind<?, ?>) field.get(family.get(table));
                    assertNull(rows.put(row.request, row), "two rows for request " + row.request);
                }
            }
        }
        return rows;
    }

    @Test
    void eachRequestHasOneRowWithItsReply() throws Exception {
        Map<Integer, Integer> documented = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("../docs/wire.md"))) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                for (String id : matcher.group(1).split(", ", -1)) {
                    documented.put(Integer.valueOf(id), Integer.valueOf(matcher.group(2)));
                }
            }
        }
        documented.remove(HELLO);
        documented.remove(RESPONSE);
        assertTrue(documented.size() > 40, "requests in docs/wire.md: " + documented);
        Map<Integer, Integer> rows = new TreeMap<>();
        rows().forEach((request, row) -> rows.put(request, row.reply));
        assertEquals(documented, rows);
    }

    @Test
    void changesAreNumberedAndNothingElse() throws Exception {
        rows().forEach((request, row) -> assertEquals(
                request >= CHANGES_FIRST && request <= CHANGES_LAST, row.retry == CallKind.Retry.NUMBERED, row.name));
    }

    @Test
    void namesAreOfOneKindEach() throws Exception {
        Map<Integer, CallKind<?, ?>> rows = rows();
        assertEquals(
                rows.size(),
                rows.values().stream().map(row -> row.name).distinct().count());
    }

    /** The test of the pattern above: a page whose table is written in another way must not count as an empty one. */
    @Test
    void linesOfTheTableAreRead() throws IOException {
        Matcher several = LINE.matcher("| 22, 23 | Delete, Rmdir | 100 Done | a file |");
        assertTrue(several.matches());
        assertEquals("22, 23", several.group(1));
        assertEquals("100", several.group(2));
    }
}
