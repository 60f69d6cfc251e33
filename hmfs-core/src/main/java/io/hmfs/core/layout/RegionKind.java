package io.hmfs.core.layout;

/** What a region holds: the low six bits of its word in the region table. Codes are pool format: append only. */
public enum RegionKind {
    CONTENT_SLOTS(1, DirContentRecord.SIZE),
    ENTRY_SLOTS(2, EntryRecord.SIZE),
    LONG_ENTRY_SLOTS(3, EntryRecord.LONG_SIZE),
    INDEX_DIRECTORY(4, 0),
    INDEX_SEGMENTS(5, 0),
    PRINCIPALS(6, 0),
    OUTCOMES(7, 0),
    RECORDS(8, TableRecord.SIZE);

    /** The bits of a region word that hold the kind. */
    public static final long MASK = 63;

    private static final RegionKind[] KINDS = values();

    private final int code;
    private final long slotSize;

    RegionKind(int code, long slotSize) {
        this.code = code;
        this.slotSize = slotSize;
    }

    public int code() {
        return code;
    }

    /** Bytes of a slot, 0 if the region is not cut into slots. */
    public long slotSize() {
        return slotSize;
    }

    /** The kind in a region word, which is checked: it comes from the pool. */
    public static RegionKind of(long at, long word) {
        int code = (int) (word & MASK);
        if (code < 1 || code > KINDS.length) {
            throw new CorruptPoolException(at, "a region kind 1–" + KINDS.length, code);
        }
        return KINDS[code - 1];
    }
}
