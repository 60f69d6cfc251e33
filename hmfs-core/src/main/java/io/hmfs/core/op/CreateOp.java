package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/** create and mkdir (HMFS §3.3.2): the writer lock of the key, no lock of the parent, two fences. */
final class CreateOp {
    private static final int TARGET_MAX = 4095;
    private static final int SYMLINK_MODE = 0777;
    private static final int LIMBO_MODE = 0700;
    private static final long ROOT_ID = 1;

    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final AttributeReader reader;

    CreateOp(Engine engine, ChildList lists, Recovery recovery, AttributeReader reader) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.reader = reader;
    }

    /** symlink: a create whose object has a chain from the start. */
    Status symlink(long parent, Name name, byte[] target, int uid, int gid, Attributes out) {
        if (target.length > TARGET_MAX) {
            return Status.NAME_TOO_LONG;
        }
        for (byte each : target) {
            if (each == 0) {
                return Status.INVALID_ARGUMENT;
            }
        }
        if (target.length == 0) {
            return Status.INVALID_ARGUMENT;
        }
        byte[] blob = BlobEdit.with(BlobEdit.EMPTY, BlobRecord.TYPE_TARGET, BlobEdit.NO_NAME, target);
        return checked(EntryRecord.KIND_SYMLINK, parent, name, SYMLINK_MODE, uid, gid, blob, out);
    }

    /** The same of a file or a directory, with an ACL if there is one. */
    Status run(int kind, long parent, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        if (!Acl.isValid(acl)) {
            return Status.INVALID_ARGUMENT;
        }
        byte[] list = BlobRecord.ofAcl(acl);
        byte @Nullable [] blob =
                acl.length == 0 ? null : BlobEdit.with(BlobEdit.EMPTY, BlobRecord.TYPE_ACL, BlobEdit.NO_NAME, list);
        return checked(kind, parent, name, mode, uid, gid, blob, out);
    }

    Status run(int kind, long parent, Name name, int mode, int uid, int gid, Attributes out) {
        return checked(kind, parent, name, mode, uid, gid, null, out);
    }

    /** A mkdir of the one directory whose name no caller can give. */
    Status limbo(Attributes out) {
        return make(EntryRecord.KIND_DIRECTORY, ROOT_ID, Name.limbo(), LIMBO_MODE, 0, 0, null, out);
    }

    private Status checked(
            int kind, long parent, Name name, int mode, int uid, int gid, byte @Nullable [] blob, Attributes out) {
        Status valid = check(name, mode, uid, gid);
        return valid == Status.OK ? make(kind, parent, name, mode, uid, gid, blob, out) : valid;
    }

    private Status make(
            int kind, long parent, Name name, int mode, int uid, int gid, byte @Nullable [] blob, Attributes out) {
        long hash = engine.keys.ofEntry(parent, name);
        engine.index.prefetch(hash); // on its way during all that comes before the look-up
        long owner = Owner.of(uid, gid);
        int lock = engine.locks.of(hash);
        int pin = engine.epochs.pin();
        try {
            long at = Pmem.NULL;
            for (; ; ) {
                if (at == Pmem.NULL) {
                    at = fill(parent, name, mode, owner); // before the look-up, whose line is waited for anyway
                }
                long content = recovery.openContent(parent);
                if (content == Pmem.NULL) {
                    release(at, name);
                    return Status.NO_SUCH_DIRECTORY;
                }
                engine.locks.lockWrite(lock);
                long found = engine.findLocked(hash, parent, name);
                if (found < 0) {
                    engine.locks.unlockWrite(lock);
                    recovery.recover(-found);
                    continue;
                }
                Status status;
                if (found != Pmem.NULL) {
                    release(at, name);
                    status = exists(found, out);
                } else {
                    status = createLocked(at, kind, content, hash, name, blob, out);
                    at = Pmem.NULL;
                }
                engine.locks.unlockWrite(lock);
                if (status != Status.NO_SUCH_DIRECTORY || !recovery.awaitClosed(parent)) {
                    return status;
                }
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** The name is taken: says by what, which cannot change under the key's lock. */
    Status exists(long at, Attributes out) {
        reader.read(at, EntryRecord.status(pmem, at), out);
        return Status.EXISTS;
    }

    static Status check(Name name, int mode, int uid, int gid) {
        Status valid = name.check();
        boolean outOfRange = mode < 0 || mode > Ctime.MODE_MAX || gid < 0 || uid < 0;
        return valid == Status.OK && outOfRange ? Status.INVALID_ARGUMENT : valid;
    }

    private Status createLocked(
            long at, int kind, long content, long hash, Name name, byte @Nullable [] blob, Attributes out) {
        if (at == Pmem.NULL || !enter(at, kind, hash, name, blob)) {
            return Status.NO_SPACE;
        }
        // [create.3] The commit.
        if (!lists.link(content, at, EntryRecord.birth(pmem, at))) {
            abandon(at, hash);
            return Status.NO_SUCH_DIRECTORY;
        }
        show(at, out);
        return Status.OK;
    }

    /** An object that is filled and in the index, all written back, not fenced, not linked; NULL if there is no space. */
    long make(int kind, long hash, long parent, Name name, int mode, long owner) {
        long at = fill(parent, name, mode, owner);
        return at != Pmem.NULL && enter(at, kind, hash, name, null) ? at : Pmem.NULL;
    }

    /** Key and attributes in a slot that is FREE to all others; NULL if there is none. */
    private long fill(long parent, Name name, int mode, long owner) {
        long at = engine.slotsFor(EntryRecord.sizeFor(name.length())).allocate();
        if (at != Pmem.NULL) {
            EntryRecord.fill(pmem, at, parent, name, engine.clock.next(), mode, owner);
        }
        return at;
    }

    /** Hands back a slot that was filled and is still FREE, if there is one. */
    private void release(long at, Name name) {
        if (at != Pmem.NULL) {
            engine.slotsFor(EntryRecord.sizeFor(name.length())).release(at);
        }
    }

    /** Makes what was filled an object, and puts it into the index, under the key's lock; false if there is no space. */
    private boolean enter(long at, int kind, long hash, Name name, byte @Nullable [] blob) {
        // [create.1] CREATING after all else: no reader takes a half filled object for one. Under the lock†: a word
        // that an earlier start left may lead here, and who holds the lock takes what is CREATING for cut off.
        EntryRecord.create(pmem, at, kind, engine.ids.next(), name.length());
        boolean made = blob == null || makeChain(at, kind, blob);
        // The first line goes out when it has its place on the list.
        pmem.writeBack(at + Pmem.LINE, EntryRecord.filledSize(name.length()) - Pmem.LINE);
        made &= kind != EntryRecord.KIND_DIRECTORY || makeContent(at);
        // [create.2] The index word goes out with the first fence, in link.
        if (!made || !engine.index.insert(hash, at)) {
            dropContentOf(at);
            retire(at);
            return false;
        }
        engine.records.made(at);
        return true;
    }

    /** What a linked object is, from when it is durably on its list. */
    void show(long at, Attributes out) {
        reader.read(at, EntryRecord.status(pmem, at), out);
        // [create.4] Shown from here on; after a crash recovery finds it linked and says so again, hence no write-back.
        EntryRecord.setState(pmem, at, SlotState.NORMAL);
    }

    /** [mkdir.1] The content is durable before the access object is linked, so that recovery never has to make one. */
    private boolean makeContent(long access) {
        long content = engine.contentSlots.allocate();
        if (content == Pmem.NULL) {
            return false;
        }
        long id = EntryRecord.id(pmem, access);
        DirContentRecord.init(pmem, content, id, access, EntryRecord.birth(pmem, access));
        pmem.writeBack(content, DirContentRecord.SIZE);
        if (!engine.index.insert(engine.keys.ofContent(id), content)) {
            engine.dropContent(content, id);
            return false;
        }
        return true;
    }

    /**
     * [symlink.1] A target, or an ACL: the chain goes out with the first fence, in link. A crash before the commit leaves it without an
     * owner.
     */
    private boolean makeChain(long at, int kind, byte[] blob) {
        long head = engine.chains.make(at, blob);
        if (head == Pmem.NULL) {
            return false;
        }
        boolean symlink = kind == EntryRecord.KIND_SYMLINK;
        if (symlink) {
            pmem.set(at + EntryRecord.LENGTH_OFFSET, (long) blob.length - BlobRecord.HEAD_SIZE);
        }
        long links = EntryRecord.withChain(EntryRecord.links(pmem, at), head);
        pmem.set(at + EntryRecord.LINKS_OFFSET, EntryRecord.markAcl(links, !symlink));
        return true;
    }

    /** Undoes an object that was made and not linked. */
    void abandon(long at, long hash) {
        engine.records.forget();
        dropContentOf(at);
        engine.index.remove(hash, at);
        retire(at);
    }

    private void dropContentOf(long at) {
        if (EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_DIRECTORY) {
            long content = engine.findContent(EntryRecord.id(pmem, at));
            if (content != Pmem.NULL) {
                engine.dropContent(content, EntryRecord.id(pmem, at));
            }
        }
    }

    private void retire(long at) {
        engine.retire(at, engine.slotsFor(Engine.slotSize(EntryRecord.status(pmem, at))));
    }
}
