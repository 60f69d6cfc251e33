package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;

/**
 * Reads an object's attributes without a lock: all of them, then all again, and they must be equal (HMFS §3.6 has it for each 16-byte unit). Those that may come back
 * to what they were, a time with a size, come first in both looks; so all stood there at one moment, when the second look began.
 */
final class AttributeReader {
    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;

    AttributeReader(Engine engine, Recovery recovery) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
    }

    /**
     * Fills {@code out} from the object whose status word this is. The caller checks afterwards that it still is that object. False: it is a name of a
     * file that is not there, which it cannot be if it still is that object.
     */
    boolean read(long at, long status, Attributes out) {
        out.indirect = EntryRecord.isIndirect(status);
        if (out.indirect) {
            if (!readInode(at, out)) {
                return false;
            }
        } else {
            out.nlink = 1;
            readUnits(at, EntryRecord.kind(status), out);
        }
        out.birthNanos = EntryRecord.birth(pmem, at);
        return true;
    }

    private boolean readInode(long at, Attributes out) {
        long inode = engine.inodes.find(EntryRecord.id(pmem, at));
        if (inode == Pmem.NULL) {
            return false; // the last name has gone meanwhile, or what is damaged hides it
        }
        for (long stale = engine.inodes.stale(inode); stale != Pmem.NULL; stale = engine.inodes.stale(inode)) {
            recovery.recover(stale);
        }
        do { // [read.2]
            out.nlink = engine.inodes.count(inode);
            readUnits(inode, EntryRecord.object(EntryRecord.status(pmem, inode)), out);
        } while (out.nlink != engine.inodes.count(inode)); // a link or unlink steps the ctime on too
        return true;
    }

    /** The attributes that stand at {@code at}, in an entry of one name or in an inode, whose lock the caller holds. */
    void readObject(long at, Attributes out) {
        long status = EntryRecord.status(pmem, at);
        boolean inode = EntryRecord.kind(status) == EntryRecord.KIND_INODE;
        readUnits(at, inode ? EntryRecord.object(status) : EntryRecord.kind(status), out);
    }

    private void readUnits(long at, int kind, Attributes out) {
        long id = EntryRecord.id(pmem, at);
        boolean directory = kind == EntryRecord.KIND_DIRECTORY;
        long content = directory ? engine.findContent(id) : Pmem.NULL;
        long mtime;
        long length;
        long ctime;
        long owner;
        long links;
        long atime;
        long set;
        long marked;
        long listed;
        do { // [read.2]
            mtime = pmem.getAcquire(at + EntryRecord.MTIME_OFFSET);
            length = pmem.getAcquire(at + EntryRecord.LENGTH_OFFSET);
            ctime = pmem.getAcquire(at + EntryRecord.CTIME_OFFSET);
            owner = pmem.getAcquire(at + EntryRecord.OWNER_OFFSET);
            links = EntryRecord.links(pmem, at);
            // Before the override pair, whose mark goes in before this word.
            atime = pmem.getAcquire(at + EntryRecord.ATIME_OFFSET);
            set = pmem.getAcquire(at + EntryRecord.OVERRIDE_OFFSET);
            marked = pmem.getAcquire(at + EntryRecord.SET_AT_OFFSET);
            // One word, looked at between the two looks at all the others: once is enough.
            listed = content == Pmem.NULL ? 0 : DirContentRecord.mtime(pmem, content);
        } while (mtime != pmem.getAcquire(at + EntryRecord.MTIME_OFFSET)
                || length != pmem.getAcquire(at + EntryRecord.LENGTH_OFFSET)
                || ctime != pmem.getAcquire(at + EntryRecord.CTIME_OFFSET)
                || owner != pmem.getAcquire(at + EntryRecord.OWNER_OFFSET)
                || links != EntryRecord.links(pmem, at)
                || atime != pmem.getAcquire(at + EntryRecord.ATIME_OFFSET)
                || set != pmem.getAcquire(at + EntryRecord.OVERRIDE_OFFSET)
                || marked != pmem.getAcquire(at + EntryRecord.SET_AT_OFFSET));
        if ((length | marked | links) < 0 || (ctime & Ctime.DIRTY) != 0) {
            // [read.1] I2: a unit marked dirty may not be durable yet, and must be before it is shown.
            pmem.persistRead(at + Pmem.LINE, Pmem.LINE);
        }
        if (content != Pmem.NULL && engine.marksDirty) {
            pmem.persistRead(content, DirContentRecord.SIZE); // I2, as [read.1]: this unit has no room for a mark
        }
        long setAt = marked & ~EntryRecord.SET_AT_DIRTY;
        out.id = id;
        out.type = directory ? FileType.DIRECTORY : kind == EntryRecord.KIND_SYMLINK ? FileType.SYMLINK : FileType.FILE;
        out.mode = EntryRecord.mode(links, ctime);
        out.hasAcl = EntryRecord.acl(links);
        if (out.wantsAcl()) {
            // The chain never changes, and stays as long as the caller's epoch is pinned.
            out.acl = out.hasAcl ? BlobRecord.acl(engine.chains.read(EntryRecord.chain(links))) : Acl.NONE;
            if (out.hasAcl && out.acl.length == 0) {
                throw new CorruptPoolException(at + EntryRecord.LINKS_OFFSET, "a chain that has an ACL", links);
            }
        }
        out.uid = Owner.uid(owner);
        out.gid = Owner.gid(owner);
        out.size = directory ? 0 : EntryRecord.size(length);
        out.dense = EntryRecord.dense(length);
        out.atimeNanos = atime;
        mtime = Math.max(mtime, listed);
        // Times set by a user win until the object changes again; ctime as seen is the latest of all (HMFS O1).
        out.mtimeNanos = setAt > mtime ? set : mtime;
        out.ctimeNanos = Math.max(Math.max(Ctime.time(ctime), mtime), setAt);
    }
}
