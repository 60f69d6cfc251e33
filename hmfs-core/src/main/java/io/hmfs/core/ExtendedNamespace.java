package io.hmfs.core;

import io.hmfs.core.op.Operations;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import io.hmfs.core.type.XattrMode;
import io.hmfs.core.type.XattrVisitor;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The operations of a {@link PoolNamespace} that are asked for less often than the rest: their bodies are objects, which may be made on
 * the Java heap (I7 is for the others). And those on batches, which need none.
 */
abstract class ExtendedNamespace implements Namespace {
    /** An operation's body; a functional interface of its own so that nothing is boxed. */
    interface Body {
        Status run();
    }

    abstract Operations operations();

    /** Runs an operation; an unexpected error stops the namespace. */
    abstract Status stopping(Body body);

    /** Runs an operation that takes space; a full pool is swept and the operation tried once more. */
    abstract Status allocating(Body body);

    /** Executes what a batch asks for; an unexpected error stops the namespace. Allocates nothing. */
    abstract void executeAll(NameBatch batch);

    private volatile BooleanSupplier helper = () -> false;

    @Override
    public final void whenFull(BooleanSupplier newHelper) {
        helper = newHelper;
    }

    /** Whether there is room by now: by the helper, or by this sweep, which finds what the helper has removed. */
    final boolean isMadeBy(BooleanSupplier sweep) {
        boolean helped = helper.getAsBoolean();
        return sweep.getAsBoolean() || helped;
    }

    @Override
    public final Status count(TreeCount tree, long entriesMax) {
        Status status = stopping(() -> operations().count(tree, entriesMax));
        tree.rethrow();
        return status;
    }

    @Override
    public final void statAll(StatBatch batch) {
        executeAll(batch);
    }

    @Override
    public final void deleteAll(DeleteBatch batch) {
        batch.askAgain(null);
        executeAll(batch);
    }

    @Override
    public final void appendAll(AppendBatch batch) {
        batch.askAgain(null);
        executeAll(batch);
    }

    @Override
    public final Status symlink(long directory, Name name, byte[] target, int uid, int gid, Attributes out) {
        return allocating(() -> operations().symlink(directory, name, target, uid, gid, out));
    }

    @Override
    public final Status readlink(long directory, Name name, Bytes out) {
        return stopping(() -> operations().readlink(directory, name, out));
    }

    @Override
    public final Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode) {
        return allocating(() -> operations().setXattr(directory, name, attribute, value, mode));
    }

    @Override
    public final Status getXattr(long directory, Name name, Name attribute, Bytes out) {
        return stopping(() -> operations().getXattr(directory, name, attribute, out));
    }

    @Override
    public final Status listXattrs(long directory, Name name, List<Name> out) {
        return stopping(() -> operations().listXattrs(directory, name, out));
    }

    @Override
    public final Status readXattrs(long directory, Name name, XattrVisitor visitor) {
        return stopping(() -> operations().readXattrs(directory, name, visitor));
    }

    @Override
    public final Status removeXattr(long directory, Name name, Name attribute) {
        return allocating(() -> operations().removeXattr(directory, name, attribute));
    }

    @Override
    public final Status changeAcl(long directory, Name name, AclEdit edit) {
        return allocating(() -> operations().changeAcl(directory, name, edit));
    }

    @Override
    public final Status create(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        return allocating(() -> operations().create(directory, name, mode, uid, gid, acl, out));
    }

    @Override
    public final Status mkdir(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        return allocating(() -> operations().mkdir(directory, name, mode, uid, gid, acl, out));
    }

    @Override
    public final Status statDirectory(long directory, Attributes out) {
        return stopping(() -> operations().statDirectory(directory, out));
    }

    @Override
    public final Status mkdir(long directory, Name name, int mode, int uid, int gid, Attributes out) {
        return allocating(() -> operations().mkdir(directory, name, mode, uid, gid, out));
    }

    @Override
    public final Status limbo(boolean make, Attributes out) {
        return make
                ? allocating(() -> operations().limbo(true, out))
                : stopping(() -> operations().limbo(false, out));
    }

    @Override
    public final Status link(long directory, Name name, long targetDirectory, Name targetName, Attributes out) {
        return allocating(() -> operations().link(directory, name, targetDirectory, targetName, out));
    }

    @Override
    public final Status rmdir(long directory, Name name) {
        return stopping(() -> operations().rmdir(directory, name));
    }

    @Override
    public final Status chmod(long directory, Name name, int mode) {
        return stopping(() -> operations().chmod(directory, name, mode));
    }

    @Override
    public final Status chown(long directory, Name name, int uid, int gid) {
        return stopping(() -> operations().chown(directory, name, uid, gid));
    }

    @Override
    public final Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos) {
        return stopping(() -> operations().setTimes(directory, name, mtimeNanos, atimeNanos));
    }

    @Override
    public final Status truncate(long directory, Name name, long size) {
        return stopping(() -> operations().truncate(directory, name, size));
    }

    @Override
    public final Status path(long directory, StringBuilder out) {
        return stopping(() -> operations().path(directory, out));
    }

    @Override
    public final long[] above(long directory) {
        long[][] ids = new long[1][];
        stopping(() -> {
            ids[0] = operations().above(directory);
            return Status.OK;
        });
        return ids[0];
    }

    @Override
    public final Status path(long directory, long id, StringBuilder out) {
        return stopping(() -> operations().path(directory, id, out));
    }

    @Override
    public final Status findPath(long id, StringBuilder out) {
        return stopping(() -> operations().findPath(id, out));
    }
}
