package io.hmfs.core.check;

import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** What objects have without a bound: each chain is whole and is its owner's, and each slot of one is reached. */
final class ChainCheck {
    private static final byte[] NOTHING = {};
    private static final int OTHERS_BITS = 077; // of all but the owner

    private ChainCheck() {}

    /**
     * Whether a live object is a symbolic link or a file, told by what its chain holds: only links have a target, and all do.
     * What it is said to be where the chain is damaged.
     */
    static int objectKind(PoolView view, long at, int said) {
        if (EntryRecord.chain(EntryRecord.links(view.pmem, at)) == Pmem.NULL) {
            return EntryRecord.KIND_FILE;
        }
        byte[] blob = blob(view, at);
        if (blob == null) {
            return said;
        }
        return hasTarget(blob) ? EntryRecord.KIND_SYMLINK : EntryRecord.KIND_FILE;
    }

    private static boolean hasTarget(byte[] blob) {
        for (int at = 0; at < blob.length; at += BlobRecord.size(blob, at)) {
            if (BlobRecord.type(BlobRecord.head(blob, at)) == BlobRecord.TYPE_TARGET) {
                return true;
            }
        }
        return false;
    }

    /** The chain of one live object, if it has one. */
    static void owner(PoolView view, long at) {
        Pmem pmem = view.pmem;
        long links = EntryRecord.links(pmem, at);
        long head = EntryRecord.chain(links);
        if (head == Pmem.NULL) {
            acl(view, at, NOTHING);
            return;
        }
        byte[] blob = blob(view, at);
        if (blob != null) {
            acl(view, at, blob);
            backReferences(view, at, head, blob.length);
            return;
        }
        if (isSymlink(EntryRecord.status(pmem, at))) {
            view.findings.lost(
                    at + EntryRecord.LINKS_OFFSET,
                    view.describe(at),
                    "a target",
                    "a chain at 0x" + Long.toHexString(head) + " that is not whole",
                    "remove the link and make it again");
            return;
        }
        view.findings.damage(
                at + EntryRecord.LINKS_OFFSET,
                view.describe(at),
                "a whole chain of extended attributes",
                "0x" + Long.toHexString(head),
                "take it off: the extended attributes and the ACL of this object are lost",
                () -> {
                    forgetAcl(view, at);
                    view.store(
                            at + EntryRecord.LINKS_OFFSET,
                            EntryRecord.withChain(EntryRecord.links(pmem, at), Pmem.NULL));
                });
    }

    /** Whether the links word says that there is an ACL, and the blob has one that can be. */
    private static void acl(PoolView view, long at, byte[] blob) {
        long links = EntryRecord.links(view.pmem, at);
        boolean has = BlobRecord.acl(blob).length > 0;
        if (has && !EntryRecord.acl(links)) {
            view.findings.damage(
                    at + EntryRecord.LINKS_OFFSET,
                    view.describe(at),
                    "the word that says it has an ACL",
                    "0x" + Long.toHexString(links),
                    "store that it has one",
                    () -> view.store(at + EntryRecord.LINKS_OFFSET, EntryRecord.markAcl(links, true)));
        } else if (!has && EntryRecord.acl(links)) {
            view.findings.damage(
                    at + EntryRecord.LINKS_OFFSET,
                    view.describe(at),
                    "an ACL",
                    "none that can be one",
                    "store that it has none; the permissions of all but the owner, which it may have narrowed, are taken away",
                    () -> forgetAcl(view, at));
        }
    }

    /**
     * What the group may do was the mask, perhaps, which is more than the list may have granted it; and a user that the list denied more
     * than others have would be one of the others.
     */
    private static void forgetAcl(PoolView view, long at) {
        Pmem pmem = view.pmem;
        long links = EntryRecord.links(pmem, at);
        if (EntryRecord.acl(links)) {
            long ctime = pmem.get(at + EntryRecord.CTIME_OFFSET);
            long mode = EntryRecord.mode(links, ctime) & ~OTHERS_BITS;
            view.store(at + EntryRecord.CTIME_OFFSET, (ctime & ~Ctime.MODE_MAX) | mode);
            view.store(at + EntryRecord.LINKS_OFFSET, EntryRecord.settled(EntryRecord.markAcl(links, false)));
        }
    }

    private static boolean isSymlink(long status) {
        int kind = EntryRecord.kind(status);
        return (kind == EntryRecord.KIND_INODE ? EntryRecord.object(status) : kind) == EntryRecord.KIND_SYMLINK;
    }

    /** What the chain of an object holds that has one; null unless it is whole. */
    private static byte @Nullable [] blob(PoolView view, long owner) {
        Pmem pmem = view.pmem;
        long head = EntryRecord.chain(EntryRecord.links(pmem, owner));
        if (!view.isChain(head)) {
            return null;
        }
        long word = ChainRecord.blob(pmem, head);
        int length = ChainRecord.length(word);
        if (length <= 0 || length > BlobRecord.SIZE_MAX) {
            return null;
        }
        byte[] blob = new byte[length];
        long serial = ChainRecord.serial(pmem, head);
        long at = head;
        for (int from = 0; from < length; from += ChainRecord.DATA_SIZE) {
            if (!view.isChain(at) || !belongs(pmem, at, owner, head, serial)) {
                return null;
            }
            pmem.copyOut(at + ChainRecord.DATA_OFFSET, blob, from, Math.min(ChainRecord.DATA_SIZE, length - from));
            at = ChainRecord.rest(pmem, at);
        }
        boolean whole = checksum(owner, blob) == ChainRecord.checksum(word) && BlobRecord.isWhole(blob);
        return whole ? blob : null;
    }

    /** Whether a slot is one of a chain, of which one word may be damaged. */
    private static boolean belongs(Pmem pmem, long at, long owner, long head, long serial) {
        int right = (ChainRecord.owner(pmem, at) == owner ? 1 : 0)
                + (ChainRecord.head(pmem, at) == head ? 1 : 0)
                + (ChainRecord.serial(pmem, at) == serial ? 1 : 0);
        return right >= 2;
    }

    /** By what its slots say of themselves a start tells which of them to free. */
    private static void backReferences(PoolView view, long owner, long head, int length) {
        long serial = ChainRecord.serial(view.pmem, head);
        long at = head;
        for (int from = 0; from < length; from += ChainRecord.DATA_SIZE) {
            word(view, at, ChainRecord.SERIAL_OFFSET, "serial", serial);
            word(view, at, ChainRecord.HEAD_OFFSET, "head", head);
            word(view, at, ChainRecord.OWNER_OFFSET, "owner", owner);
            at = ChainRecord.rest(view.pmem, at);
        }
    }

    private static void word(PoolView view, long at, long offset, String what, long right) {
        long found = view.pmem.get(at + offset);
        if (found != right) {
            view.findings.damage(
                    at + offset,
                    view.describe(at),
                    what + " 0x" + Long.toHexString(right),
                    "0x" + Long.toHexString(found),
                    "store what the rest of the chain says",
                    () -> view.store(at + offset, right));
        }
    }

    private static int checksum(long owner, byte[] blob) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (owner >>> shift));
        }
        crc.update(blob, 0, blob.length);
        return (int) crc.getValue();
    }

    /** All slots of chains, after all objects have been seen and their chains put right. */
    static void slots(PoolView view) {
        view.eachSlot("chains", RegionKind.LONG_ENTRY_SLOTS, at -> {
            if (view.isChain(at)) {
                slot(view, at);
            }
        });
    }

    /** One slot of a chain: its head's owner leads to that head, or the next start frees it. */
    private static void slot(PoolView view, long at) {
        Pmem pmem = view.pmem;
        view.findings.count("slots of chains", 1);
        long head = ChainRecord.head(pmem, at);
        long owner = ChainRecord.owner(pmem, at);
        boolean reached = view.isChain(head)
                && ChainRecord.serial(pmem, head) == ChainRecord.serial(pmem, at)
                && view.isEntry(owner)
                && (view.isInode(owner) || view.isDeadInode(owner) || view.isEntryStatus(owner))
                && EntryRecord.chain(EntryRecord.links(pmem, owner)) == head;
        if (reached) {
            return;
        }
        // A start takes a slot with a later serial for one that it has made itself.
        boolean issued = ChainRecord.serial(pmem, at) < pmem.get(view.header + PoolHeader.CLOCK_LEASE_OFFSET);
        if (issued && view.isEntry(owner) && view.isEntry(head)) {
            view.findings.pending(
                    at, view.describe(at), "an owner that leads to it", "none", "the next start frees it");
        } else {
            // A scan would follow these offsets.
            view.findings.damage(
                    at, view.describe(at), "a serial, a head and an owner that can be", "others", "free it", () -> {
                        view.store(at + ChainRecord.SERIAL_OFFSET, 0);
                        view.store(at, 0);
                    });
        }
    }
}
