package io.hmfs.core.check;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.DirectoryEntry;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/**
 * Every word of the index: it leads to an object whose key belongs where the word stands. A word with some 26 bits of the hash of a
 * key also proves the key: where it fits no other word's object, and a key one bit away does, that bit is wrong.
 */
final class WordCheck {
    private final PoolView view;
    private final Pmem pmem;
    private final IndexView index;
    private final Marks marks;
    private long words;

    private WordCheck(PoolView view, IndexView index, Marks marks) {
        this.view = view;
        this.pmem = view.pmem;
        this.index = index;
        this.marks = marks;
    }

    static void run(PoolView view, IndexView index, Marks marks) {
        WordCheck check = new WordCheck(view, index, marks);
        long end = 1L << index.depth();
        for (long i = 0; i < end; i++) {
            long entry = index.entry(i);
            int local = DirectoryEntry.depth(entry);
            if (i >>> local == 0) {
                view.progress.at("index", i, end);
                check.segment(DirectoryEntry.segment(entry), i, local);
            }
        }
        view.findings.count("index words", check.words);
    }

    private void segment(long segment, long position, int local) {
        for (int bucket = 0; bucket < SegmentRecord.BUCKETS; bucket++) {
            long line = SegmentRecord.bucket(segment, bucket);
            for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
                long word = BucketRecord.load(pmem, line, slot);
                if (word != 0) {
                    words++;
                    word(line + ((long) slot << 3), word, new Place(position, local, bucket));
                }
            }
        }
    }

    /** Where a word stands: in which half of which halves, and in which bucket. */
    private record Place(long position, int local, int bucket) {
        boolean suits(long word, long hash) {
            return BucketRecord.fits(word, hash, bucket) && ((hash ^ position) & ((1L << local) - 1)) == 0;
        }
    }

    private void word(long at, long word, Place place) {
        long object = BucketRecord.offset(word);
        boolean content = view.isContent(object);
        if (!content && !view.isEntry(object)) {
            view.findings.damage(
                    at,
                    "index word",
                    "the offset of an object",
                    "0x" + Long.toHexString(word),
                    "clear it",
                    () -> view.store(at, 0));
            return;
        }
        long status = EntryRecord.status(pmem, object);
        if (place.suits(word, view.hashOf(object)) && status != 0) {
            int state = EntryRecord.state(status);
            marks.set(Marks.INDEXED, object);
            window(at, word, view.hashOf(object), place.local());
            if (state == SlotState.DELETED) {
                stale(at, object);
            } else if (!content && !view.isInode(object) && state == SlotState.NORMAL) {
                twin(object);
            }
        } else if (status == 0 || index.names(view.hashOf(object), object) || !correctKey(object, word, place)) {
            stale(at, object);
        } else {
            marks.set(Marks.INDEXED, object);
        }
    }

    /** Six more bits of the hash, by which a split goes; a split that was cut off may have changed some of them. */
    private void window(long at, long word, long hash, int local) {
        long right = BucketRecord.word(hash, BucketRecord.offset(word), local);
        if (word != right && !index.isSplitting()) {
            view.findings.damage(
                    at,
                    "index word of " + view.describe(BucketRecord.offset(word)),
                    "0x" + Long.toHexString(right),
                    "0x" + Long.toHexString(word),
                    "store the bits of its key's hash",
                    () -> view.store(at, right));
        }
    }

    private void stale(long at, long object) {
        view.findings.pending(
                at,
                "index word",
                "an object that lives under that key",
                view.describe(object),
                "the next start clears it");
    }

    /** Two live objects under one key; told once, at the one that stands behind. */
    private void twin(long object) {
        Name name = view.name(object);
        long parent = EntryRecord.parent(pmem, object);
        long other = index.find(
                view.keys.ofEntry(parent, name),
                at -> at < object
                        && view.isEntry(at)
                        && EntryRecord.state(pmem, at) == SlotState.NORMAL
                        && EntryRecord.hasKey(pmem, at, EntryRecord.status(pmem, at), parent, name));
        if (other != Pmem.NULL) {
            view.findings.damage(
                    object,
                    view.describe(object),
                    "one object of this name",
                    "another at 0x" + Long.toHexString(other),
                    "give it another name",
                    () -> view.repairs().renameInPlace(object, view.isDirectory(object)));
        }
    }

    private boolean correctKey(long object, long word, Place place) {
        if (object == RootCheck.content(view) || object == RootCheck.entry(view)) {
            return false; // where they stand tells their keys
        }
        if (view.isInode(object) || view.isDeadInode(object)) {
            return false; // its names tell its id
        }
        return view.isContent(object) ? correctId(object, word, place) : correctName(object, word, place);
    }

    private boolean correctId(long object, long word, Place place) {
        long id = DirContentRecord.id(pmem, object);
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long other = id ^ 1L << bit;
            boolean isAnId = PoolView.isIdNumber(other) && other != RootCheck.ROOT_ID;
            if (isAnId && place.suits(word, view.keys.ofContent(other))) {
                view.findings.damage(
                        object + DirContentRecord.ID_OFFSET,
                        view.describe(object),
                        "the id " + other + ", which its index word proves",
                        "" + id,
                        "store that id",
                        () -> view.store(object + DirContentRecord.ID_OFFSET, other));
                return true;
            }
        }
        return false;
    }

    private boolean correctName(long object, long word, Place place) {
        if (EntryRecord.state(pmem, object) == SlotState.CREATING) {
            return false; // the rest of its slot may never have come to be
        }
        long parent = EntryRecord.parent(pmem, object);
        for (int length = view.nameMin(object); length <= view.nameMax(object); length++) {
            if (view.isValidName(object, length)
                    && place.suits(word, view.keys.ofEntry(parent, view.name(object, length)))) {
                correctLength(object, length);
                return true;
            }
        }
        int length = EntryRecord.nameLength(EntryRecord.status(pmem, object));
        if (length < view.nameMin(object) || length > view.nameMax(object)) {
            return false;
        }
        Name name = view.name(object, length);
        for (int bit = 0; bit < 8 * length; bit++) {
            turn(name, bit);
            if (name.check() == Status.OK && place.suits(word, view.keys.ofEntry(parent, name))) {
                long at = object + EntryRecord.NAME_OFFSET + (bit >>> 6 << 3);
                long right = name.word(bit >>> 6);
                view.findings.damage(
                        at,
                        view.describe(object),
                        "the name '" + name + "', which its index word proves",
                        "'" + view.name(object, length) + "'",
                        "store that name",
                        () -> view.store(at, right));
                return true;
            }
            turn(name, bit);
        }
        return false;
    }

    private void correctLength(long object, int length) {
        long status = EntryRecord.status(pmem, object);
        int found = EntryRecord.nameLength(status);
        if (found != length && view.isEntryStatus(object)) { // else EntryCheck tells the whole word
            view.findings.damage(
                    object,
                    view.describe(object),
                    "a name of " + length + " bytes, which its index word proves",
                    found + " bytes",
                    "store that length",
                    () -> view.store(
                            object,
                            EntryRecord.withCheck(
                                    EntryRecord.status(EntryRecord.state(status), EntryRecord.kind(status), length),
                                    EntryRecord.check(status))));
        }
    }

    private static void turn(Name name, int bit) {
        name.buffer()[bit >>> 3] ^= (byte) (1 << (bit & 7));
    }
}
