package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import io.hmfs.core.type.XattrVisitor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Extended attributes and readlink: what stands in an object's chain, but for its ACL ({@link AclOp}). A change makes a new chain and swings
 * it in by one 8-byte CAS, under the locks of other changes of attributes, so that a rename, which holds the writer lock, copies a chain
 * that stands still; a change that loses the race against another begins again from the other's chain. Reads take no lock.
 */
final class ChainOps {
    private static final int VALUE_MAX = 1 << 16;

    /** No word of an object, whose count of names is at least 1. */
    private static final long LOST = 0;

    private final Engine engine;
    private final Pmem pmem;
    private final StatOp stat;
    private final AttributeOps attributes;

    ChainOps(Engine engine, StatOp stat, AttributeOps attributes) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.stat = stat;
        this.attributes = attributes;
    }

    Status setXattr(long parent, Name name, Name attribute, byte[] value, XattrMode mode, Change change) {
        Status valid = checkName(attribute);
        return valid != Status.OK ? valid : set(parent, name, attribute, value, mode, change);
    }

    Status getXattr(long parent, Name name, Name attribute, Bytes out) {
        Status valid = checkName(attribute);
        return valid != Status.OK ? valid : get(parent, name, attribute, out);
    }

    Status removeXattr(long parent, Name name, Name attribute, Change change) {
        Status valid = checkName(attribute);
        return valid != Status.OK
                ? valid
                : edit(parent, name, change, OutcomeRecord.ATTRIBUTE_REMOVED, removal(attribute));
    }

    Status listXattrs(long parent, Name name, List<Name> out) {
        return readXattrs(parent, name, (attribute, _) -> out.add(attribute));
    }

    Status readXattrs(long parent, Name name, XattrVisitor visitor) {
        return read(parent, name, (blob, _) -> {
            BlobEdit.showAttributes(blob, visitor);
            return Status.OK;
        });
    }

    Status readlink(long parent, Name name, Bytes out) {
        return read(parent, name, (blob, found) -> {
            if (!found.isSymlink()) {
                return Status.INVALID_ARGUMENT;
            }
            out.value = BlobEdit.value(blob, BlobEdit.find(blob, BlobRecord.TYPE_TARGET, BlobEdit.NO_NAME));
            return Status.OK;
        });
    }

    /** Any bytes but NUL: a slash or dots mean nothing here. */
    private static Status checkName(Name attribute) {
        if (attribute.length() > Name.LENGTH_MAX) {
            return Status.NAME_TOO_LONG;
        }
        for (int i = 0; i < attribute.length(); i++) {
            if (attribute.buffer()[i] == 0) {
                return Status.INVALID_NAME;
            }
        }
        return attribute.length() == 0 ? Status.INVALID_NAME : Status.OK;
    }

    /** What becomes of a blob; says it through {@code result}, and why not by a status. */
    private interface Edit {
        Status apply(byte[] blob, Bytes result);
    }

    private interface Reading {
        Status of(byte[] blob, Attributes found);
    }

    private Status set(long parent, Name name, Name attribute, byte[] value, XattrMode mode, Change change) {
        if (value.length > VALUE_MAX) {
            return Status.VALUE_TOO_LARGE;
        }
        return edit(parent, name, change, OutcomeRecord.ATTRIBUTE_SET, (blob, result) -> {
            int at = BlobEdit.find(blob, BlobRecord.TYPE_ATTRIBUTE, attribute);
            if (at != BlobEdit.NONE && mode == XattrMode.CREATE) {
                return Status.EXISTS;
            }
            if (at == BlobEdit.NONE && mode == XattrMode.REPLACE) {
                return Status.NO_ATTRIBUTE;
            }
            byte[] rest = at == BlobEdit.NONE ? blob : BlobEdit.without(blob, at);
            result.value = BlobEdit.with(rest, BlobRecord.TYPE_ATTRIBUTE, attribute, value);
            return result.value.length > BlobRecord.SIZE_MAX ? Status.VALUE_TOO_LARGE : Status.OK;
        });
    }

    private static Edit removal(Name attribute) {
        return (blob, result) -> {
            int at = BlobEdit.find(blob, BlobRecord.TYPE_ATTRIBUTE, attribute);
            if (at == BlobEdit.NONE) {
                return Status.NO_ATTRIBUTE;
            }
            result.value = BlobEdit.without(blob, at);
            return Status.OK;
        };
    }

    private Status get(long parent, Name name, Name attribute, Bytes out) {
        return read(parent, name, (blob, _) -> {
            int at = BlobEdit.find(blob, BlobRecord.TYPE_ATTRIBUTE, attribute);
            if (at == BlobEdit.NONE) {
                return Status.NO_ATTRIBUTE;
            }
            out.value = BlobEdit.value(blob, at);
            return Status.OK;
        });
    }

    /** Looks the object up as a stat does, and then its chain: one word, whose chain cannot go while the epoch is pinned. */
    private Status read(long parent, Name name, Reading reading) {
        Attributes found = new Attributes();
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                Status status = stat.find(parent, name, found);
                if (status != Status.OK) {
                    return status;
                }
                long at = engine.scratch().seen[0];
                long state = EntryRecord.status(pmem, at);
                boolean indirect = EntryRecord.isIndirect(state);
                long object = indirect ? engine.inodes.find(EntryRecord.id(pmem, at)) : at;
                if (object != Pmem.NULL) {
                    byte[] blob = blobOf(object);
                    // An inode goes on without this name: then its chain was not this name's.
                    if (!indirect || EntryRecord.status(pmem, at) == state) {
                        return reading.of(blob, found);
                    }
                }
                engine.locks.awaitOthers();
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /**
     * What an object found by a stat, in this epoch, has in its chain. It may be dead by now: then its word is what it was when it
     * died, after the stat, and neither its slot nor its chain is reused yet.
     */
    private byte[] blobOf(long at) {
        long links = EntryRecord.links(pmem, at);
        if (links < 0) {
            // [chain.5] I2, as [read.1]: the chain is durable, but the word that leads to it may not be.
            pmem.persist(at + Pmem.LINE, Pmem.LINE);
        }
        long head = EntryRecord.chain(links);
        return head == Pmem.NULL ? BlobEdit.EMPTY : engine.chains.read(head);
    }

    private Status edit(long parent, Name name, Change change, int kind, Edit edit) {
        return attributes.change(parent, name, change, (_, _, at, _, _) -> editLocked(at, change, kind, edit), 0, 0);
    }

    /** Null: another change came first. */
    private @Nullable Status editLocked(long at, Change change, int kind, Edit edit) {
        long old = EntryRecord.chain(EntryRecord.links(pmem, at));
        Bytes result = new Bytes();
        Status status = edit.apply(old == Pmem.NULL ? BlobEdit.EMPTY : engine.chains.read(old), result);
        if (status != Status.OK) {
            return status;
        }
        long head = Pmem.NULL;
        if (result.value.length > 0) {
            head = engine.chains.make(at, result.value);
            if (head == Pmem.NULL) {
                return Status.NO_SPACE;
            }
        }
        attributes.settleMode(at);
        long time = engine.clock.next();
        engine.outcomes.chains(change, kind, at, attributes.nextCtime(at, time), old);
        // [chain.2] The time of change goes first, so that a change without it is never seen. Its fence is the one that
        // makes the chain, and the record of the change, durable before anything points at the chain.
        attributes.touch(at, time);
        long links = swing(at, old, head);
        if (links == LOST) {
            engine.chains.free(head);
            return null;
        }
        // [chain.4] Durable before any client hears of it, and before the old chain is free.
        pmem.persist(at + Pmem.LINE, Pmem.LINE);
        if (links < 0) {
            // If it fails, a later change has put a mark of its own, and takes it off.
            pmem.cas8(at + EntryRecord.LINKS_OFFSET, links, links & ~EntryRecord.LINKS_DIRTY);
        }
        engine.chains.free(old);
        return Status.OK;
    }

    /** The word that leads to the chain now, or {@link #LOST} if another change came first. */
    private long swing(long at, long old, long head) {
        for (; ; ) {
            long links = EntryRecord.links(pmem, at);
            if (EntryRecord.chain(links) != old) {
                return LOST; // no ABA: the old chain is not reused while our epoch is pinned
            }
            long swung = EntryRecord.withChain(links, head) | (engine.marksDirty ? EntryRecord.LINKS_DIRTY : 0);
            // [chain.3] The commit.
            if (pmem.cas8(at + EntryRecord.LINKS_OFFSET, links, swung)) {
                return swung;
            }
        }
    }
}
