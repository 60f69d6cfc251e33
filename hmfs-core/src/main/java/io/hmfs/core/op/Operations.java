package io.hmfs.core.op;

import io.hmfs.core.dir.ChangeRecords;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import io.hmfs.core.type.XattrMode;
import io.hmfs.core.type.XattrVisitor;
import java.util.List;

/** All operations on one engine; what each does is said in {@code Namespace}, whose arguments these are. */
public final class Operations {
    private static final long ROOT_ID = 1;

    private final ChangeRecords records;
    private final StatOp stat;
    private final StatBatchOp statBatch;
    private final CreateOp create;
    private final BatchOp batch;
    private final DeleteOp delete;
    private final DeleteBatchOp deleteBatch;
    private final AppendBatchOp appendBatch;
    private final UnlinkOp unlink;
    private final LinkOp link;
    private final RmdirOp rmdir;
    private final RenameOp rename;
    private final AttributeOps attributes;
    private final ListOp list;
    private final CountOp count;
    private final ChainOps chains;
    private final AclOp acl;
    private final PathOp path;

    public Operations(Engine engine, ChildList lists, Recovery recovery) {
        this.records = engine.records;
        AttributeReader reader = new AttributeReader(engine, recovery);
        this.attributes = new AttributeOps(engine, recovery);
        this.stat = new StatOp(engine, recovery, reader);
        this.statBatch = new StatBatchOp(engine, stat);
        this.create = new CreateOp(engine, lists, recovery, reader);
        this.batch = new BatchOp(engine, lists, recovery, create);
        this.delete = new DeleteOp(engine, lists, recovery, reader);
        this.deleteBatch = new DeleteBatchOp(engine, lists, recovery, delete);
        this.appendBatch = new AppendBatchOp(engine, attributes);
        this.unlink = new UnlinkOp(engine, recovery, reader, attributes, delete);
        this.link = new LinkOp(engine, lists, recovery, reader, attributes);
        DirectoryCloser closer = new DirectoryCloser(engine, lists);
        this.rmdir = new RmdirOp(engine, recovery, delete, closer);
        this.rename = new RenameOp(engine, lists, recovery, reader, attributes, closer);
        this.list = new ListOp(engine, recovery, reader);
        this.count = new CountOp(engine, recovery, list);
        this.path = new PathOp(engine, recovery);
        this.chains = new ChainOps(engine, stat, attributes);
        this.acl = new AclOp(engine, reader, attributes);
    }

    public Status count(TreeCount tree, long entriesMax) {
        return count.run(tree, entriesMax);
    }

    public Status stat(long directory, Name name, Attributes out) {
        return stat.run(directory, name, out);
    }

    /** All requests of a batch, each answered in it. */
    public Status executeAll(NameBatch requests) {
        switch (requests) {
            case StatBatch stats -> statBatch.run(stats);
            case CreateBatch creates -> batch.run(creates);
            case DeleteBatch deletes -> {
                deleteBatch.run(deletes);
                for (int i = 0; i < deletes.size(); i++) {
                    if (!deletes.isAnswered(i)) {
                        records.enter(deletes.ring(i), deletes.sequence(i), 0, 0);
                        deletes.answer(i, delete(deletes.directory(i), deletes.name(i), deletes.attributes(i)));
                        records.leave();
                    }
                }
            }
            case AppendBatch appends -> appendBatch.run(appends);
        }
        return Status.OK;
    }

    public Status statDirectory(long directory, Attributes out) {
        return stat.runById(directory, out);
    }

    public Status create(long directory, Name name, int mode, int uid, int gid, Attributes out) {
        return create.run(EntryRecord.KIND_FILE, directory, name, mode, uid, gid, out);
    }

    public Status mkdir(long directory, Name name, int mode, int uid, int gid, Attributes out) {
        return create.run(EntryRecord.KIND_DIRECTORY, directory, name, mode, uid, gid, out);
    }

    /** The directory that no path leads to, made if need be. */
    public Status limbo(boolean make, Attributes out) {
        Status found = stat.runUnchecked(ROOT_ID, Name.limbo(), out);
        if (found != Status.NOT_FOUND || !make) {
            return found;
        }
        Status made = create.limbo(out);
        return made == Status.EXISTS ? Status.OK : made;
    }

    public Status delete(long directory, Name name, Attributes removed) {
        for (; ; ) {
            Status status = delete.run(directory, name, removed);
            if (status == null) {
                status = unlink.run(directory, name, removed);
            }
            if (status != null) {
                return status;
            }
        }
    }

    public Status link(long directory, Name name, long targetDirectory, Name targetName, Attributes out) {
        return link.run(directory, name, targetDirectory, targetName, out);
    }

    public Status rmdir(long directory, Name name) {
        return rmdir.run(directory, name);
    }

    public Status rename(
            long source, Name sourceName, long target, Name targetName, boolean replace, Attributes replaced) {
        return rename.run(source, sourceName, target, targetName, replace, replaced);
    }

    public Status chmod(long directory, Name name, int mode) {
        return attributes.chmod(directory, name, mode);
    }

    public Status chown(long directory, Name name, int uid, int gid) {
        return attributes.chown(directory, name, uid, gid);
    }

    public Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos) {
        return attributes.setTimes(directory, name, mtimeNanos, atimeNanos);
    }

    public Status append(long directory, Name name, long id, long size) {
        return attributes.append(directory, name, id, size);
    }

    public Status truncate(long directory, Name name, long size) {
        return attributes.truncate(directory, name, size);
    }

    public Status symlink(long directory, Name name, byte[] target, int uid, int gid, Attributes out) {
        return create.symlink(directory, name, target, uid, gid, out);
    }

    public Status readlink(long directory, Name name, Bytes out) {
        return chains.readlink(directory, name, out);
    }

    public Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode) {
        return chains.setXattr(directory, name, attribute, value, mode);
    }

    public Status getXattr(long directory, Name name, Name attribute, Bytes out) {
        return chains.getXattr(directory, name, attribute, out);
    }

    public Status listXattrs(long directory, Name name, List<Name> out) {
        return chains.listXattrs(directory, name, out);
    }

    public Status readXattrs(long directory, Name name, XattrVisitor visitor) {
        return chains.readXattrs(directory, name, visitor);
    }

    public Status removeXattr(long directory, Name name, Name attribute) {
        return chains.removeXattr(directory, name, attribute);
    }

    public Status changeAcl(long directory, Name name, AclEdit edit) {
        return acl.run(directory, name, edit);
    }

    public Status create(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        return create.run(EntryRecord.KIND_FILE, directory, name, mode, uid, gid, acl, out);
    }

    public Status mkdir(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        return create.run(EntryRecord.KIND_DIRECTORY, directory, name, mode, uid, gid, acl, out);
    }

    public Status list(long directory, ListCursor cursor, ListVisitor visitor) {
        return list.run(directory, cursor, visitor);
    }

    public Status path(long directory, StringBuilder out) {
        return path.ofDirectory(directory, out);
    }

    public long[] above(long directory) {
        return path.above(directory);
    }

    public Status path(long directory, long id, StringBuilder out) {
        return path.ofChild(directory, id, out);
    }

    public Status findPath(long id, StringBuilder out) {
        return path.find(id, out);
    }
}
