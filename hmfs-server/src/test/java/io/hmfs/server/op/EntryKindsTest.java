package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: each combination has one row, with what it was made of, and 256 rows are all. Method: beside a map, over several pages. */
class EntryKindsTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);

    private record Row(FileType type, boolean acl, boolean apart, int uid, int gid, int mode) {}

    private static Row random(Random random) {
        boolean directory = random.nextBoolean();
        return new Row(
                directory ? FileType.DIRECTORY : random.nextBoolean() ? FileType.FILE : FileType.SYMLINK,
                random.nextBoolean(),
                directory && random.nextBoolean(),
                random.nextInt(3) - 1,
                random.nextInt(3) - 1,
                random.nextInt(4) * 02525);
    }

    private static int rowOf(EntryKinds kinds, Row row) {
        Attributes attributes = new Attributes();
        attributes.type = row.type;
        attributes.hasAcl = row.acl;
        return kinds.of(attributes, row.uid, row.gid, row.mode, row.apart);
    }

    @Test
    void aCombinationHasOneRow() {
        Random random = new Random(SEED);
        EntryKinds kinds = new EntryKinds();
        int filled = 0;
        for (int page = 0; page < 20; page++) {
            Map<Row, Integer> rows = new HashMap<>();
            kinds.clear();
            assertEquals(0, kinds.size());
            for (int i = 0; i < 2_000 && !kinds.isFull(); i++) {
                Row row = random(random);
                int number = rowOf(kinds, row);
                assertEquals(rows.computeIfAbsent(row, _ -> rows.size()), number, () -> "seed " + SEED + ", " + row);
                assertEquals(rows.size(), kinds.size());
                assertEquals(row.uid, kinds.uid(number));
                assertEquals(row.gid, kinds.gid(number));
                assertEquals(row.mode, kinds.mode(number));
                assertEquals(row.type == FileType.DIRECTORY, kinds.isDirectory(number));
                assertEquals(row.type == FileType.SYMLINK, kinds.isSymlink(number));
                assertEquals(row.acl, kinds.hasAcl(number));
                assertEquals(row.apart, kinds.isApart(number));
            }
            filled += kinds.isFull() ? 1 : 0;
        }
        assertTrue(filled > 0, "a page filled the table");
        kinds.clear();
        assertFalse(kinds.isFull());
        assertEquals(EntryKinds.MAX - 1, 0xFF, "a row's number is a byte");
    }
}
