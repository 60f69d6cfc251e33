package io.hmfs.core.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Goal: the bytes of superblock, entries and directory contents never change by accident. Method: golden bytes of each record,
 * written out by hand, and every code by its number.
 */
final class EntryLayoutTest {
    private static final long AT = 4096;
    private static final String ZERO = "0000000000000000";

    private final Pmem pmem = MappedPmem.inMemory(32768);

    private String bytes(long at, int count) {
        byte[] bytes = new byte[count];
        pmem.copyOut(at, bytes, 0, count);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void anEntryHasItsBytes() {
        pmem.set(AT + EntryRecord.NEXT_OFFSET, -1); // not touched by init
        EntryRecord.init(
                pmem,
                AT,
                EntryRecord.KIND_DIRECTORY,
                0x77,
                0x8899,
                0x66,
                Name.of("näme"),
                0x0102030405060708L,
                0755,
                Owner.of(9, 10));
        String time = "0807060504030201";
        assertEquals(
                "0102050000009988" + time + ZERO + time + ZERO + "6600000000000000" + "7700000000000000"
                        + "ff".repeat(8),
                bytes(AT, 64));
        assertEquals(
                time + ZERO + "ed010c0a08060402" + "090000000a000000" + time + "0100000000000000" + ZERO + ZERO,
                bytes(AT + 64, 64));
        assertEquals("6ec3a46d65000000" + ZERO, bytes(AT + 128, 16));
    }

    /** A stale index word may lead a reader to a slot while it is filled anew. */
    @Test
    void aSlotThatIsFilledAnewIsAtNoMomentAnotherObject() {
        SimPmem sim = new SimPmem(1024, Persistence.PROCESS);
        EntryRecord.init(
                sim,
                128,
                EntryRecord.KIND_FILE,
                1,
                EntryRecord.NO_CHECK,
                5,
                Name.of("an old name of some length"),
                7,
                0,
                8);
        sim.setRelease(128 + EntryRecord.STATUS_OFFSET, SlotState.FREE);
        Name name = Name.of("a new name that is longer than the old one");
        int[] creating = new int[1];
        Runnable look = () -> {
            long status = EntryRecord.status(sim, 128);
            if (EntryRecord.state(status) != SlotState.FREE) {
                creating[0]++;
                assertTrue(EntryRecord.hasKey(sim, 128, status, 6, name));
                assertEquals(9, EntryRecord.birth(sim, 128));
                assertEquals(2, EntryRecord.id(sim, 128));
                assertEquals(0x1234, EntryRecord.check(status));
            }
        };
        sim.beforeEachEvent(look);
        EntryRecord.init(sim, 128, EntryRecord.KIND_FILE, 2, 0x1234, 6, name, 9, 0, 10);
        sim.beforeEachEvent(null);
        look.run();
        assertEquals(1, creating[0]);
    }

    @Test
    void aStatusWordIsStateKindLengthAndMark() {
        long status = EntryRecord.status(SlotState.MOVING, EntryRecord.KIND_FILE, 255);
        assertEquals(0x00ff0105L, status);
        assertEquals(SlotState.MOVING, EntryRecord.state(status));
        assertEquals(EntryRecord.KIND_FILE, EntryRecord.kind(status));
        assertEquals(255, EntryRecord.nameLength(status));
        assertFalse(EntryRecord.tookPlace(status));
        assertEquals(0x00ff0104L, EntryRecord.withState(status, SlotState.DELETED));
        pmem.set(AT, status);
        EntryRecord.markTookPlace(pmem, AT);
        EntryRecord.setState(pmem, AT, SlotState.NORMAL);
        assertEquals(0x1_00ff0102L, pmem.get(AT));
        assertTrue(EntryRecord.tookPlace(pmem.get(AT)));
        assertEquals(255, EntryRecord.nameLength(pmem.get(AT)));
    }

    @Test
    void aKeyIsParentAndName() {
        EntryRecord.init(pmem, AT, EntryRecord.KIND_FILE, 1, EntryRecord.NO_CHECK, 5, Name.of("12345678x"), 1, 0, 0);
        long status = EntryRecord.status(pmem, AT);
        assertTrue(EntryRecord.hasKey(pmem, AT, status, 5, Name.of("12345678x")));
        assertFalse(EntryRecord.hasKey(pmem, AT, status, 6, Name.of("12345678x")));
        assertFalse(EntryRecord.hasKey(pmem, AT, status, 5, Name.of("12345678y")));
        assertFalse(EntryRecord.hasKey(pmem, AT, status, 5, Name.of("12345678")));
        assertFalse(EntryRecord.hasKey(pmem, AT, status, 5, Name.of("12345678x\0")));
        Name read = new Name();
        EntryRecord.name(pmem, AT, status, read);
        assertEquals("12345678x", read.toString());
        assertThrows(CorruptPoolException.class, () -> EntryRecord.name(pmem, AT, EntryRecord.status(2, 1, 256), read));
        assertEquals(EntryRecord.SIZE, EntryRecord.sizeFor(64));
        assertEquals(EntryRecord.LONG_SIZE, EntryRecord.sizeFor(65));
    }

    @Test
    void anOwnerWordIsUidAndGid() {
        long owner = Owner.of(Owner.ID_MAX - 1, Owner.ID_MAX);
        assertEquals(0x7fff_ffff_7fff_fffeL, owner);
        assertEquals(Owner.ID_MAX - 1, Owner.uid(owner));
        assertEquals(Owner.ID_MAX, Owner.gid(owner));
    }

    @Test
    void aCtimeWordIsTimeMarkAndMode() {
        long word = Ctime.of(5 * 4096 + 4095, 07777);
        assertEquals(5 << 13 | 07777, word);
        assertEquals(5 * 4096, Ctime.time(word | Ctime.DIRTY));
        assertEquals(07777, Ctime.mode(word | Ctime.DIRTY));
        assertEquals(Long.MAX_VALUE / 4096 * 4096, Ctime.time(Ctime.of(Long.MAX_VALUE, 0)));
    }

    /** Else a chmod could show an earlier time than the write before it, or no other time at all. */
    @Test
    void theTimeOfAChangeIsRoundedUpAndNeverFalls() {
        assertEquals(6 * 4096, Ctime.time(Ctime.next(0, 5 * 4096 + 1, 0644)));
        assertEquals(5 * 4096, Ctime.time(Ctime.next(0, 5 * 4096, 0644)));
        long later = Ctime.of(9 * 4096, 0600) | Ctime.DIRTY;
        assertEquals(Ctime.of(10 * 4096, 0644), Ctime.next(later, 5 * 4096, 0644), "no word comes back");
    }

    @Test
    void anInodeHasItsBytes() {
        EntryRecord.init(
                pmem,
                AT,
                EntryRecord.KIND_FILE,
                0x77,
                EntryRecord.NO_CHECK,
                0x66,
                Name.of("n"),
                0x1000,
                0644,
                Owner.of(9, 10));
        pmem.set(AT + 256 + EntryRecord.NEXT_OFFSET, -1); // not touched by init
        InodeRecord.init(pmem, AT + 256, AT, 0x7766, 0x99);
        String time = "9900000000000000";
        assertEquals(
                "0207000000016677" + time + "0210000000000100" + time + ZERO + ZERO + "7700000000000000"
                        + "ff".repeat(8),
                bytes(AT + 256, 64));
        assertEquals(bytes(AT + 64, 64), bytes(AT + 256 + 64, 64));
        long status = EntryRecord.status(pmem, AT + 256);
        assertEquals(EntryRecord.KIND_FILE, EntryRecord.object(status));
        assertFalse(EntryRecord.hasKey(pmem, AT + 256, status, 0, Name.of("")), "the root's key");
        assertTrue(InodeRecord.free(pmem, AT + 256, 7));
        assertFalse(InodeRecord.free(pmem, AT + 256, 8));
        assertEquals(ZERO + "0700000000000000", bytes(AT + 256, 16));
        assertFalse(InodeRecord.free(pmem, AT, 8), "a file");
    }

    @Test
    void aNamesWordIsCountAndFlight() {
        long names = InodeRecord.names(0xffff, 0xfedc_ba98_7640L, InodeRecord.LEAVING);
        assertEquals(0xffff_fedc_ba98_7642L, names);
        assertEquals(0xffff, InodeRecord.count(names));
        assertEquals(0xfedc_ba98_7640L, InodeRecord.entry(names));
        assertEquals(0xfffe, InodeRecord.count(names, false));
        assertEquals(0xffff, InodeRecord.count(names, true));
        long arriving = InodeRecord.names(7, 0x1240, InodeRecord.ARRIVING);
        assertEquals(7, InodeRecord.count(arriving, false));
        assertEquals(8, InodeRecord.count(arriving, true));
        assertEquals(7, InodeRecord.count(InodeRecord.names(7, 0, 0), true));
    }

    @Test
    void anEntryBecomesIndirectInItsPlace() {
        long status = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_FILE, 255) | 1L << 32;
        assertEquals(0x1_00ff0402L, EntryRecord.asIndirect(status));
    }

    /** And every bit of an id, and a difference as two files made one after the other have, makes another check. */
    @Test
    void aCheckIsNeverNoneAndAnotherForAnotherId() {
        Random random = new Random(219);
        for (int i = 0; i < 100_000; i++) {
            long hash = random.nextLong();
            long id = random.nextLong() >>> 16;
            int check = EntryRecord.check(hash, id);
            assertTrue(check > EntryRecord.NO_CHECK && check <= 0xffff, "check " + check);
            if (check > 1) { // which 0 is, too
                assertNotEquals(check, EntryRecord.check(hash, id ^ 1L << random.nextInt(64)));
                assertNotEquals(check, EntryRecord.check(hash, id + 1 + random.nextInt(28_000)));
            }
        }
    }

    @Test
    void anObjectKeepsItsCheckInEveryState() {
        long status = EntryRecord.withCheck(EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_FILE, 7), 0xfedc);
        assertEquals(0xfedc_0000_0007_0102L, status);
        assertEquals(0xfedc_0000_0007_0105L, EntryRecord.withState(status, SlotState.MOVING));
        assertEquals(0xfedc_0002_0007_0104L, EntryRecord.buried(EntryRecord.withState(status, SlotState.MOVING)));
        assertEquals(0xfedc_0000_0007_0402L, EntryRecord.asIndirect(status));
        assertEquals(0xfedc_0006_0007_0102L, EntryRecord.asUnlisted(EntryRecord.withoutData(status)));
        assertEquals(status, EntryRecord.revived(EntryRecord.asUnlisted(status), SlotState.NORMAL));
        assertEquals(0x0001_0000_0007_0102L, EntryRecord.withCheck(status, 1));
    }

    @Test
    void aDirectoryContentHasItsBytes() {
        DirContentRecord.init(pmem, AT, 0x55, 0x1240, 0x99);
        assertEquals(
                "0203000000000000" + "5500000000000000" + ZERO + "9900000000000000" + "4012000000000000"
                        + ZERO.repeat(3),
                bytes(AT, 64));
        assertFalse(DirContentRecord.free(pmem, AT, 0x56, 7));
        assertTrue(DirContentRecord.free(pmem, AT, 0x55, 7));
        assertFalse(DirContentRecord.free(pmem, AT, 0x55, 8));
        assertEquals(ZERO + "0700000000000000", bytes(AT, 16));
        assertEquals(1, DirContentRecord.CLOSED);
    }

    @Test
    void aSlotOfAChainHasItsBytes() {
        pmem.set(AT + ChainRecord.ZERO_OFFSET, -1);
        ChainRecord.init(pmem, AT, 0x77, 0x1180, AT, 0x2000, ChainRecord.blob(400, 0x81020304));
        assertEquals(
                "0206000000000000" + "7700000000000000" + "8011000000000000" + "0010000000000000" + ZERO
                        + "0020000000000000" + "9001000004030281" + ZERO,
                bytes(AT, 64));
        assertTrue(ChainRecord.isOf(pmem, AT, 0x77) && !ChainRecord.isOf(pmem, AT, 0x78));
        assertEquals(400, ChainRecord.length(ChainRecord.blob(pmem, AT)));
        assertEquals(0x81020304, ChainRecord.checksum(ChainRecord.blob(pmem, AT)));
        assertFalse(ChainRecord.free(pmem, AT, 0x76, 9));
        assertTrue(ChainRecord.free(pmem, AT, 0x77, 9));
        assertFalse(ChainRecord.free(pmem, AT, 0x77, 10));
        assertEquals(ZERO + "0900000000000000" + "8011000000000000", bytes(AT, 24), "a reader finds the rest still");
        assertEquals(5, EntryRecord.KIND_SYMLINK);
        assertEquals(6, EntryRecord.KIND_CHAIN);
    }

    @Test
    void aLinksWordHasAChainAndAMode() {
        long plain = EntryRecord.withChain(EntryRecord.LINKS_PLAIN, 0x123456789ac0L) | EntryRecord.LINKS_DIRTY;
        assertEquals(0x8000000000000001L | 0x123456789ac0L << 14, plain);
        assertEquals(0x123456789ac0L, EntryRecord.chain(plain));
        assertEquals(1L << 63 | 1, EntryRecord.withChain(plain, 0));
        assertFalse(EntryRecord.acl(plain));
        assertEquals(0644, EntryRecord.mode(plain, Ctime.of(9, 0644)));

        long swung = EntryRecord.withAcl(plain, 0x40, true, 07531);
        assertEquals(0xc000000000000002L | 1L << 20 | 07531 << 8, swung);
        assertTrue(EntryRecord.acl(swung));
        assertEquals(0x40, EntryRecord.chain(swung));
        assertEquals(07531, EntryRecord.mode(swung, Ctime.of(9, 0644)));
        assertEquals(0xc000000000000001L | 1L << 20, EntryRecord.settled(swung));
        assertEquals(1L << 63 | 2, EntryRecord.withAcl(swung, 0, false, 0));
        assertEquals(0x8000000000000001L | 1L << 20, EntryRecord.markAcl(EntryRecord.settled(swung), false));
        assertEquals(EntryRecord.settled(swung), EntryRecord.markAcl(EntryRecord.settled(swung), true));
    }

    @Test
    void anAclHasItsBytes() {
        long[] acl = {
            Acl.entry(false, Acl.USER, 7, 0x1234),
            Acl.entry(false, Acl.GROUP, 5),
            Acl.entry(true, Acl.USER, 6),
            Acl.entry(true, Acl.GROUP, 4),
            Acl.entry(true, Acl.GROUP, 1, 2),
            Acl.entry(true, Acl.MASK, 3),
            Acl.entry(true, Acl.OTHER, 0)
        };
        byte[] value = BlobRecord.ofAcl(acl);
        assertEquals(
                "4700000034120000" + "0d00000000000000" + "2600000000000000" + "2c00000000000000" + "6900000002000000"
                        + "3300000000000000" + "3800000000000000",
                HexFormat.of().formatHex(value));
        byte[] blob = new byte[8 + value.length];
        BlobRecord.setHead(blob, 0, BlobRecord.head(BlobRecord.TYPE_ACL, 0, value.length));
        System.arraycopy(value, 0, blob, 8, value.length);
        assertArrayEquals(acl, BlobRecord.acl(blob));
        blob[8] = 0x47 | (byte) 0x80; // a bit that means nothing
        assertArrayEquals(Acl.NONE, BlobRecord.acl(blob));
        byte[] cut = Arrays.copyOf(blob, blob.length - 1);
        BlobRecord.setHead(cut, 0, BlobRecord.head(BlobRecord.TYPE_ACL, 0, value.length - 1));
        assertArrayEquals(Acl.NONE, BlobRecord.acl(cut));
    }

    @Test
    void aBlobHasItsBytes() {
        byte[] blob = new byte[8 + 2 + 3];
        BlobRecord.setHead(blob, 0, BlobRecord.head(BlobRecord.TYPE_ATTRIBUTE, 2, 3));
        assertEquals("0102000003000000" + "0000000000", HexFormat.of().formatHex(blob));
        assertEquals(13, BlobRecord.size(blob, 0));
        assertEquals(10, BlobRecord.valueAt(blob, 0));
        assertTrue(BlobRecord.isWhole(blob) && BlobRecord.isWhole(new byte[0]));
        assertFalse(BlobRecord.isWhole(new byte[7]));
        BlobRecord.setHead(blob, 0, BlobRecord.head(BlobRecord.TYPE_ATTRIBUTE, 2, 4));
        assertFalse(BlobRecord.isWhole(blob));
        BlobRecord.setHead(blob, 0, BlobRecord.head(BlobRecord.TYPE_ATTRIBUTE, 2, -3));
        assertFalse(BlobRecord.isWhole(blob));
        assertEquals(2, BlobRecord.TYPE_ACL);
        assertEquals(3, BlobRecord.TYPE_TARGET);
    }

    @Test
    void aSuperblockHasItsBytes() {
        PoolHeader.init(pmem, 0, new UUID(0x1112131415161718L, 0x2122232425262728L), 0x8000000, 0x400000, -3);
        assertEquals(ZERO, bytes(0, 8), "no magic before the pool is whole");
        PoolHeader.seal(pmem, 0);
        assertEquals(
                "484d4653504f4f4c" + "0100000000000000" + "1817161514131211" + "2827262524232221" + "0000000800000000"
                        + "0000400000000000" + "fdffffffffffffff",
                bytes(0, 56));
        assertEquals(PoolHeader.checksum(pmem, 0), pmem.get(56));
        for (long bit = 64; bit < 448; bit++) { // each bit between magic and checksum counts
            long word = bit >>> 6 << 3;
            long before = pmem.get(word);
            pmem.set(word, before ^ 1L << bit);
            assertTrue(PoolHeader.checksum(pmem, 0) != pmem.get(56), "bit " + bit);
            pmem.set(word, before);
        }
    }

    @Test
    void codesAreForEver() {
        assertEquals(1, RegionKind.CONTENT_SLOTS.code());
        assertEquals(2, RegionKind.ENTRY_SLOTS.code());
        assertEquals(3, RegionKind.LONG_ENTRY_SLOTS.code());
        assertEquals(4, RegionKind.INDEX_DIRECTORY.code());
        assertEquals(5, RegionKind.INDEX_SEGMENTS.code());
        assertEquals(6, RegionKind.PRINCIPALS.code());
        assertEquals(7, RegionKind.OUTCOMES.code());
        assertEquals(8, RegionKind.RECORDS.code());
        assertEquals(8, RegionKind.values().length);
        for (RegionKind kind : RegionKind.values()) {
            assertEquals(kind, RegionKind.of(0, 1 << 20 | kind.code()));
        }
        assertThrows(CorruptPoolException.class, () -> RegionKind.of(0, 1 << 20));
        assertThrows(CorruptPoolException.class, () -> RegionKind.of(0, 1 << 20 | 9));
        int[] states = {
            SlotState.FREE,
            SlotState.CREATING,
            SlotState.NORMAL,
            SlotState.DELETING,
            SlotState.DELETED,
            SlotState.MOVING,
            SlotState.REPLACED
        };
        for (int code = 0; code < states.length; code++) {
            assertEquals(code, states[code]);
        }
        assertEquals(1, FileType.FILE.code());
        assertEquals(2, FileType.DIRECTORY.code());
        assertEquals(FileType.DIRECTORY, FileType.of(2));
        assertEquals(3, FileType.SYMLINK.code());
        assertEquals(FileType.SYMLINK, FileType.of(3));
        assertThrows(IllegalArgumentException.class, () -> FileType.of(4));
    }
}
