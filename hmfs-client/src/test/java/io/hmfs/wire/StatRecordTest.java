package io.hmfs.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a client takes for a record is the content of one publication, valid when its first word was read.
 * Method: slots mixed of the words of several publications, each word in turn; claims, publications and take-backs in each order.
 */
class StatRecordTest {
    private static final int AT = StatRecord.BYTES; // the second of a table of three
    private static final long NUMBER = 0x1122334455667788L;
    private static final byte[] NAME = "name".getBytes(StandardCharsets.UTF_8);

    private final ByteBuffer table = ByteBuffer.allocateDirect(3 * StatRecord.BYTES);
    private final byte[] content = new byte[StatRecord.CONTENT_MAX];

    private static byte[] frame(int length, int of) {
        byte[] frame = new byte[length];
        Arrays.fill(frame, (byte) of);
        return frame;
    }

    private int compose(byte[] frame) {
        assertTrue(StatRecord.fits(NAME.length, frame.length));
        return StatRecord.compose(content, NUMBER, NAME, NAME.length, Unpooled.wrappedBuffer(frame), 0, frame.length);
    }

    private void publish(byte[] frame) {
        long claim = StatRecord.claim(table, AT);
        assertNotEquals(StatRecord.NONE, claim);
        int length = compose(frame);
        StatRecord.fill(table, AT, claim, content, length);
        assertTrue(StatRecord.publish(table, AT, claim, length));
    }

    private ByteBuffer copy() {
        ByteBuffer copy = ByteBuffer.allocateDirect(StatRecord.BYTES);
        copy.put(table.slice(AT, StatRecord.BYTES)).clear();
        return copy;
    }

    private int read(ByteBuffer slot) {
        return StatRecord.read(slot, 0, content);
    }

    private byte[] frameIn(ByteBuffer slot) {
        int length = read(slot);
        int at = StatRecord.frameAt(content, length, NUMBER, NAME, 0, NAME.length);
        return at < 0 ? new byte[0] : Arrays.copyOfRange(content, at, length);
    }

    @Test
    void whatWasPublishedIsRead() {
        for (int length = 1; StatRecord.fits(NAME.length, length); length++) {
            publish(frame(length, length));
            assertArrayEquals(frame(length, length), frameIn(copy()));
        }
        assertEquals(StatRecord.CONTENT_MAX, read(copy()));
    }

    @Test
    void aWordOfAnotherPublicationIsNoticedWhicheverItIs() {
        byte[] same = frame(200, 7); // also where the words differ by their tags alone
        for (byte[] next : new byte[][] {same, frame(200, 8)}) {
            publish(same);
            ByteBuffer older = copy();
            publish(next);
            ByteBuffer newer = copy();
            int words = (read(newer) + Integer.BYTES - 1) / Integer.BYTES;
            assertEquals(read(older), read(newer));
            for (int word = 0; word <= words; word++) {
                assertTorn(older, newer, word, word + 1);
                assertTorn(newer, older, word, word + 1);
                if (word > 0) {
                    assertTorn(older, newer, 0, word);
                    assertTorn(newer, older, 0, word);
                }
            }
        }
    }

    /** Words from {@code begin} to {@code end} of the one, all others of the other. */
    private void assertTorn(ByteBuffer one, ByteBuffer other, int begin, int end) {
        ByteBuffer mixed = ByteBuffer.allocateDirect(StatRecord.BYTES).put(other.duplicate());
        mixed.put(begin * Long.BYTES, one, begin * Long.BYTES, (end - begin) * Long.BYTES);
        assertEquals(0, read(mixed), "words " + begin + " to " + end);
    }

    @Test
    void aClaimedSlotHasNoRecord() {
        publish(frame(10, 1));
        long claim = StatRecord.claim(table, AT);
        assertEquals(0, read(copy()));
        StatRecord.fill(table, AT, claim, content, compose(frame(10, 2)));
        assertEquals(0, read(copy()));
        assertEquals(StatRecord.NONE, StatRecord.claim(table, AT), "one thread has it");
        StatRecord.giveUp(table, AT, claim);
        assertEquals(0, read(copy()));
        publish(frame(10, 3));
        assertArrayEquals(frame(10, 3), frameIn(copy()));
    }

    @Test
    void whatWasTakenBackIsNoRecord() {
        publish(frame(10, 1));
        assertTrue(StatRecord.isValid(table, AT));
        StatRecord.takeBack(table, AT);
        assertFalse(StatRecord.isValid(table, AT));
        assertEquals(0, read(copy()));
        StatRecord.takeBack(table, AT);
        publish(frame(10, 2));
        assertArrayEquals(frame(10, 2), frameIn(copy()));
    }

    @Test
    void whatIsTakenBackWhileItIsFilledDoesNotGetValidAndNoOtherThreadFillsTheSlotBefore() {
        long claim = StatRecord.claim(table, AT);
        assertTrue(StatRecord.isHeld(table, AT, claim));
        StatRecord.takeBack(table, AT);
        StatRecord.takeBack(table, AT); // another change
        assertFalse(StatRecord.isHeld(table, AT, claim));
        assertEquals(StatRecord.NONE, StatRecord.claim(table, AT), "a thread still fills it");
        int length = compose(frame(10, 1));
        StatRecord.fill(table, AT, claim, content, length);
        assertFalse(StatRecord.publish(table, AT, claim, length));
        assertEquals(0, read(copy()));
        publish(frame(10, 2));
        assertArrayEquals(frame(10, 2), frameIn(copy()));
    }

    @Test
    void neighboursAreLeftAlone() {
        for (int i = 0; i < 100; i++) {
            publish(frame(239, i));
        }
        for (int at = 0; at < StatRecord.BYTES; at += Long.BYTES) {
            assertEquals(0, table.getLong(at));
            assertEquals(0, table.getLong(2 * StatRecord.BYTES + at));
        }
    }

    @Test
    void aRecordIsOfItsNameInItsExport() {
        publish(frame(10, 1));
        int length = read(copy());
        byte[] path = "/d/name".getBytes(StandardCharsets.UTF_8);
        assertTrue(StatRecord.frameAt(content, length, NUMBER, path, 3, 4) > 0);
        assertEquals(-1, StatRecord.frameAt(content, length, NUMBER + 1, path, 3, 4));
        assertEquals(-1, StatRecord.frameAt(content, length, NUMBER, path, 2, 5));
        assertEquals(-1, StatRecord.frameAt(content, length, NUMBER, path, 3, 3));
        assertEquals(-1, StatRecord.frameAt(content, length, NUMBER, "nama".getBytes(StandardCharsets.UTF_8), 0, 4));
        assertEquals(-1, StatRecord.frameAt(content, 0, NUMBER, path, 3, 4), "there is none");
    }

    @Test
    void lengthsThatNoServerWritesAreNone() {
        ByteBuffer slot = ByteBuffer.allocateDirect(StatRecord.BYTES);
        for (int length : new int[] {Integer.MIN_VALUE, -1, 1, 2, 8, StatRecord.CONTENT_MAX + 1, Integer.MAX_VALUE}) {
            slot.order(ByteOrder.LITTLE_ENDIAN).putInt(0, length);
            assertEquals(0, read(slot), "length " + length);
        }
    }

    @Test
    void namesAreSpreadOverTheSlots() {
        int[] names = new int[64];
        for (int i = 0; i < 6400; i++) {
            byte[] name = ("part-" + i).getBytes(StandardCharsets.UTF_8);
            names[StatRecord.slot(StatRecord.hash(NUMBER, name, 0, name.length), names.length)]++;
        }
        for (int count : names) {
            assertTrue(count > 50 && count < 150, Arrays.toString(names));
        }
    }
}
