package io.hmfs.core.check;

import io.hmfs.core.engine.IdSource;
import io.hmfs.core.engine.Keys;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.DirectoryEntry;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A pool as a check sees it: which offsets are slots, and what a slot may hold. The regions are those of the table, corrected where
 * it is damaged, so that one wrong word does not hide what stands behind it.
 */
final class PoolView {
    static final long LIVE_CONTENT = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CONTENT, 0);

    static final long LIVE_INODE = EntryRecord.inodeStatus(SlotState.NORMAL, EntryRecord.KIND_FILE);

    static final long LIVE_CHAIN = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CHAIN, 0);

    /** Bits of a status word that mean something, without the check: state, kind, length of the name, took another's place. */
    private static final long STATUS_BITS = 0x1_01ff_ffffL;

    /** The same of a DELETED object: without data, unlisted. */
    private static final long DELETED_BITS = STATUS_BITS | 0x6_0000_0000L;

    private static final long ROOT_ID = 1;

    /** Directories of a path that is told. */
    private static final int DEPTH_MAX = 1000;

    final PoolFile file;
    final Pmem pmem;
    final long header;
    final long regionSize;
    final Findings findings;
    final Progress progress;
    private long[] at = new long[0];
    private RegionKind[] kinds = new RegionKind[0];
    private int[] startsIn = new int[0];

    /** Of the pool's seed, once that is known. */
    Keys keys;

    /** No time in the pool is as late as this; a little later than the lease of the clock, which times that are rounded may pass. */
    long future = Long.MAX_VALUE;

    /** The lease of the clock, as it was or as it is repaired: where the next start begins at the earliest. */
    long lease = Long.MAX_VALUE;

    /** Whether removed files that hold data and are on no list are where they belong: a start knows of them, or has told the next one. */
    boolean knowsRemoved;

    /** Leads from the id of a directory to its content, or {@code Pmem.NULL}, once the index is known: then what is found is named by its path. */
    LongUnaryOperator contentOf = _ -> Pmem.NULL;

    private final Function<PoolView, Repairs> opener;
    private @Nullable Repairs repairs;

    /** {@code opener} makes the repairs when the first one is needed. */
    PoolView(PoolFile file, Findings findings, Progress progress, Function<PoolView, Repairs> opener) {
        this.file = file;
        this.pmem = file.pmem();
        this.header = file.header();
        this.regionSize = file.regionSize();
        this.findings = findings;
        this.progress = progress;
        this.opener = opener;
        this.keys = new Keys(pmem, 0);
    }

    /** Takes the regions over; none overlaps another. */
    void regions(long[] starts, RegionKind[] ofKind) {
        at = starts;
        kinds = ofKind;
        startsIn = new int[(int) (pmem.size() / regionSize) + 1];
        Arrays.fill(startsIn, -1);
        for (int i = 0; i < at.length; i++) {
            startsIn[(int) (at[i] / regionSize)] = i;
        }
    }

    int regions() {
        return at.length;
    }

    long regionAt(int region) {
        return at[region];
    }

    /** Where the last region ends. */
    long end() {
        return Arrays.stream(at).max().orElse(0) + regionSize;
    }

    RegionKind kind(int region) {
        return kinds[region];
    }

    /** The first region of a kind, or -1. */
    int firstOf(RegionKind kind) {
        return Arrays.asList(kinds).indexOf(kind);
    }

    /** The region that an offset lies in, or -1. */
    int regionOf(long offset) {
        if (offset <= 0 || offset >= pmem.size()) {
            return -1;
        }
        int which = (int) (offset / regionSize);
        int region = startsIn[which];
        if (region >= 0 && at[region] <= offset) {
            return region;
        }
        region = which == 0 ? -1 : startsIn[which - 1];
        return region >= 0 && offset < at[region] + regionSize ? region : -1;
    }

    int slotsOf(int region) {
        return (int) (regionSize / kinds[region].slotSize());
    }

    int slot(int region, long offset) {
        return (int) ((offset - at[region]) / kinds[region].slotSize());
    }

    /** The most that the region of the index's directory has room for. */
    int depthMax() {
        return Long.numberOfTrailingZeros(Long.highestOneBit(regionSize / DirectoryEntry.SIZE));
    }

    /** Whether an id is of this format's one partition. */
    static boolean isIdNumber(long id) {
        return id > 0 && id >>> IdSource.PARTITION_SHIFT == 0;
    }

    static boolean holdsEntries(RegionKind kind) {
        return kind == RegionKind.ENTRY_SLOTS || kind == RegionKind.LONG_ENTRY_SLOTS;
    }

    private boolean isSlot(int region, long offset) {
        long size = kinds[region].slotSize();
        return (offset - at[region]) % size == 0 && offset + size <= at[region] + regionSize;
    }

    boolean isEntry(long offset) {
        int region = regionOf(offset);
        return region >= 0 && holdsEntries(kinds[region]) && isSlot(region, offset);
    }

    boolean isContent(long offset) {
        int region = regionOf(offset);
        return region >= 0 && kinds[region] == RegionKind.CONTENT_SLOTS && isSlot(region, offset);
    }

    /** Shows every slot of one kind, free ones too. */
    void eachSlot(String pass, RegionKind kind, LongConsumer visitor) {
        for (int region = 0; region < at.length; region++) {
            if (kinds[region] == kind) {
                progress.at(pass, region, at.length);
                long size = kind.slotSize();
                for (long slot = at[region]; slot + size <= at[region] + regionSize; slot += size) {
                    visitor.accept(slot);
                }
            }
        }
    }

    void eachEntry(String pass, LongConsumer visitor) {
        eachSlot(pass, RegionKind.ENTRY_SLOTS, visitor);
        eachSlot(pass, RegionKind.LONG_ENTRY_SLOTS, visitor);
    }

    int nameMin(long entry) {
        return kinds[regionOf(entry)] == RegionKind.ENTRY_SLOTS ? 0 : EntryRecord.SHORT_NAME_MAX + 1;
    }

    int nameMax(long entry) {
        return kinds[regionOf(entry)] == RegionKind.ENTRY_SLOTS ? EntryRecord.SHORT_NAME_MAX : Name.LENGTH_MAX;
    }

    /** Whether a status word that is not 0 can be one of an entry in a slot of this kind. */
    static boolean isEntryStatus(long status, RegionKind kind) {
        int state = EntryRecord.state(status);
        int length = EntryRecord.nameLength(status);
        boolean fits = kind == RegionKind.ENTRY_SLOTS
                ? length <= EntryRecord.SHORT_NAME_MAX
                : length > EntryRecord.SHORT_NAME_MAX && length <= Name.LENGTH_MAX;
        return fits
                && state >= SlotState.CREATING
                && state <= SlotState.REPLACED
                && isKind(EntryRecord.kind(status))
                && (withoutCheck(status) & ~(state == SlotState.DELETED ? DELETED_BITS : STATUS_BITS)) == 0;
    }

    /** The kinds of entries; what a format adds belongs here and into {@link EntryCheck}. */
    private static boolean isKind(int kind) {
        return kind == EntryRecord.KIND_FILE
                || kind == EntryRecord.KIND_DIRECTORY
                || kind == EntryRecord.KIND_INDIRECT
                || kind == EntryRecord.KIND_SYMLINK;
    }

    /** Whether a status word that is not 0 can be one of whatever stands in slots of this kind. */
    static boolean isSlotStatus(long status, RegionKind kind) {
        return isEntryStatus(status, kind)
                || (kind == RegionKind.ENTRY_SLOTS && (isInodeStatus(status) || isDeadInodeStatus(status)))
                || (kind == RegionKind.LONG_ENTRY_SLOTS && status == LIVE_CHAIN);
    }

    /** Whether an inode stands in this slot for entries. */
    boolean isInode(long slot) {
        return isEntry(slot)
                && kinds[regionOf(slot)] == RegionKind.ENTRY_SLOTS
                && isInodeStatus(EntryRecord.status(pmem, slot));
    }

    /** Whether the inode of a removed file stands in this slot, whose data has still to be removed. */
    boolean isDeadInode(long slot) {
        return isEntry(slot)
                && kinds[regionOf(slot)] == RegionKind.ENTRY_SLOTS
                && isDeadInodeStatus(EntryRecord.status(pmem, slot));
    }

    private static boolean isDeadInodeStatus(long status) {
        return EntryRecord.revived(withoutCheck(status), SlotState.NORMAL) == LIVE_INODE
                && EntryRecord.state(status) == SlotState.DELETED;
    }

    private static boolean isInodeStatus(long status) {
        long plain = withoutCheck(status);
        return plain == LIVE_INODE || plain == EntryRecord.inodeStatus(SlotState.NORMAL, EntryRecord.KIND_SYMLINK);
    }

    private static long withoutCheck(long status) {
        return EntryRecord.withCheck(status, EntryRecord.NO_CHECK);
    }

    /** Whether a part of what an object has without a bound stands in this slot. */
    boolean isChain(long slot) {
        return isEntry(slot)
                && kinds[regionOf(slot)] == RegionKind.LONG_ENTRY_SLOTS
                && EntryRecord.status(pmem, slot) == LIVE_CHAIN;
    }

    boolean isEntryStatus(long entry) {
        return isEntryStatus(EntryRecord.status(pmem, entry), kinds[regionOf(entry)]);
    }

    boolean isLiveContent(long content) {
        return EntryRecord.status(pmem, content) == LIVE_CONTENT;
    }

    boolean isDirectory(long entry) {
        return isEntryStatus(entry) && EntryRecord.kind(EntryRecord.status(pmem, entry)) == EntryRecord.KIND_DIRECTORY;
    }

    /** A directory that a stat shows, with this id. */
    boolean isLiveDirectory(long entry, long id) {
        return isEntry(entry)
                && isDirectory(entry)
                && EntryRecord.state(pmem, entry) == SlotState.NORMAL
                && EntryRecord.id(pmem, entry) == id;
    }

    /** The first so many bytes of a name, which the slot has room for. */
    Name name(long entry, int length) {
        Name name = new Name();
        pmem.copyOut(entry + EntryRecord.NAME_OFFSET, name.buffer(), 0, length);
        name.seal(length);
        return name;
    }

    /** The name of an entry, as far as it fits its slot. */
    Name name(long entry) {
        return name(entry, Math.min(EntryRecord.nameLength(EntryRecord.status(pmem, entry)), nameMax(entry)));
    }

    boolean isValidName(long entry, int length) {
        return length >= nameMin(entry)
                && length <= nameMax(entry)
                && (name(entry, length).check() == Status.OK || isOrphanDirectory(entry, length));
    }

    private boolean isOrphanDirectory(long entry, int length) {
        return EntryRecord.parent(pmem, entry) == ROOT_ID && name(entry, length).isOrphans();
    }

    /** The hash of the key that stands in a slot, whatever else does. */
    long hashOf(long slot) {
        if (isContent(slot)) {
            return keys.ofContent(DirContentRecord.id(pmem, slot));
        }
        if (isInode(slot) || isDeadInode(slot)) {
            return keys.ofInode(EntryRecord.id(pmem, slot));
        }
        return keys.ofEntry(EntryRecord.parent(pmem, slot), name(slot));
    }

    /** What stands in a slot, in words. */
    String describe(long slot) {
        if (isContent(slot)) {
            return "content of " + describeDirectory(DirContentRecord.id(pmem, slot));
        }
        if (isInode(slot)) {
            return "file of several names (id " + EntryRecord.id(pmem, slot) + ")";
        }
        if (isDeadInode(slot)) {
            return "removed file of several names (id " + EntryRecord.id(pmem, slot) + ")";
        }
        if (isChain(slot)) {
            return "part of a chain";
        }
        long status = EntryRecord.status(pmem, slot);
        if (!isEntryStatus(slot)) {
            return status == 0 ? "free slot" : "slot with status 0x" + Long.toHexString(status);
        }
        String kind = isDirectory(slot) ? "directory" : EntryRecord.isIndirect(status) ? "name" : "file";
        return kind + " '" + path(slot) + "' (id " + EntryRecord.id(pmem, slot) + ", in directory "
                + EntryRecord.parent(pmem, slot) + ")";
    }

    /** A directory by its id, and by its path if that is known. */
    String describeDirectory(long id) {
        return "directory " + id + (id == ROOT_ID || accessOf(id) != Pmem.NULL ? " ('" + pathOf(id, "") + "')" : "");
    }

    /** The path of an entry, up to the first directory that is not found. */
    String path(long entry) {
        return pathOf(EntryRecord.parent(pmem, entry), "/" + name(entry));
    }

    private String pathOf(long directory, String below) {
        StringBuilder path = new StringBuilder(below);
        long id = directory;
        for (int depth = 0; id != ROOT_ID && id != EntryCheck.ROOT_PARENT; depth++) {
            long access = depth < DEPTH_MAX ? accessOf(id) : Pmem.NULL;
            if (access == Pmem.NULL) {
                return path.substring(path.isEmpty() ? 0 : 1); // as if it began here
            }
            path.insert(0, "/" + name(access));
            id = EntryRecord.parent(pmem, access);
        }
        return path.isEmpty() ? "/" : path.toString();
    }

    private long accessOf(long directory) {
        long content = contentOf.applyAsLong(directory);
        long access = content == Pmem.NULL ? Pmem.NULL : DirContentRecord.access(pmem, content);
        return access != Pmem.NULL && isEntry(access) && isDirectory(access) ? access : Pmem.NULL;
    }

    /** Opened when the first repair needs them, after the index was seen to be whole. */
    Repairs repairs() {
        if (repairs == null) {
            repairs = opener.apply(this);
        }
        return repairs;
    }

    /** Whether the next start begins later than this time, which is not rounded. */
    boolean isIssued(long time) {
        return repairs == null ? time < lease : time <= repairs.now();
    }

    /** Ends what {@link #repairs} has begun. */
    void close() {
        if (repairs != null) {
            repairs.close();
        }
    }

    /** The check of what stands in a slot for entries, by its key and its id. */
    int checkOf(long slot) {
        return EntryRecord.check(hashOf(slot), EntryRecord.id(pmem, slot));
    }

    /** Stores the check that fits, durably. */
    void recheck(long slot) {
        store(slot, EntryRecord.withCheck(EntryRecord.status(pmem, slot), checkOf(slot)));
    }

    /** Gives an entry another id, durably. */
    void storeId(long entry, long id) {
        store(entry + EntryRecord.ID_OFFSET, id);
        recheck(entry);
    }

    /** Stores one word durably. */
    void store(long offset, long value) {
        pmem.setRelease(offset, value);
        pmem.persist(offset, 8);
    }
}
