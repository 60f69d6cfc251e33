package io.hmfs.core.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.SimPmem;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Goal: a record of the table has these bytes, is there from its last store on, and shows a flipped bit. Method: golden bytes; simulated
 * memory that is looked at before each store; each bit flipped.
 */
final class TableRecordTest {
    private static final long AT = 1024;

    private final SimPmem pmem = new SimPmem(32768);

    private void fill() {
        TableRecord.fill(pmem, AT, TableRecord.QUOTA, 0x0102, 0x11, -1, 0x33, 0x4455);
    }

    @Test
    void goldenBytes() {
        fill();
        byte[] bytes = new byte[64];
        pmem.copyOut(AT, bytes, 0, 64);
        assertEquals(
                "02573581507d06d70201000000000000" // state, key
                        + "1100000000000000ffffffffffffffff" // first, second
                        + "33000000000000005544000000000000" // third, order
                        + "00000000000000000000000000000000",
                HexFormat.of().formatHex(bytes));
    }

    @Test
    void theStateIsStoredLast() {
        pmem.beforeEachEvent(() -> assertEquals(0, TableRecord.state(pmem, AT)));
        fill();
        pmem.beforeEachEvent(null);
        long state = TableRecord.state(pmem, AT);
        assertTrue(TableRecord.isWhole(pmem, AT, state));
        assertEquals(TableRecord.QUOTA, TableRecord.kind(state));
        TableRecord.clear(pmem, AT);
        assertEquals(0, TableRecord.state(pmem, AT));
    }

    @Test
    void eachBitOfARecordCounts() {
        fill();
        for (long word = AT; word <= AT + TableRecord.ORDER_OFFSET; word += 8) {
            for (int bit = 0; bit < Long.SIZE; bit++) {
                long right = pmem.get(word);
                pmem.set(word, right ^ 1L << bit);
                assertFalse(TableRecord.isWhole(pmem, AT, TableRecord.state(pmem, AT)), "bit " + bit + " at " + word);
                pmem.set(word, right);
            }
        }
        assertTrue(TableRecord.isWhole(pmem, AT, TableRecord.state(pmem, AT)));
    }

    @Test
    void aKindThatIsNoneIsNoRecord() {
        for (int kind : new int[] {0, TableRecord.GRANT_EPOCH + 1, 255}) {
            TableRecord.fill(pmem, AT, kind, 1, 2, 3, 4, 5);
            assertFalse(TableRecord.isWhole(pmem, AT, TableRecord.state(pmem, AT)), "kind " + kind);
        }
    }
}
