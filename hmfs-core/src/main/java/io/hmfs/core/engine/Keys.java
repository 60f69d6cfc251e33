package io.hmfs.core.engine;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;

/**
 * 64-bit hashes of index keys: (parent id, name) for entries, id for directory contents and inodes (HMFS Table 2). Multiply-and-fold over
 * words, seeded per pool so that no client can prepare collisions.
 */
public final class Keys {
    private static final long WORD_FACTOR = 0x9E3779B97F4A7C15L;
    private static final long PARENT_FACTOR = 0xD6E8FEB86659FD93L;
    private static final long CONTENT_FACTOR = 0xA0761D6478BD642FL;
    private static final long END_FACTOR = 0xE7037ED1A0B428DBL;

    private final Pmem pmem;
    private final long seed;

    public Keys(Pmem pmem, long seed) {
        this.pmem = pmem;
        this.seed = seed;
    }

    public long ofEntry(long parent, Name name) {
        long hash = ofParent(parent);
        int words = name.words();
        for (int i = 0; i < words; i++) {
            hash = fold(hash ^ name.word(i), WORD_FACTOR);
        }
        return end(hash, name.length());
    }

    public long ofContent(long id) {
        return end(fold(seed ^ id, CONTENT_FACTOR), 0);
    }

    /** Of an inode, which is told from a directory's content by its kind: no two objects have one id. */
    public long ofInode(long id) {
        return ofContent(id);
    }

    /** Whether the object at {@code at}, with this status word, which it may have left meanwhile, has the id and the key with which it was made, as far as is known. */
    public boolean fitsObject(long at, long status) {
        if (EntryRecord.check(status) == EntryRecord.NO_CHECK) {
            return true;
        }
        return EntryRecord.hasName(pmem, at, status) && EntryRecord.fits(pmem, at, status, ofObject(at, status));
    }

    /** The hash of the key that stands in the object at {@code at}; its status word has been seen. */
    public long ofObject(long at) {
        return ofObject(at, EntryRecord.status(pmem, at));
    }

    private long ofObject(long at, long status) {
        if (EntryRecord.kind(status) == EntryRecord.KIND_CONTENT) {
            return ofContent(DirContentRecord.id(pmem, at));
        }
        if (EntryRecord.kind(status) == EntryRecord.KIND_INODE) {
            return ofInode(EntryRecord.id(pmem, at));
        }
        return ofName(ofParent(EntryRecord.parent(pmem, at)), at, status);
    }

    /** The part of a key's hash that all entries of a directory have in common. */
    public long ofParent(long parent) {
        return fold(seed ^ parent, PARENT_FACTOR);
    }

    /** The hash of the key of the entry at {@code at}, from {@link #ofParent} on. */
    public long ofName(long ofParent, long at, long status) {
        int length = EntryRecord.nameLength(status);
        int words = (Math.min(length, Name.LENGTH_MAX) + 7) >>> 3;
        long hash = ofParent;
        for (int i = 0; i < words; i++) {
            hash = fold(hash ^ pmem.get(at + EntryRecord.NAME_OFFSET + 8L * i), WORD_FACTOR);
        }
        return end(hash, length);
    }

    private long end(long hash, int length) {
        return fold(hash ^ seed ^ length, END_FACTOR);
    }

    /** Both halves of the product, mixed: every input bit reaches every output bit. */
    private static long fold(long value, long factor) {
        long salted = value ^ factor;
        return Math.unsignedMultiplyHigh(salted, factor) ^ (salted * factor);
    }
}
