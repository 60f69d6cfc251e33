package io.hmfs.core.check;

import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.zip.CRC32C;

/** What objects have without a bound: each chain is whole and is its owner's, and each slot of one is reached. */
final class ChainCheck {
    private ChainCheck() {}

    /** The chain of one live object, if it has one. */
    static void owner(PoolView view, long at) {
        Pmem pmem = view.pmem;
        long links = EntryRecord.links(pmem, at);
        long head = EntryRecord.chain(links);
        if (head == Pmem.NULL || isWhole(view, at, head)) {
            return;
        }
        if (EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_SYMLINK) {
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
                () -> view.store(at + EntryRecord.LINKS_OFFSET, EntryRecord.withChain(links, Pmem.NULL)));
    }

    private static boolean isWhole(PoolView view, long owner, long head) {
        Pmem pmem = view.pmem;
        if (!view.isChain(head) || ChainRecord.owner(pmem, head) != owner || ChainRecord.head(pmem, head) != head) {
            return false;
        }
        long word = ChainRecord.blob(pmem, head);
        int length = ChainRecord.length(word);
        if (length <= 0 || length > BlobRecord.SIZE_MAX) {
            return false;
        }
        byte[] blob = new byte[length];
        long serial = ChainRecord.serial(pmem, head);
        long at = head;
        for (int from = 0; from < length; from += ChainRecord.DATA_SIZE) {
            if (!view.isChain(at) || ChainRecord.serial(pmem, at) != serial || ChainRecord.head(pmem, at) != head) {
                return false;
            }
            pmem.copyOut(at + ChainRecord.DATA_OFFSET, blob, from, Math.min(ChainRecord.DATA_SIZE, length - from));
            at = ChainRecord.rest(pmem, at);
        }
        return checksum(owner, blob) == ChainRecord.checksum(word) && BlobRecord.isWhole(blob);
    }

    private static int checksum(long owner, byte[] blob) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (owner >>> shift));
        }
        crc.update(blob, 0, blob.length);
        return (int) crc.getValue();
    }

    /** One slot of a chain: its head's owner leads to that head, or the next start frees it. */
    static void slot(PoolView view, long at) {
        Pmem pmem = view.pmem;
        view.findings.count("slots of chains", 1);
        long head = ChainRecord.head(pmem, at);
        long owner = ChainRecord.owner(pmem, at);
        boolean reached = view.isChain(head)
                && ChainRecord.serial(pmem, head) == ChainRecord.serial(pmem, at)
                && view.isEntry(owner)
                && (view.isInode(owner) || view.isEntryStatus(owner))
                && EntryRecord.chain(EntryRecord.links(pmem, owner)) == head;
        if (reached) {
            return;
        }
        if (view.isEntry(owner) && view.isEntry(head)) {
            view.findings.pending(
                    at, view.describe(at), "an owner that leads to it", "none", "the next start frees it");
        } else {
            // A scan would follow these offsets.
            view.findings.damage(
                    at, view.describe(at), "offsets of its head and its owner", "others", "free it", () -> {
                        view.store(at + ChainRecord.SERIAL_OFFSET, 0);
                        view.store(at, 0);
                    });
        }
    }
}
