package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import java.lang.foreign.StructLayout;

/**
 * A file, a directory's access object, or one of several names of a file: three lines with a name to 64 bytes, six with a name to 255; little-endian, format v2
 * (docs/format.md#entry).
 *
 * <pre>
 *   0        8        16       24       32       40       48       56       64
 *   | status | death  | sibling| birth  | link   | parent | id     | next   |   the line that decides its fate
 *   '---- cas16 ----' '---- cas16 ----'
 *   64       72       80       88       96       104      112      120     128
 *   | mtime  | size   | ctime  | owner  | atime  | links  | override | setAt |   attributes
 *   '---- cas16 ----' '---- cas16 ----'                   '---- cas16 ----'
 *   128                                                            192 or 384
 *   | name, padded with zeros to a multiple of eight                         |
 * </pre>
 *
 * status = state | kind &lt;&lt; 8 | length of the name &lt;&lt; 16 | took another's place &lt;&lt; 32 | no data &lt;&lt; 33 | unlisted &lt;&lt; 34 | check &lt;&lt; 48; no data and
 * unlisted of a DELETED object only. The check is made of what never changes in an object, its id and the hash of its key, so that a record that is damaged
 * there is not believed. link is the successor of an object that moves away and the origin of one that has moved in. ctime carries the mode, see {@link Ctime}. A user's own mtime stands in (override, setAt) and wins while
 * setAt is above the protocol's mtime, so that no client can set the value that decides a commit. next chains free slots, and
 * removed files whose data has still to be removed; in an entry that lives it is a hint of what memory a listing comes to.
 *
 * An indirect entry is one name of a file that has, or had, several: its key and id count, the rest stands in the
 * {@link InodeRecord} under that id.
 *
 * I2. status is stored last, with release order: a thread that sees it sees the key.
 */
public final class EntryRecord {
    /** Set in the length word while (mtime, length) may not be durable yet: a reader of the unit writes it back first (I2). */
    public static final long LENGTH_DIRTY = 1L << 63;

    /** Set in length if every byte below the size was written: one that is not in the data store was lost, and is no hole. */
    private static final long LENGTH_DENSE = Attributes.SIZE_MAX + 1;

    /** Set in setAt while the user's times may not be durable yet. */
    public static final long SET_AT_DIRTY = 1L << 63;

    public static final long SIZE = 192;
    public static final long LONG_SIZE = 384;
    /** Longest name, in bytes, that fits into {@link #SIZE}. */
    public static final int SHORT_NAME_MAX = 64;

    public static final long STATUS_OFFSET = 0; // 16-byte aligned: first half of a cas16 pair
    public static final long DEATH_OFFSET = 8;
    public static final long SIBLING_OFFSET = 16; // 16-byte aligned: first half of a cas16 pair
    public static final long BIRTH_OFFSET = 24;
    public static final long LINK_OFFSET = 32;
    public static final long PARENT_OFFSET = 40;
    public static final long ID_OFFSET = 48;
    public static final long NEXT_OFFSET = 56;
    public static final long MTIME_OFFSET = 64; // 16-byte aligned: first half of a cas16 pair
    public static final long LENGTH_OFFSET = 72;
    public static final long CTIME_OFFSET = 80; // 16-byte aligned: first half of a cas16 pair
    public static final long OWNER_OFFSET = 88;
    public static final long ATIME_OFFSET = 96;
    public static final long LINKS_OFFSET = 104;
    public static final long OVERRIDE_OFFSET = 112; // 16-byte aligned: first half of a cas16 pair
    public static final long SET_AT_OFFSET = 120;
    public static final long NAME_OFFSET = 128;

    /** In the status word of a rename's successor that replaced an object: its name was there before it. */
    private static final long TOOK_PLACE = 1L << 32;

    /** In the status word of a DELETED file: its data has been removed, or belongs to the entry that a rename has made of it. */
    private static final long NO_DATA = 1L << 33;

    /** In the status word of a DELETED file that has data: it has been taken off its list, durably, and waits for the removal of its data. */
    private static final long UNLISTED = 1L << 34;

    public static final int KIND_FILE = 1;
    public static final int KIND_DIRECTORY = 2;
    public static final int KIND_CONTENT = 3;
    public static final int KIND_INDIRECT = 4;
    public static final int KIND_INODE = 7;
    public static final int KIND_SYMLINK = 5;
    public static final int KIND_CHAIN = 6;

    /** Set in the links word while its chain may not be durable yet: a reader that follows it writes the line back first (I2). */
    public static final long LINKS_DIRTY = 1L << 63;

    /** The form of a links word: as a rule. How many names a file has stands in its inode. */
    public static final int LINKS_PLAIN = 1;

    /** The form of a links word that has the mode too, which the ctime word gets next: both changed by one store. Two bits from the other. */
    public static final int LINKS_WITH_MODE = 2;

    private static final long LINKS_ACL = 1L << 62;
    private static final long FORM_MASK = 0xff;
    private static final int LINKS_MODE_SHIFT = 8;
    private static final long LINKS_MODE_MASK = (long) Ctime.MODE_MAX << LINKS_MODE_SHIFT;
    private static final int CHAIN_SHIFT = 20 - 6; // a slot stands at a multiple of a line
    private static final long CHAIN_MASK = ((1L << 42) - 1) << 20;
    private static final int OBJECT_SHIFT = 40;
    private static final int CHECK_SHIFT = 48;

    /** The check of an object that an older HMFS has made: nothing is known of it. */
    public static final int NO_CHECK = 0;

    /** No 16 bits of it in a row are equal: whichever bit of an id turns, the check is another. */
    private static final long CHECK_FACTOR = 0x9E3779B97F4A7C15L;

    static final StructLayout LAYOUT = structLayout(
                    u64("status"),
                    u64("death"),
                    u64("sibling"),
                    u64("birth"),
                    u64("link"),
                    u64("parent"),
                    u64("id"),
                    u64("next"),
                    u64("mtime"),
                    u64("length"),
                    u64("ctime"),
                    u64("owner"),
                    u64("atime"),
                    u64("links"),
                    u64("override"),
                    u64("setAt"),
                    paddingLayout(64).withName("name"))
            .withByteAlignment(64)
            .withName("EntryRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "status", STATUS_OFFSET);
        Layouts.pin(LAYOUT, "death", DEATH_OFFSET);
        Layouts.pin(LAYOUT, "sibling", SIBLING_OFFSET);
        Layouts.pin(LAYOUT, "birth", BIRTH_OFFSET);
        Layouts.pin(LAYOUT, "link", LINK_OFFSET);
        Layouts.pin(LAYOUT, "parent", PARENT_OFFSET);
        Layouts.pin(LAYOUT, "id", ID_OFFSET);
        Layouts.pin(LAYOUT, "next", NEXT_OFFSET);
        Layouts.pin(LAYOUT, "mtime", MTIME_OFFSET);
        Layouts.pin(LAYOUT, "length", LENGTH_OFFSET);
        Layouts.pin(LAYOUT, "ctime", CTIME_OFFSET);
        Layouts.pin(LAYOUT, "owner", OWNER_OFFSET);
        Layouts.pin(LAYOUT, "atime", ATIME_OFFSET);
        Layouts.pin(LAYOUT, "links", LINKS_OFFSET);
        Layouts.pin(LAYOUT, "override", OVERRIDE_OFFSET);
        Layouts.pin(LAYOUT, "setAt", SET_AT_OFFSET);
        Layouts.pin(LAYOUT, "name", NAME_OFFSET);
    }

    private EntryRecord() {}

    /**
     * Fills a fresh slot whose status is FREE; CREATING is stored last.
     */
    public static void init(
            Pmem pmem, long at, int kind, long id, int check, long parent, Name name, long time, int mode, long owner) {
        fill(pmem, at, parent, name, time, mode, owner);
        create(pmem, at, kind, id, check, name.length());
    }

    /**
     * All but the id and the status of a fresh slot, which stays FREE. The death word gets the time too: it tells the background scan that the
     * slot is in hand.
     */
    public static void fill(Pmem pmem, long at, long parent, Name name, long time, int mode, long owner) {
        pmem.set(at + DEATH_OFFSET, time);
        pmem.set(at + SIBLING_OFFSET, Pmem.NULL);
        pmem.set(at + BIRTH_OFFSET, time);
        pmem.set(at + LINK_OFFSET, Pmem.NULL);
        pmem.set(at + PARENT_OFFSET, parent);
        pmem.set(at + MTIME_OFFSET, time);
        pmem.set(at + LENGTH_OFFSET, 0);
        pmem.set(at + CTIME_OFFSET, Ctime.of(time, mode));
        pmem.set(at + OWNER_OFFSET, owner);
        pmem.set(at + ATIME_OFFSET, time);
        pmem.set(at + LINKS_OFFSET, LINKS_PLAIN);
        pmem.set(at + OVERRIDE_OFFSET, 0);
        pmem.set(at + SET_AT_OFFSET, 0);
        setName(pmem, at, name);
    }

    /** What is filled is an object from now on: CREATING, stored with release order†. */
    public static void create(Pmem pmem, long at, int kind, long id, int check, int nameLength) {
        pmem.set(at + ID_OFFSET, id);
        pmem.setRelease(at + STATUS_OFFSET, withCheck(status(SlotState.CREATING, kind, nameLength), check));
    }

    /** The check of an object with this id, under a key with this hash; never {@link #NO_CHECK}. Ids that differ by less than 28,000 have different ones, but for 0 and 1. */
    public static int check(long hash, long id) {
        int check = (int) (((hash + id) * CHECK_FACTOR) >>> CHECK_SHIFT);
        return check == NO_CHECK ? 1 : check;
    }

    /** The check that a status word has, or {@link #NO_CHECK}. */
    public static int check(long status) {
        return (int) (status >>> CHECK_SHIFT);
    }

    public static long withCheck(long status, int check) {
        return (status & ((1L << CHECK_SHIFT) - 1)) | (long) check << CHECK_SHIFT;
    }

    /** Whether the object whose status word this is has the id that was made for the key with this hash, as far as is known. */
    public static boolean fits(Pmem pmem, long at, long status, long hash) {
        int check = check(status);
        return check == NO_CHECK || check == check(hash, id(pmem, at));
    }

    /** The bytes of the file, or of the link's target, of a length word. */
    public static long size(long length) {
        return length & Attributes.SIZE_MAX;
    }

    /** Whether every byte below the size was written, which is so in an empty file too, where nothing says it. */
    public static boolean dense(long length) {
        return (length & LENGTH_DENSE) != 0;
    }

    /** The length word of a file that has grown to a size; {@code writtenFrom}: from there on all bytes up to the size were written, -1: that is not known. */
    public static long grown(long length, long size, long writtenFrom) {
        long present = size(length);
        boolean wasDense = present == 0 || dense(length);
        return size | (wasDense && writtenFrom >= 0 && writtenFrom <= present ? LENGTH_DENSE : 0);
    }

    /** The length word of a file that was cut at a size. */
    public static long cut(long length, long size) {
        return size | (size == 0 ? 0 : length & LENGTH_DENSE);
    }

    /** Copies the attributes line of an object that no thread can change now. */
    public static void copyAttributes(Pmem pmem, long from, long to) {
        for (long offset = MTIME_OFFSET; offset < NAME_OFFSET; offset += 8) {
            pmem.set(to + offset, pmem.get(from + offset));
        }
    }

    /** Bytes that {@link #init} has touched. */
    public static long filledSize(int nameLength) {
        return NAME_OFFSET + nameLength;
    }

    /** Bytes of the slot that a name of this length needs. */
    public static long sizeFor(int nameLength) {
        return nameLength <= SHORT_NAME_MAX ? SIZE : LONG_SIZE;
    }

    public static long status(int state, int kind, int nameLength) {
        return state | (long) kind << 8 | (long) nameLength << 16;
    }

    /** Of an inode, which is an object of this kind. */
    public static long inodeStatus(int state, int kind) {
        return status(state, KIND_INODE, 0) | (long) kind << OBJECT_SHIFT;
    }

    public static int state(long status) {
        return (int) (status & 0xff);
    }

    public static int kind(long status) {
        return (int) (status >>> 8 & 0xff);
    }

    public static int nameLength(long status) {
        return (int) (status >>> 16 & 0x1ff);
    }

    /** What an inode is: the kind that its first name had before there was a second. */
    public static int object(long status) {
        return (int) (status >>> OBJECT_SHIFT & 0xff);
    }

    /** The same entry as one of several names. */
    public static long asIndirect(long status) {
        return (status & ~0xff00L) | KIND_INDIRECT << 8;
    }

    /** Whether a slot with this status holds an entry of some kind, hence a key of (parent, name). */
    public static boolean isEntry(long status) {
        int kind = kind(status);
        return kind != KIND_CONTENT && kind != KIND_INODE && kind != KIND_CHAIN;
    }

    public static boolean isIndirect(long status) {
        return kind(status) == KIND_INDIRECT;
    }

    /** Whether the object came by a rename that replaced another. */
    public static boolean tookPlace(long status) {
        return (status & TOOK_PLACE) != 0;
    }

    /** Marks an object that no thread reaches yet as one that takes another's place. */
    public static void markTookPlace(Pmem pmem, long at) {
        pmem.setRelease(at + STATUS_OFFSET, pmem.get(at + STATUS_OFFSET) | TOOK_PLACE);
    }

    /** DELETED, from a status whose state tells how it ends: what was MOVING leaves its data to its successor. */
    public static long buried(long status) {
        return withState(status, SlotState.DELETED) | (state(status) == SlotState.MOVING ? NO_DATA : 0);
    }

    /** Stores {@link #buried}. The caller is the only thread that changes this status. */
    public static void bury(Pmem pmem, long at) {
        pmem.setRelease(at + STATUS_OFFSET, buried(pmem.get(at + STATUS_OFFSET)));
    }

    /** Whether a DELETED object has no data: it was removed, or belongs to a successor. */
    public static boolean noData(long status) {
        return (status & NO_DATA) != 0;
    }

    /** Whether this is a removed file, or the inode of one, whose data has not been removed, if data is kept elsewhere. */
    public static boolean holdsData(long status) {
        boolean file = kind(status) == KIND_FILE || (kind(status) == KIND_INODE && object(status) == KIND_FILE);
        return file && state(status) == SlotState.DELETED && !noData(status);
    }

    /** The status of a removed file after its data was removed. */
    public static long withoutData(long status) {
        return status | NO_DATA;
    }

    /** Whether a removed file that holds data is known to be on no list. */
    public static boolean unlisted(long status) {
        return (status & UNLISTED) != 0;
    }

    /** The status of a removed file that holds data after it was taken off its list. */
    public static long asUnlisted(long status) {
        return status | UNLISTED;
    }

    /** The status that a DELETED object would have had before its end, in another state. */
    public static long revived(long status, int state) {
        return withState(status & ~(NO_DATA | UNLISTED), state);
    }

    /** The same object in another state. */
    public static long withState(long status, int state) {
        return (status & ~0xffL) | state;
    }

    /** The status word, with acquire order: what it promises can be read after it. */
    public static long status(Pmem pmem, long at) {
        return pmem.getAcquire(at + STATUS_OFFSET);
    }

    public static int state(Pmem pmem, long at) {
        return state(pmem.getAcquire(at + STATUS_OFFSET));
    }

    public static void setState(Pmem pmem, long at, int state) {
        pmem.setRelease(at + STATUS_OFFSET, withState(pmem.get(at + STATUS_OFFSET), state));
    }

    public static long death(Pmem pmem, long at) {
        return pmem.getAcquire(at + DEATH_OFFSET);
    }

    public static long sibling(Pmem pmem, long at) {
        return pmem.getAcquire(at + SIBLING_OFFSET);
    }

    public static long birth(Pmem pmem, long at) {
        return pmem.getAcquire(at + BIRTH_OFFSET);
    }

    public static long link(Pmem pmem, long at) {
        return pmem.getAcquire(at + LINK_OFFSET);
    }

    public static long parent(Pmem pmem, long at) {
        return pmem.get(at + PARENT_OFFSET);
    }

    public static long id(Pmem pmem, long at) {
        return pmem.get(at + ID_OFFSET);
    }

    /** The word that leads to the chain; with acquire order: what it points at can be read after it. */
    public static long links(Pmem pmem, long at) {
        return pmem.getAcquire(at + LINKS_OFFSET);
    }

    /** {@link #LINKS_PLAIN} or {@link #LINKS_WITH_MODE}. */
    public static int form(long links) {
        return (int) (links & FORM_MASK);
    }

    /** Whether the chain has an access control list. */
    public static boolean acl(long links) {
        return (links & LINKS_ACL) != 0;
    }

    /** The mode that a links word has, if it has one. */
    public static int mode(long links) {
        return (int) ((links & LINKS_MODE_MASK) >>> LINKS_MODE_SHIFT);
    }

    /** What the mode is, by both words that can have it: ctime read before links, and the same afterwards. */
    public static int mode(long links, long ctime) {
        return form(links) == LINKS_WITH_MODE ? mode(links) : Ctime.mode(ctime);
    }

    /** Another chain with or without an access control list, and the mode that goes with it. */
    public static long withAcl(long links, long chain, boolean acl, int mode) {
        return (settled(withChain(links, chain)) & ~(LINKS_ACL | FORM_MASK))
                | (acl ? LINKS_ACL : 0)
                | (long) mode << LINKS_MODE_SHIFT
                | LINKS_WITH_MODE;
    }

    /** The same chain, whose mode has its place in the ctime word by now. */
    public static long settled(long links) {
        return (links & ~(FORM_MASK | LINKS_MODE_MASK)) | LINKS_PLAIN;
    }

    /** The same word with this said of the chain. */
    public static long markAcl(long links, boolean acl) {
        return acl ? links | LINKS_ACL : links & ~LINKS_ACL;
    }

    /** The head of the object's chain, or {@code Pmem.NULL}. */
    public static long chain(long links) {
        return (links & CHAIN_MASK) >>> CHAIN_SHIFT;
    }

    /** The same with another chain. */
    public static long withChain(long links, long chain) {
        return (links & ~CHAIN_MASK) | chain << CHAIN_SHIFT;
    }

    /** Leads an object that no thread reaches yet to no chain. */
    public static void clearChain(Pmem pmem, long at) {
        pmem.set(at + LINKS_OFFSET, markAcl(withChain(pmem.get(at + LINKS_OFFSET), Pmem.NULL), false));
    }

    /** Stores a name, padded to whole words. */
    public static void setName(Pmem pmem, long at, Name name) {
        int words = name.words();
        for (int i = 0; i < words; i++) {
            pmem.set(at + NAME_OFFSET + 8L * i, name.word(i));
        }
    }

    /** Whether the object whose status word this is stands under (parent, name). */
    public static boolean hasKey(Pmem pmem, long at, long status, long parent, Name name) {
        if (nameLength(status) != name.length() || pmem.get(at + PARENT_OFFSET) != parent || !isEntry(status)) {
            return false;
        }
        int words = name.words();
        for (int i = 0; i < words; i++) {
            if (pmem.get(at + NAME_OFFSET + 8L * i) != name.word(i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a name of such a length can stand there: else its length is damage. */
    public static boolean hasName(Pmem pmem, long at, long status) {
        int length = nameLength(status);
        return length <= SHORT_NAME_MAX || (length <= Name.LENGTH_MAX && at + LONG_SIZE <= pmem.size());
    }

    /** Reads the name into a caller's buffer; a length out of range is damage. */
    public static void name(Pmem pmem, long at, long status, Name into) {
        int length = nameLength(status);
        if (length > Name.LENGTH_MAX) {
            throw new CorruptPoolException(at, "a name of at most " + Name.LENGTH_MAX + " bytes", length);
        }
        int words = (length + 7) >>> 3;
        for (int i = 0; i < words; i++) {
            into.setWord(i, pmem.get(at + NAME_OFFSET + 8L * i));
        }
        into.sealWords(length);
    }
}
