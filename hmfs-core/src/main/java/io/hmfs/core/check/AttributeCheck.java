package io.hmfs.core.check;

import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Pmem;

/** The attributes of an entry, as far as anything tells which values they can have: sizes, modes and users can be any. */
final class AttributeCheck {
    /** A number of a user or of a group has 31 bits. */
    private static final long OWNER_RESERVED = 0x8000_0000_8000_0000L;

    /** How far a ctime may be ahead of the clock: a unit for each change that came faster than units do. */
    private static final long CTIME_AHEAD_NANOS = 3_600_000_000_000L;

    private final PoolView view;
    private final Pmem pmem;

    private AttributeCheck(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
    }

    /** Checks those of one live entry. */
    static void run(PoolView view, long at) {
        new AttributeCheck(view).attributes(at);
    }

    /** Names are compared and hashed a word at a time. */
    static void padding(PoolView view, long at, int length) {
        if (length % 8 != 0 && length <= view.nameMax(at)) {
            long last = at + EntryRecord.NAME_OFFSET + (length & ~7);
            long right = view.pmem.get(last) & ((1L << (length % 8 * 8)) - 1);
            if (view.pmem.get(last) != right) {
                view.findings.damage(
                        last,
                        view.describe(at),
                        "zeros behind the name",
                        "others",
                        "store zeros",
                        () -> view.store(last, right));
            }
        }
    }

    private void attributes(long at) {
        time(at, EntryRecord.MTIME_OFFSET, "mtime", pmem.get(at + EntryRecord.MTIME_OFFSET), view.future, born(at));
        long ctime = pmem.get(at + EntryRecord.CTIME_OFFSET);
        long right = Ctime.of(born(at), Ctime.mode(ctime));
        time(at, EntryRecord.CTIME_OFFSET, "ctime", Ctime.time(ctime), view.future + CTIME_AHEAD_NANOS, right);
        long setAt = pmem.get(at + EntryRecord.SET_AT_OFFSET) & ~EntryRecord.SET_AT_DIRTY;
        if (setAt >= view.future) {
            damage(
                    at + EntryRecord.SET_AT_OFFSET,
                    at,
                    "a time that was issued",
                    "times set at " + setAt,
                    "forget the times that were set",
                    () -> view.store(at + EntryRecord.SET_AT_OFFSET, 0));
        }
        long owner = pmem.get(at + EntryRecord.OWNER_OFFSET);
        if ((owner & OWNER_RESERVED) != 0) {
            damage(
                    at + EntryRecord.OWNER_OFFSET,
                    at,
                    "an owner",
                    "0x" + Long.toHexString(owner),
                    "clear the bits that mean nothing",
                    () -> view.store(at + EntryRecord.OWNER_OFFSET, owner & ~OWNER_RESERVED));
        }
        ChainCheck.owner(view, at);
        long links = EntryRecord.links(pmem, at);
        int form = EntryRecord.form(links);
        boolean plain = form == EntryRecord.LINKS_PLAIN && EntryRecord.mode(links) == 0;
        if (!plain && form != EntryRecord.LINKS_WITH_MODE) {
            damage(
                    at + EntryRecord.LINKS_OFFSET,
                    at,
                    "a word that leads to a chain",
                    "0x" + Long.toHexString(links),
                    "store it without a mode",
                    () -> view.store(at + EntryRecord.LINKS_OFFSET, EntryRecord.settled(links)));
        }
    }

    private long born(long at) {
        long birth = EntryRecord.birth(pmem, at);
        return birth > 0 && birth < view.future ? birth : 0;
    }

    private void time(long at, long offset, String what, long time, long end, long right) {
        if (time < 0 || time >= end) {
            damage(
                    at + offset,
                    at,
                    "a time that was issued",
                    what + " " + time,
                    "store the time of its birth",
                    () -> view.store(at + offset, right));
        }
    }

    private void damage(long field, long at, String expected, String found, String action, Runnable repair) {
        view.findings.damage(field, view.describe(at), expected, found, action, repair);
    }
}
