package io.hmfs.server.tree;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.NameVersions;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * Where no path leads ({@link ServerNamespace#orphans}): what leaves the tree as a whole, and what is about to come into it.
 *
 * <p>Directories that were removed with all that is below them: each leaves the tree in one step, a rename, and is removed there bit by bit by a
 * thread of the partition, now or after the next start. While there are
 * orphans, a client may still have the id of a directory in one of them: {@link #holds} tells.
 *
 * <p>What has to be looked at again, now that nothing comes in any more, is <em>held</em>: it stands under its own name in a directory
 * here whose name says where it was, {@code parent.id}. Then it is {@linkplain #release released} to the reaper, which leaves alone what
 * is held, or {@linkplain #putBack put back}; so is at a start what a crash left there.
 *
 * <p>Files there are <em>temporary files</em>: each is to take the place of another file, by a rename ({@link #place}). No client has seen
 * the id of a temporary file, and it has no data, so a start removes those that a crash left. Thread-safe.
 */
public final class OrphanDirectory {
    private static final System.Logger LOG = System.getLogger(OrphanDirectory.class.getName());
    private static final long PAUSE_NANOS = 1_000_000;

    /** How long a full pool waits for the reaper to get on: it takes microseconds for an entry, or as long as a disk for its data. */
    private static final int PAUSES_MAX = 200;

    private static final byte OF_HOLDER = '.'; // in its name, and in no other one of the orphan directory
    private static final int HOLDER_MODE = 0700;
    private static final int HEX = 16;

    /** A directory that is held: where it was, and what it is held in. */
    public record Held(long orphans, long holder, long parent, Name name, long id) {
        Name holderName() {
            return Name.of(Long.toHexString(parent) + (char) OF_HOLDER + Long.toHexString(id));
        }
    }

    private final ServerNamespace namespace;
    private final NameVersions changes;

    /** Shared by requests that move a name, from the look at where it is to the move; exclusive for a step into the orphan directory or out of it. */
    private final StampedLock moves = new StampedLock();

    private final RenamesForWalks renames = new RenamesForWalks();

    // Changed under the monitor, read without:
    private volatile long added;
    private volatile long reaped;
    private volatile int held;

    /** Its id, once there is one. */
    private volatile long self;

    private volatile boolean closed;

    private final AtomicLong removed = new AtomicLong();
    private final AtomicInteger temporaryNames = new AtomicInteger();

    public OrphanDirectory(ServerNamespace namespace, NameVersions changes) {
        this.namespace = namespace;
        this.changes = changes;
    }

    private long shareMoves(boolean waits) {
        long stamp;
        if (waits) {
            LockOrder.waiting(LockRank.ORPHANS, 0);
            stamp = moves.readLock();
        } else {
            stamp = moves.tryReadLock();
            if (stamp == 0) {
                throw KeyLocks.mustWait();
            }
        }
        LockOrder.taken(LockRank.ORPHANS, 0);
        return stamp;
    }

    private long stopMoves() {
        LockOrder.waiting(LockRank.ORPHANS, 0);
        long stamp = moves.writeLock();
        LockOrder.taken(LockRank.ORPHANS, 0);
        return stamp;
    }

    private void endMoves(long stamp) {
        LockOrder.released(LockRank.ORPHANS, 0);
        moves.unlock(stamp);
    }

    /** What an earlier run may have left in it counts, and what it held goes back; before the first request. */
    public void recover() {
        Attributes orphans = new Attributes();
        if (namespace.orphans(false, orphans) != Status.OK) {
            return;
        }
        self = orphans.id;
        List<Name> temporaryFiles = new ArrayList<>();
        List<Held> left = new ArrayList<>();
        list(self, (name, found) -> {
            if (!found.isDirectory()) {
                temporaryFiles.add(Name.of(name.toString()));
            } else if (isHolder(name)) {
                String[] was = name.toString().split("\\.", -1);
                long parent = Long.parseUnsignedLong(was[0], HEX);
                left.add(new Held(self, found.id, parent, new Name(), Long.parseUnsignedLong(was[1], HEX)));
            }
            return true;
        });
        temporaryFiles.forEach(this::dropTemporaryFile);
        for (Held each : left) {
            list(each.holder, (name, _) -> {
                each.name.set(name.toBytes(), 0, name.length());
                return false;
            });
            hold(1);
            putBack(each);
        }
        add();
    }

    /** A damaged entry, and those behind it, are not shown; they stay, and nothing in them can be reached. */
    private void list(long directory, ListVisitor visitor) {
        if (namespace.list(directory, new ListCursor(), visitor) == Status.DAMAGED) {
            LOG.log(
                    Level.ERROR,
                    "an entry of the directory of removed trees is damaged, and what was being removed behind it cannot be put back: stop the server, and"
                            + " run hmfs fsck");
            keepBusy();
        }
    }

    /** Its id; 0: there is none yet. */
    public long id() {
        return self;
    }

    /**
     * A name for the temporary files of a thread, which makes one at a time. No dot in it, so an earlier HMFS removes the file at its
     * start.
     */
    public Name temporaryName() {
        return Name.of("temporary-" + temporaryNames.getAndIncrement());
    }

    /**
     * Makes a file that is to take another one's place: {@link #place} or {@link #dropTemporaryFile} comes next. NO_SPACE; EXISTS: the name
     * is taken.
     */
    public Status createTemporaryFile(Name temporary, int mode, int uid, int gid, long[] acl, Attributes out) {
        Status status = self == 0 ? open(out) : Status.OK;
        if (status != Status.OK) {
            return status;
        }
        return namespace.create(self, temporary, mode, uid, gid, acl, out);
    }

    /**
     * The one step in which a temporary file takes the place of what has this name; {@code replaced} as with a rename. It is not among the
     * recent renames: no path has led to the file before. A thread that must not wait ends with {@link KeyLocks.MustWaitException}.
     */
    public Status place(
            Name temporary, long target, Name targetName, Change change, Attributes replaced, boolean waits) {
        long stamp = shareMoves(waits);
        try {
            return holds(target)
                    ? Status.NO_SUCH_DIRECTORY
                    : changes.rename(self, temporary, target, targetName, true, change, replaced);
        } finally {
            endMoves(stamp);
        }
    }

    public void dropTemporaryFile(Name temporary) {
        Status status = namespace.delete(self, temporary, new Attributes());
        if (status != Status.OK) {
            LOG.log(
                    Level.WARNING,
                    "{0} in the orphan directory cannot be removed: {1}; the next start tries again",
                    temporary,
                    status);
        }
    }

    public static boolean isHolder(Name name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.buffer()[i] == OF_HOLDER) {
                return true;
            }
        }
        return false;
    }

    /** Makes it, if need be; before {@link #take}. */
    public Status open(Attributes out) {
        Status status = namespace.orphans(true, out);
        self = status == Status.OK ? out.id : self;
        return status;
    }

    /**
     * The rename of a request, unless one of the directories has been removed with one above it since it was resolved. A thread that must
     * not wait ends with {@link KeyLocks.MustWaitException}, and nothing is renamed.
     */
    public Status move(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced,
            boolean waits) {
        long stamp = shareMoves(waits);
        try {
            return holds(source) || holds(target)
                    ? Status.NO_SUCH_DIRECTORY
                    : rename(source, sourceName, target, targetName, replace, change, replaced);
        } finally {
            endMoves(stamp);
        }
    }

    /** From here on {@link #renamedSince} tells what is renamed; a rename that had begun before is in place. Returns the position. */
    public long watch() {
        long stamp = stopMoves();
        try {
            return renames.watch();
        } finally {
            endMoves(stamp);
        }
    }

    /** {@link RenamesForWalks#since}. */
    public long @Nullable [] renamedSince(long position, int max) {
        return renames.since(position, max);
    }

    /**
     * The only place that renames an entry to which a path leads. What has stood there since the watch began is what this finds: a rename
     * that put something else there has come through here too, and is in the log.
     */
    private Status rename(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced) {
        if (renames.isWatched()) {
            Attributes found = new Attributes();
            if (namespace.stat(source, sourceName, found) == Status.OK) {
                renames.add(found.id, found.isDirectory());
            }
        }
        return changes.rename(source, sourceName, target, targetName, replace, change, replaced);
    }

    /** Moves a directory with this id into it. The caller holds the lock of the name, and has looked what stands there. */
    public Status take(Attributes orphans, long parent, Name name, long id, Change change) {
        return step(parent, name, orphans.id, nameOf(id), change);
    }

    private static Name nameOf(long id) {
        return Name.of(Long.toHexString(id));
    }

    private Status step(long parent, Name name, long target, Name targetName, Change change) {
        long stamp = stopMoves();
        try {
            if (holds(parent)) {
                return Status.NO_SUCH_DIRECTORY;
            }
            add(); // before: a request that meets it there must ask
            Status status = rename(parent, name, target, targetName, false, change, new Attributes());
            add(); // after: a pass of the reaper that has begun before may have missed it
            return status;
        } finally {
            endMoves(stamp);
        }
    }

    /** The same, but it is held. {@code holder} is what it is held in. */
    public Status hold(Attributes orphans, long parent, Name name, long id, Attributes holder) {
        Name holderName = new Held(orphans.id, 0, parent, name, id).holderName();
        Status status = namespace.mkdir(orphans.id, holderName, HOLDER_MODE, 0, 0, holder);
        if (status == Status.EXISTS) {
            status = namespace.stat(orphans.id, holderName, holder); // left behind, empty
        }
        if (status != Status.OK) {
            return status;
        }
        hold(1);
        status = step(parent, name, holder.id, name, Change.NONE);
        if (status != Status.OK) {
            letGo(new Held(orphans.id, holder.id, parent, name, id));
        }
        return status;
    }

    /** From here on it is the reaper's; {@link #letGo} comes next. */
    public Status release(Held tree, Change change) {
        add();
        Status status = rename(tree.holder, tree.name, tree.orphans, nameOf(tree.id), false, change, new Attributes());
        add();
        return status;
    }

    /**
     * To where it was; if that name is taken, under its id in hexadecimal beside it; if its parent is gone, under that in the root. If the
     * pool has no room for that it stays held until the next start.
     */
    public void putBack(Held tree) {
        Name unique = nameOf(tree.id);
        long stamp = stopMoves();
        try {
            Status status = tree.name.length() == 0 ? Status.NOT_FOUND : rename(tree, tree.parent, tree.name);
            if (status == Status.EXISTS) {
                status = told(tree, rename(tree, tree.parent, unique), "beside its place, which is taken");
            }
            if (status == Status.NO_SUCH_DIRECTORY || status == Status.EXISTS) {
                status = told(tree, rename(tree, Namespace.ROOT_ID, unique), "in the root, for its place is gone");
            }
            if (status == Status.OK || status == Status.NOT_FOUND) {
                letGo(tree);
            } else {
                LOG.log(
                        Level.ERROR,
                        "directory {0} cannot be put back: {1}; the next start tries again, make room for it",
                        unique,
                        status);
            }
        } finally {
            endMoves(stamp);
        }
    }

    private Status rename(Held tree, long parent, Name name) {
        return holds(parent)
                ? Status.NO_SUCH_DIRECTORY
                : rename(tree.holder, tree.name, parent, name, false, Change.NONE, new Attributes());
    }

    private static Status told(Held tree, Status status, String where) {
        if (status == Status.OK) {
            LOG.log(
                    Level.WARNING,
                    "{0}, which was not to be removed, is now {1} {2}",
                    tree.name,
                    nameOf(tree.id),
                    where);
        }
        return status;
    }

    /** It is not held any more. */
    public void letGo(Held tree) {
        changes.rmdir(tree.orphans, tree.holderName(), Change.NONE);
        hold(-1);
    }

    /** A tree in it stays there. */
    public void keepBusy() {
        hold(1);
    }

    private synchronized void hold(int trees) {
        held += trees;
    }

    private synchronized void add() {
        added++;
        notifyAll();
    }

    /** Waits for something to reap; then what {@link #reaped} is to be told when all that is there now has been. -1: no more. */
    public synchronized long await() throws InterruptedException {
        while (added == reaped && !closed) {
            wait();
        }
        return closed ? -1 : added;
    }

    public synchronized void reaped(long until) {
        reaped = until;
    }

    /** The reaper has removed some more entries. */
    public void removed(int entries) {
        removed.addAndGet(entries);
    }

    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    public boolean isClosed() {
        return closed;
    }

    /** Whether there may be something in it. */
    public boolean isBusy() {
        return added != reaped || held > 0;
    }

    /**
     * Whether a directory is in it, or it itself, or gone. In the time that a climb to the root takes, and only while there is something
     * in it.
     */
    public boolean holds(long directory) {
        if (!isBusy()) {
            return directory == self;
        }
        long[] above = namespace.above(directory);
        for (long each : above) {
            if (each == self) {
                return true;
            }
        }
        return above.length == 0;
    }

    /** Whether the reaper has removed something meanwhile: what to ask when the pool is full. */
    public boolean isMakingRoom() {
        long before = removed.get();
        for (int i = 0; i < PAUSES_MAX && isBusy() && !closed && removed.get() == before; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return removed.get() != before;
    }
}
