package io.hmfs.core.engine;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Chains of slots, each holding one immutable blob of one object. Made whole and durable before the object's {@code links} word
 * points at it, freed after the word has durably left it, and for readers only after their epoch (I5). A chain has one owner all
 * its life: an object that is relocated by a rename gets a copy, so that no back reference ever changes.
 */
public final class Chains {
    private static final int SLOTS_MAX = slots(BlobRecord.SIZE_MAX);

    private final Pmem pmem;
    private final Clock clock;
    private final Regions regions;
    private final SlotAllocator longSlots;

    /** {@code longSlots}: those that chains are made of, of the size of long entries. */
    Chains(Pmem pmem, Clock clock, Regions regions, SlotAllocator longSlots) {
        this.pmem = pmem;
        this.clock = clock;
        this.regions = regions;
        this.longSlots = longSlots;
    }

    private static int slots(int length) {
        return (length + ChainRecord.DATA_SIZE - 1) / ChainRecord.DATA_SIZE;
    }

    /** CRC32C over the owner's offset and the blob: a chain that was swung into a foreign object is told, too. */
    private static int checksum(long owner, byte[] blob) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (owner >>> shift));
        }
        crc.update(blob, 0, blob.length);
        return (int) crc.getValue();
    }

    /**
     * Makes a chain that holds a blob of at least one byte; everything is written back, nothing fenced. {@code Pmem.NULL} when
     * there is no room. The caller has pinned an epoch.
     */
    public long make(long owner, byte[] blob) {
        long serial = clock.next();
        long[] slots = new long[slots(blob.length)];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = longSlots.allocate();
            if (slots[i] == Pmem.NULL) {
                giveBack(slots, i);
                return Pmem.NULL;
            }
        }
        for (int i = slots.length - 1; i >= 0; i--) {
            int from = i * ChainRecord.DATA_SIZE;
            int count = Math.min(ChainRecord.DATA_SIZE, blob.length - from);
            long rest = i + 1 < slots.length ? slots[i + 1] : Pmem.NULL;
            long word = i == 0 ? ChainRecord.blob(blob.length, checksum(owner, blob)) : 0;
            pmem.copyIn(blob, from, slots[i] + ChainRecord.DATA_OFFSET, count);
            ChainRecord.init(pmem, slots[i], serial, rest, slots[0], owner, word);
            // [chain.1] I2: the blob is durable before anything points at it; fenced by the caller.
            pmem.writeBack(slots[i], ChainRecord.DATA_OFFSET + count);
        }
        return slots[0];
    }

    /** Slots that no other thread has seen. */
    private void giveBack(long[] slots, int count) {
        for (int i = 0; i < count; i++) {
            longSlots.release(slots[i]);
        }
    }

    /**
     * Reads the blob of a chain that was an object's after the caller had pinned its epoch; anything but the whole blob is damage.
     */
    public byte[] read(long head) {
        long word = ChainRecord.blob(pmem, head);
        int length = ChainRecord.length(word);
        if (length <= 0 || length > BlobRecord.SIZE_MAX) {
            throw new CorruptPoolException(head, "a blob of 1 to " + BlobRecord.SIZE_MAX + " bytes", length);
        }
        byte[] blob = new byte[length];
        long at = head;
        for (int from = 0; from < length; from += ChainRecord.DATA_SIZE) {
            if (at == Pmem.NULL) {
                throw new CorruptPoolException(head, "a chain of " + slots(length) + " slots", from);
            }
            pmem.copyOut(at + ChainRecord.DATA_OFFSET, blob, from, Math.min(ChainRecord.DATA_SIZE, length - from));
            at = ChainRecord.rest(pmem, at);
        }
        int checksum = checksum(ChainRecord.owner(pmem, head), blob);
        if (checksum != ChainRecord.checksum(word)) {
            throw new CorruptPoolException(head, "checksum " + ChainRecord.checksum(word), checksum);
        }
        if (!BlobRecord.isWhole(blob)) {
            throw new CorruptPoolException(head, "records that fill the blob", length);
        }
        return blob;
    }

    /** Makes a copy of an object's chain for the slot that the object moves to, and that no thread reaches yet; false: no room. */
    public boolean copy(long from, long to) {
        EntryRecord.clearChain(pmem, to);
        byte[] blob = blobOf(from);
        if (blob == null) {
            return true;
        }
        long head = make(to, blob);
        long links = EntryRecord.withChain(EntryRecord.links(pmem, to), head);
        boolean acl = EntryRecord.acl(EntryRecord.links(pmem, from));
        pmem.set(to + EntryRecord.LINKS_OFFSET, EntryRecord.markAcl(links, acl));
        return head != Pmem.NULL;
    }

    /** The blob of the object at {@code at}, or null; the caller holds the object still. */
    public byte @Nullable [] blobOf(long at) {
        long head = EntryRecord.chain(EntryRecord.links(pmem, at));
        return head == Pmem.NULL ? null : read(head);
    }

    /**
     * Frees a chain, if there is one, that its owner has durably left, or that nothing ever pointed at. The head goes last: until then the chain
     * of an object that goes as a whole still has an owner, and the background scan keeps off. The caller has pinned an epoch,
     * so what the scan frees at the same time is not reused under our eyes.
     */
    public void free(long head) {
        if (head == Pmem.NULL) {
            return;
        }
        long serial = ChainRecord.serial(pmem, head);
        long at = ChainRecord.rest(pmem, head);
        for (int i = 1; i < SLOTS_MAX && at != Pmem.NULL && isOrWasOf(at, serial); i++) {
            long rest = ChainRecord.rest(pmem, at);
            freeSlot(at, serial);
            at = rest;
        }
        freeSlot(head, serial);
    }

    /** False for a slot that an earlier start has freed and this one reused: then the scan finds what is behind it. */
    private boolean isOrWasOf(long at, long serial) {
        return ChainRecord.isOf(pmem, at, serial)
                || (EntryRecord.state(pmem, at) == SlotState.FREE && EntryRecord.death(pmem, at) >= clock.start());
    }

    /** Frees one slot, once: of several threads the first. */
    public void freeSlot(long at, long serial) {
        if (ChainRecord.free(pmem, at, serial, clock.next())) {
            longSlots.retire(at);
        }
    }

    /** Frees the chain of an object that is about to be free itself, if it has one that is its own. */
    void freeOf(long entry) {
        long head = EntryRecord.chain(EntryRecord.links(pmem, entry));
        if (head != Pmem.NULL && isOwned(head, entry)) {
            free(head);
        }
    }

    /**
     * What a crash left of an object may name a slot that is not its chain any more, or nothing at all: if its first line alone was
     * kept, the rest is what stood in the slot before, data of a chain perhaps.
     */
    private boolean isOwned(long head, long entry) {
        return regions.isEntrySlot(head)
                && ChainRecord.isOf(pmem, head, ChainRecord.serial(pmem, head))
                && ChainRecord.head(pmem, head) == head
                && ChainRecord.owner(pmem, head) == entry;
    }

    /** Whether the links word of an object that is not free leads to the head of the chain that this slot is of. */
    public boolean isReached(long at, long serial) {
        long head = ChainRecord.head(pmem, at);
        long owner = ChainRecord.owner(pmem, at);
        long status = EntryRecord.status(pmem, owner);
        return ChainRecord.isOf(pmem, head, serial)
                && EntryRecord.state(status) != SlotState.FREE
                && (EntryRecord.isEntry(status) || EntryRecord.kind(status) == EntryRecord.KIND_INODE)
                && EntryRecord.chain(EntryRecord.links(pmem, owner)) == head;
    }
}
