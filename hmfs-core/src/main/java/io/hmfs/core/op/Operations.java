package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.FileType;
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

    private final StatOp stat;
    private final CreateOp create;
    private final DeleteOp delete;
    private final AppendOp append;
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
        AttributeReader reader = new AttributeReader(engine, recovery);
        this.attributes = new AttributeOps(engine, recovery);
        this.stat = new StatOp(engine, recovery, reader);
        this.create = new CreateOp(engine, lists, recovery, reader);
        EntryRemoval removal = new EntryRemoval(engine, lists);
        UnlinkOp unlink = new UnlinkOp(engine, recovery, reader, attributes, removal);
        this.delete = new DeleteOp(engine, lists, recovery, reader, removal, unlink);
        this.append = new AppendOp(engine, recovery, attributes);
        this.link = new LinkOp(engine, lists, recovery, reader, attributes);
        DirectoryCloser closer = new DirectoryCloser(engine, lists);
        this.rmdir = new RmdirOp(engine, recovery, removal, closer);
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

    /** All entries of a batch that have no answer yet, each answered in it. */
    public Status execute(NameBatch batch) {
        switch (batch) {
            case StatBatch stats -> stat.run(stats);
            case CreateBatch creates -> create.run(creates);
            case DeleteBatch deletes -> delete.run(deletes);
            case AppendBatch appends -> append.run(appends);
        }
        return Status.OK;
    }

    public Status statDirectory(long directory, Attributes out) {
        return stat.runById(directory, out);
    }

    /** The directory that no path leads to, made if need be. */
    public Status orphans(boolean make, Attributes out) {
        Status found = stat.runUnchecked(ROOT_ID, Name.orphans(), out);
        if (found != Status.NOT_FOUND || !make) {
            return found;
        }
        Status made = create.orphans(out);
        return made == Status.EXISTS ? Status.OK : made;
    }

    public Status delete(long directory, Name name, Change change, Attributes removed) {
        return delete.run(directory, name, change, removed);
    }

    public Status link(long directory, Name name, long targetDirectory, Name targetName, Attributes out) {
        return link.run(directory, name, targetDirectory, targetName, out);
    }

    public Status rmdir(long directory, Name name, Change change) {
        return rmdir.run(directory, name, change);
    }

    public Status rename(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced) {
        return rename.run(source, sourceName, target, targetName, replace, change, replaced);
    }

    public Status chmod(long directory, Name name, int mode, Change change) {
        return attributes.chmod(directory, name, mode, change);
    }

    public Status chown(long directory, Name name, int uid, int gid, Change change) {
        return attributes.chown(directory, name, uid, gid, change);
    }

    public Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos, Change change) {
        return attributes.setTimes(directory, name, mtimeNanos, atimeNanos, change);
    }

    public Status append(long directory, Name name, long id, long size, Change change) {
        return attributes.append(directory, name, id, size, change);
    }

    public Status truncate(long directory, Name name, long size, Change change) {
        return attributes.truncate(directory, name, size, change);
    }

    public Status symlink(long directory, Name name, byte[] target, int uid, int gid, Change change, Attributes out) {
        return create.symlink(directory, name, target, uid, gid, change, out);
    }

    public Status readlink(long directory, Name name, Bytes out) {
        return chains.readlink(directory, name, out);
    }

    public Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode, Change change) {
        return chains.setXattr(directory, name, attribute, value, mode, change);
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

    public Status removeXattr(long directory, Name name, Name attribute, Change change) {
        return chains.removeXattr(directory, name, attribute, change);
    }

    public Status changeAcl(long directory, Name name, AclEdit edit, Change change) {
        return acl.run(directory, name, edit, change);
    }

    public Status create(
            long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        return create.run(FileType.FILE, directory, name, mode, uid, gid, acl, change, out);
    }

    public Status mkdir(
            long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        return create.run(FileType.DIRECTORY, directory, name, mode, uid, gid, acl, change, out);
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
