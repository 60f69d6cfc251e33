package io.hmfs.core;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import io.hmfs.core.type.XattrMode;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A {@link Namespace} with what a server needs beside it: changes that clients number, removal
 * in the background, records, answers that wait for the log, and reports. {@link Hmfs#openForServer} opens one.
 */
public interface ServerNamespace extends Namespace {
    // ---- Changes that clients number: as those of Namespace, which are the same with Change.NONE. One that is done is
    // recorded with its effect.

    /** {@link Namespace#create(long, Name, int, int, int, long[], Attributes)} as this change. */
    Status create(long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out);

    /** {@link Namespace#mkdir(long, Name, int, int, int, long[], Attributes)} as this change. */
    Status mkdir(long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out);

    /** {@link Namespace#symlink} as this change. */
    Status symlink(long directory, Name name, byte[] target, int uid, int gid, Change change, Attributes out);

    /** {@link Namespace#delete} as this change. */
    Status delete(long directory, Name name, Change change, Attributes removed);

    /** {@link Namespace#rmdir} as this change. */
    Status rmdir(long directory, Name name, Change change);

    /** {@link Namespace#rename} as this change. */
    Status rename(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced);

    /** {@link Namespace#append} as this change. */
    Status append(long directory, Name name, long id, long size, Change change);

    /** {@link Namespace#truncate} as this change. */
    Status truncate(long directory, Name name, long size, Change change);

    /** {@link Namespace#chmod} as this change. */
    Status chmod(long directory, Name name, int mode, Change change);

    /** {@link Namespace#chown} as this change. */
    Status chown(long directory, Name name, int uid, int gid, Change change);

    /** {@link Namespace#setTimes} as this change. */
    Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos, Change change);

    /** {@link ExtendedAttributes#setXattr} as this change. */
    Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode, Change change);

    /** {@link ExtendedAttributes#removeXattr} as this change. */
    Status removeXattr(long directory, Name name, Name attribute, Change change);

    /** {@link ExtendedAttributes#changeAcl} as this change. */
    Status changeAcl(long directory, Name name, AclEdit edit, Change change);

    @Override
    default Status create(long directory, Name name, int mode, int uid, int gid, Attributes out) {
        return create(directory, name, mode, uid, gid, Acl.NONE, Change.NONE, out);
    }

    @Override
    default Status mkdir(long directory, Name name, int mode, int uid, int gid, Attributes out) {
        return mkdir(directory, name, mode, uid, gid, Acl.NONE, Change.NONE, out);
    }

    @Override
    default Status create(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        return create(directory, name, mode, uid, gid, acl, Change.NONE, out);
    }

    @Override
    default Status mkdir(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        return mkdir(directory, name, mode, uid, gid, acl, Change.NONE, out);
    }

    @Override
    default Status symlink(long directory, Name name, byte[] target, int uid, int gid, Attributes out) {
        return symlink(directory, name, target, uid, gid, Change.NONE, out);
    }

    @Override
    default Status delete(long directory, Name name, Attributes removed) {
        return delete(directory, name, Change.NONE, removed);
    }

    @Override
    default Status rmdir(long directory, Name name) {
        return rmdir(directory, name, Change.NONE);
    }

    @Override
    default Status rename(
            long source, Name sourceName, long target, Name targetName, boolean replace, Attributes replaced) {
        return rename(source, sourceName, target, targetName, replace, Change.NONE, replaced);
    }

    @Override
    default Status append(long directory, Name name, long id, long size) {
        return append(directory, name, id, size, Change.NONE);
    }

    @Override
    default Status truncate(long directory, Name name, long size) {
        return truncate(directory, name, size, Change.NONE);
    }

    @Override
    default Status chmod(long directory, Name name, int mode) {
        return chmod(directory, name, mode, Change.NONE);
    }

    @Override
    default Status chown(long directory, Name name, int uid, int gid) {
        return chown(directory, name, uid, gid, Change.NONE);
    }

    @Override
    default Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos) {
        return setTimes(directory, name, mtimeNanos, atimeNanos, Change.NONE);
    }

    @Override
    default Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode) {
        return setXattr(directory, name, attribute, value, mode, Change.NONE);
    }

    @Override
    default Status removeXattr(long directory, Name name, Name attribute) {
        return removeXattr(directory, name, attribute, Change.NONE);
    }

    @Override
    default Status changeAcl(long directory, Name name, AclEdit edit) {
        return changeAcl(directory, name, edit, Change.NONE);
    }

    // ---- Trees

    /**
     * The directory of orphans: no path leads to it, no listing shows it and no name reaches it, but its id does. What is renamed into it has left
     * the tree in one step, with all that is below, and stays there, also after a crash, until the caller has removed it bit by bit.
     * Made on first use if {@code make} is set; else NOT_FOUND before that. NO_SPACE.
     */
    Status orphans(boolean make, Attributes out);

    /**
     * Sets what is asked when the pool is full, before an operation is refused for it: whether a thread of the caller has removed
     * something meanwhile. It may wait for a moment, and is called on the thread of the operation.
     */
    void whenFull(BooleanSupplier helper);

    /**
     * Counts on in a tree, about so many entries, or until {@link TreeCount#isAtEnd} or what {@link TreeCount} refuses; OK, or that
     * refusal. A directory that has gone meanwhile is left out, and what was left of it.
     */
    Status count(TreeCount tree, long entriesMax);

    /**
     * The ids of a directory and of those above it, itself first and the root last, as they stood at one moment; none if the id is no
     * directory's, or the record of one of them is damaged.
     */
    long[] above(long directory);

    /**
     * Appends the absolute path of a file with this id in this directory, in time that grows with the number of its children.
     * With several names there, one of them. NOT_FOUND if it is not there, or was renamed meanwhile.
     */
    Status path(long directory, long id, StringBuilder out);

    /**
     * Appends an absolute path of a directory or file of which nothing but the id is known. For a file it looks at every entry of
     * the pool: for administrators. NOT_FOUND if no object has the id; also for a file that was renamed during the search.
     */
    Status findPath(long id, StringBuilder out);

    /** Removed files whose data is kept elsewhere and has still to be removed; {@link RemovedFiles#NONE} unless the pool was opened for that. */
    default RemovedFiles removedFiles() {
        return RemovedFiles.NONE;
    }

    /** Records of changes by number: whether one was executed can be asked after a crash too. */
    NumberedChanges numbered();

    /** Records beside the namespace, as durable as it is: leases, quotas, cuts. */
    Records records();

    /**
     * All that this thread's calls have changed or shown stands at or before this position. It is safe already unless the pool is
     * open in mode {@code LOGGED} with {@link OpenOptions#withoutWaiting}.
     */
    default long logPosition() {
        return 0;
    }

    /**
     * Runs {@code action} when all up to a position is safe: at once, or later on a thread that must not be held up. If the log
     * fails before, {@code onFailure} is called instead.
     */
    default void whenDurable(long position, Runnable action, Consumer<Throwable> onFailure) {
        action.run();
    }

    /**
     * Runs {@code action} as {@link #whenDurable} does, but does not ask the log to be written: the action waits until a request asks, or
     * until the log writes what it has, some milliseconds later. For work in the background, which nobody waits for.
     */
    default void whenDurableAnyway(long position, Runnable action, Consumer<Throwable> onFailure) {
        action.run();
    }

    /** Figures for metrics. Unlike {@link #poolStatus} they are told after a failure too. */
    default PoolFigures poolFigures() {
        return PoolFigures.NONE;
    }
}
