package io.hmfs.core.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

// Goal: the index's bytes in a pool never change by accident.
// Method: golden bytes of each record, and words computed by hand.
final class IndexLayoutTest {
    private static final long AT = 128;

    private final Pmem pmem = MappedPmem.inMemory(32768);

    private String bytes(int count) {
        byte[] bytes = new byte[count];
        pmem.copyOut(AT, bytes, 0, count);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void theHeaderHasItsBytes() {
        IndexHeader.init(pmem, AT, 5, 0x123456789abcL, 19);
        assertEquals(
                "484d465349580100" + "0500000000000000" + "bc9a785634120000" + "1300000000000000" + "00".repeat(32),
                bytes(64));
        IndexHeader.depth(pmem, AT, 6);
        assertEquals(6, IndexHeader.depth(pmem, AT));
        assertEquals(0x123456789abcL, IndexHeader.directoryAt(pmem, AT));
        assertEquals(19, IndexHeader.directoryDepth(pmem, AT));
    }

    @Test
    void theSplitRecordHasItsBytes() {
        SplitRecord.begin(pmem, AT, 0x10000, 0x20000, 3);
        assertEquals(
                "0100000000000000" + "0000010000000000" + "0000020000000000" + "0300000000000000" + "00".repeat(32),
                bytes(64));
        SplitRecord.state(pmem, AT, SplitRecord.COMMITTED);
        assertEquals("0200000000000000", bytes(8));
    }

    @Test
    void theSegmentHeaderHasItsBytes() {
        assertTrue(SegmentRecord.isFree(pmem, AT));
        SegmentRecord.init(pmem, AT, 6, 3);
        assertEquals("484d465345470100" + "0600000000000000" + "0300000000000000" + "00".repeat(40), bytes(64));
        assertFalse(SegmentRecord.isFree(pmem, AT));
        assertEquals(2044, SegmentRecord.SLOTS);
        assertEquals(AT + 255 * 64, SegmentRecord.bucket(AT, 255));
    }

    @Test
    void aDirectoryEntryIsDepthAndOffset() {
        long entry = DirectoryEntry.of(7, 0xfedcba987640L);
        assertEquals(0x0700fedcba987640L, entry);
        assertEquals(7, DirectoryEntry.depth(entry));
        assertEquals(0xfedcba987640L, DirectoryEntry.segment(entry));
    }

    @Test
    void aSlotIsTagAndOffset() {
        long hash = 0xABCD_1205_0000_0001L;
        long word = BucketRecord.word(hash, 0x40, 0);
        assertEquals(0xABCD_0000_0000_0041L, word);
        assertEquals(0x40, BucketRecord.offset(word));
        assertTrue(BucketRecord.sameTag(word, hash));
        assertFalse(BucketRecord.sameTag(word, hash ^ (1L << 48)));
        assertEquals(0x05, BucketRecord.home(hash));
        BucketRecord.store(pmem, AT, 7, word);
        assertEquals("00".repeat(56) + "410000000000cdab", bytes(64));
    }

    @Test
    void theWindowHoldsTheBitsThatTheNextSplitsAskFor() {
        long hash = 0b110101_001110_100011L;
        for (int local = 0; local < 18; local++) {
            long word = BucketRecord.word(hash, 0x40, local);
            assertEquals((hash >>> (local / 6 * 6)) & 63, BucketRecord.window(word), "depth " + local);
            assertEquals((hash >>> local & 1) != 0, BucketRecord.isUpper(word, local), "depth " + local);
            assertEquals(0x40, BucketRecord.offset(word));
            assertTrue(BucketRecord.sameObject(word, BucketRecord.word(hash, 0x40, 0)));
            assertFalse(BucketRecord.sameObject(word, BucketRecord.word(hash, 0x80, local)));
            assertFalse(BucketRecord.sameObject(word, BucketRecord.word(hash | 1L << 48, 0x40, local)));
            boolean same = BucketRecord.window(BucketRecord.word(-1L << (local + 1), 0x40, local))
                    == BucketRecord.window(BucketRecord.word(-1L << (local + 1), 0x40, local + 1));
            assertEquals(local % 6 == 5, BucketRecord.movesWindow(local));
            assertEquals(!same, BucketRecord.movesWindow(local), "depth " + local);
        }
    }

    @Test
    void aPartnerIsAnotherBucketOfTheSamePageAndItsPartnerIsTheBucket() {
        assertEquals(5 ^ 43, BucketRecord.partner(5, 0xABCDL << 48)); // 1 + floor(0xABCD · 63 / 2^16) = 43
        boolean[] distances = new boolean[64];
        for (long tag = 0; tag < 1 << 16; tag++) {
            int bucket = (int) (tag * 31) & 255;
            int partner = BucketRecord.partner(bucket, tag << 48);
            assertEquals(bucket / 64, partner / 64);
            assertEquals(bucket, BucketRecord.partner(partner, tag << 48));
            distances[bucket ^ partner] = true;
        }
        assertFalse(distances[0]);
        for (int distance = 1; distance < 64; distance++) {
            assertTrue(distances[distance]);
        }
    }

    @Test
    void tagBucketAndDirectoryShareNoBitOfTheHash() {
        long hash = 0x0123_4567_89AB_CDEFL;
        for (int bit = 0; bit < 64; bit++) {
            long other = hash ^ (1L << bit);
            int uses = (BucketRecord.sameTag(hash, other) ? 0 : 1)
                    + (BucketRecord.home(hash) == BucketRecord.home(other) ? 0 : 1)
                    + ((int) hash == (int) other ? 0 : 1);
            assertEquals(bit >= 40 && bit < 48 ? 0 : 1, uses, "bit " + bit);
        }
    }
}
