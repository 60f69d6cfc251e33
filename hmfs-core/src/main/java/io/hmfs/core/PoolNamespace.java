package io.hmfs.core;

import io.hmfs.core.alloc.Epochs;
import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Clock;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.engine.IdSource;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.engine.Keys;
import io.hmfs.core.engine.Principals;
import io.hmfs.core.engine.RecordTable;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.op.Operations;
import io.hmfs.core.pmem.GroupCommit;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.recovery.BackgroundScan;
import io.hmfs.core.recovery.CleanClose;
import io.hmfs.core.recovery.MachineEnd;
import io.hmfs.core.recovery.OutcomeRecovery;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.space.Growth;
import io.hmfs.core.space.Reclaimer;
import io.hmfs.core.space.SpaceRetry;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Change;
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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Namespace} on an open pool: the operations, the background threads beside them, and fail-stop: an unexpected error
 * inside an operation leaves it half done, so nothing more runs on this pool until it is opened again and recovered.
 */
final class PoolNamespace implements ServerNamespace, OperationGuard {
    private static final System.Logger LOG = System.getLogger(PoolNamespace.class.getName());
    private static final long CLOSE_NANOS = 10_000_000_000L;

    private final String path;
    private final PoolFile file;
    private final GroupCommit groupCommit;
    private final boolean waits;
    private final Engine engine;
    private final Operations operations;
    private final NumberedChanges numbered;
    private final Records records;
    private final RemovedFiles removed;
    private final ChildList lists;
    private final Principals principals;
    private final IndexSegments segments;
    private final BackgroundScan scan;
    private final Background background;
    private final Reclaimer reclaimer;
    final Growth growth; // tests ask it too
    private volatile BooleanSupplier helper = () -> false;
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** Opens the engine on a checked pool. Without background threads, tests call what these would do. */
    PoolNamespace(String path, PoolFile file, boolean withBackground) {
        this(path, file, withBackground, true);
    }

    /** {@code waits}: whether methods see to it that an answer is given only when it is safe, or the caller does. */
    PoolNamespace(String path, PoolFile file, boolean withBackground, boolean waits) {
        this(path, file, withBackground, waits, false);
    }

    /** {@code keepsData}: whether files have data that is kept elsewhere. */
    PoolNamespace(String path, PoolFile file, boolean withBackground, boolean waits, boolean keepsData) {
        this.path = path;
        this.file = file;
        this.groupCommit = file.groupCommit();
        this.waits = waits && file.pmem().persistence() == Persistence.LOGGED;
        Pmem pmem = file.pmem();
        long header = file.header();
        Summary summary = Summary.read(pmem, header).forData(keepsData);
        // [open.2] † From here on the summary is worth nothing, durably so: the first slot that is taken is another
        // state.
        MachineEnd.record(pmem, header); // in the same line
        pmem.set(header + PoolHeader.STARTS_OFFSET, pmem.get(header + PoolHeader.STARTS_OFFSET) + 1);
        pmem.setRelease(header + PoolHeader.STATE_OFFSET, 0);
        pmem.persist(header + PoolHeader.STARTS_OFFSET, 16);
        Regions regions = new Regions(file);
        Keys keys = new Keys(pmem, pmem.get(header + PoolHeader.SEED_OFFSET));
        this.segments = new IndexSegments(pmem, regions);
        HashIndex index = HashIndex.open(pmem, header + PoolHeader.INDEX_ROOT_OFFSET, keys::ofObject, segments);
        this.engine = new Engine(
                pmem,
                regions,
                index,
                keys,
                new Epochs(),
                new Clock(pmem, header),
                new IdSource(pmem, header),
                summary,
                keepsData);
        engine.dead.left(summary.isValid() ? summary.dead() : 0);
        this.principals = new Principals(pmem, regions);
        this.lists = new ChildList(engine);
        Recovery recovery = new Recovery(engine, lists);
        new OutcomeRecovery(engine, lists, recovery).run();
        this.operations = new Operations(engine, lists, recovery);
        this.numbered = new NumberedChanges(engine, this);
        RecordTable table = new RecordTable(pmem, regions, engine.clock);
        if (keepsData) {
            table.reserve(); // an embedder that keeps data elsewhere gives leases on it, also when the pool has
            // filled up by then
        }
        this.records = new PoolRecords(this, this, engine, table);
        this.removed = keepsData ? new PoolRemovedFiles(this, engine) : RemovedFiles.NONE;
        this.scan = new BackgroundScan(engine, lists, recovery);
        this.background = new Background(this::failStop);
        this.reclaimer = new Reclaimer(engine, lists, scan, withBackground);
        this.growth = new Growth(path, file, engine);
        groupCommit.onFailure(this::failStop);
        if (withBackground) {
            background.start("hmfs-scan", this::scanInBackground);
            background.start("hmfs-regions", regions::prepareUntilInterrupted);
            background.start("hmfs-growth", growth::runUntilInterrupted);
            background.start("hmfs-sweeper", this::sweepUntilInterrupted);
        }
    }

    /** What is wrong in a pool at rest, in words; see {@link PoolCheck}. */
    List<String> problems() {
        return PoolCheck.run(file, engine);
    }

    /** What the background threads do after a start, done here and now. For tests. */
    void scanInBackground() {
        segments.collect();
        scan.run();
    }

    private void sweepUntilInterrupted() {
        for (Long directory = engine.dead.take(); directory != null; directory = engine.dead.take()) {
            sweep(directory);
        }
    }

    /** What the sweeper does for a directory that has gathered many dead children. */
    void sweep(long directory) {
        int pin = engine.epochs.pin();
        try {
            long content = engine.findContent(directory);
            if (content != Pmem.NULL) {
                lists.sweep(content, ChildList.Sweep.TRY);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public void check() {
        Throwable cause = failure;
        if (cause != null || closed) {
            String why = closed ? " is closed" : " has stopped after an error; reopen it: " + cause;
            throw new IllegalStateException("the namespace " + path + why, cause);
        }
        groupCommit.enter();
    }

    @Override
    public void awaitDurable() {
        if (waits) {
            groupCommit.await(groupCommit.position());
        }
    }

    private Status safe(Status status) {
        awaitDurable();
        return status;
    }

    @Override
    public void failStop(Throwable cause) {
        if (failure == null && !(closed && cause instanceof Epochs.ClosedException)) {
            failure = cause;
            engine.locks.poison();
            engine.sweepers.poison();
            growth.stop();
            reclaimer.cutShort(); // last: an operation that is cut short tries again, and is told why not
            LOG.log(System.Logger.Level.ERROR, "operation failed half way; the namespace " + path + " stops", cause);
        }
    }

    /** Remembers what a visitor threw. */
    private final class CallerError implements ListVisitor {
        private final ListVisitor visitor;
        private @Nullable Throwable thrown;

        CallerError(ListVisitor visitor) {
            this.visitor = visitor;
        }

        @Override
        public boolean visit(Name name, Attributes attributes) {
            awaitDurable();
            try {
                return visitor.visit(name, attributes);
            } catch (RuntimeException | Error e) {
                thrown = e;
                throw e;
            }
        }

        @Override
        public void passing() {
            try {
                visitor.passing();
            } catch (RuntimeException | Error e) {
                thrown = e;
                throw e;
            }
        }
    }

    @Override
    public NumberedChanges numbered() {
        return numbered;
    }

    @Override
    public Records records() {
        return records;
    }

    @Override
    public RemovedFiles removedFiles() {
        return removed;
    }

    @Override
    public Status stopping(Body body) {
        check();
        try {
            return safe(body.run());
        } catch (RuntimeException | Error e) {
            failStop(e);
            throw e;
        }
    }

    @Override
    public Status allocating(Body body) {
        Status status = stopping(body);
        SpaceRetry retry = status == Status.NO_SPACE ? new SpaceRetry(engine) : null;
        while (retry != null && status == Status.NO_SPACE && retry.next()) {
            retry.made(stopping(this::reclaim) == Status.OK);
            status = stopping(body); // also if nothing was freed now: the engine may have stopped
        }
        return status;
    }

    @Override
    public void grow() {
        check();
        try {
            growth.makeRoom();
        } catch (RuntimeException | Error e) {
            failStop(e);
            throw e;
        }
    }

    private Status reclaim() {
        return growth.makeRoom() || isReclaimed() ? Status.OK : Status.NO_SPACE;
    }

    /** Whether there is room by now: by the helper, or by a sweep after it, which finds what the helper has removed. */
    private boolean isReclaimed() {
        boolean helped = helper.getAsBoolean();
        return reclaimer.run() || helped;
    }

    @Override
    public void whenFull(BooleanSupplier newHelper) {
        helper = newHelper;
    }

    @Override
    public Status stat(long directory, Name name, Attributes out) {
        check();
        try {
            return safe(operations.stat(directory, name, out));
        } catch (RuntimeException | Error e) {
            failStop(e);
            throw e;
        }
    }

    /** Executes what a batch asks for; an unexpected error stops the namespace. Allocates nothing. */
    private void executeAll(NameBatch batch) {
        check();
        try {
            safe(operations.execute(batch));
        } catch (RuntimeException | Error e) {
            failStop(e);
            throw e;
        }
    }

    @Override
    public Status create(
            long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        Status status = createOnce(directory, name, mode, uid, gid, acl, change, out);
        return status == Status.NO_SPACE
                ? allocating(() -> createOnce(directory, name, mode, uid, gid, acl, change, out))
                : status;
    }

    private Status createOnce(
            long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        check();
        try {
            return safe(operations.create(directory, name, mode, uid, gid, acl, change, out));
        } catch (RuntimeException | Error e) {
            failStop(e);
            throw e;
        }
    }

    @Override
    public void createAll(CreateBatch batch) {
        batch.askAgain(null);
        executeAll(batch);
        SpaceRetry retry = batch.has(Status.NO_SPACE) ? new SpaceRetry(engine) : null;
        while (retry != null && batch.has(Status.NO_SPACE) && retry.next()) {
            retry.made(stopping(this::reclaim) == Status.OK);
            batch.askAgain(Status.NO_SPACE);
            executeAll(batch);
        }
    }

    @Override
    public Status delete(long directory, Name name, Change change, Attributes removed) {
        check();
        try {
            return safe(operations.delete(directory, name, change, removed));
        } catch (RuntimeException | Error e) {
            failStop(e);
            throw e;
        }
    }

    @Override
    public Status rename(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced) {
        return allocating(() -> operations.rename(source, sourceName, target, targetName, replace, change, replaced));
    }

    @Override
    public Status append(long directory, Name name, long id, long size, Change change) {
        check();
        try {
            return safe(operations.append(directory, name, id, size, change));
        } catch (RuntimeException | Error e) {
            failStop(e);
            throw e;
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // this very error, not one like it
    public Status list(long directory, ListCursor cursor, ListVisitor visitor) {
        check();
        CallerError fromVisitor = new CallerError(visitor);
        try {
            return safe(operations.list(directory, cursor, fromVisitor));
        } catch (RuntimeException | Error e) {
            // A listing is nowhere half way when it calls the visitor, so the visitor's own error stops nothing.
            if (e != fromVisitor.thrown) {
                failStop(e);
            }
            throw e;
        }
    }

    @Override
    public Status count(TreeCount tree, long entriesMax) {
        Status status = stopping(() -> operations.count(tree, entriesMax));
        tree.rethrow();
        return status;
    }

    @Override
    public void statAll(StatBatch batch) {
        executeAll(batch);
    }

    @Override
    public void deleteAll(DeleteBatch batch) {
        batch.askAgain(null);
        executeAll(batch);
    }

    @Override
    public void appendAll(AppendBatch batch) {
        batch.askAgain(null);
        executeAll(batch);
    }

    @Override
    public Status symlink(long directory, Name name, byte[] target, int uid, int gid, Change change, Attributes out) {
        return allocating(() -> operations.symlink(directory, name, target, uid, gid, change, out));
    }

    @Override
    public Status readlink(long directory, Name name, Bytes out) {
        return stopping(() -> operations.readlink(directory, name, out));
    }

    @Override
    public Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode, Change change) {
        return allocating(() -> operations.setXattr(directory, name, attribute, value, mode, change));
    }

    @Override
    public Status getXattr(long directory, Name name, Name attribute, Bytes out) {
        return stopping(() -> operations.getXattr(directory, name, attribute, out));
    }

    @Override
    public Status listXattrs(long directory, Name name, List<Name> out) {
        return stopping(() -> operations.listXattrs(directory, name, out));
    }

    @Override
    public Status readXattrs(long directory, Name name, XattrVisitor visitor) {
        return stopping(() -> operations.readXattrs(directory, name, visitor));
    }

    @Override
    public Status removeXattr(long directory, Name name, Name attribute, Change change) {
        return allocating(() -> operations.removeXattr(directory, name, attribute, change));
    }

    @Override
    public Status changeAcl(long directory, Name name, AclEdit edit, Change change) {
        return allocating(() -> operations.changeAcl(directory, name, edit, change));
    }

    @Override
    public Status mkdir(
            long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        return allocating(() -> operations.mkdir(directory, name, mode, uid, gid, acl, change, out));
    }

    @Override
    public Status statDirectory(long directory, Attributes out) {
        return stopping(() -> operations.statDirectory(directory, out));
    }

    @Override
    public Status orphans(boolean make, Attributes out) {
        return make ? allocating(() -> operations.orphans(true, out)) : stopping(() -> operations.orphans(false, out));
    }

    @Override
    public Status link(long directory, Name name, long targetDirectory, Name targetName, Attributes out) {
        return allocating(() -> operations.link(directory, name, targetDirectory, targetName, out));
    }

    @Override
    public Status rmdir(long directory, Name name, Change change) {
        return stopping(() -> operations.rmdir(directory, name, change));
    }

    @Override
    public Status chmod(long directory, Name name, int mode, Change change) {
        return stopping(() -> operations.chmod(directory, name, mode, change));
    }

    @Override
    public Status chown(long directory, Name name, int uid, int gid, Change change) {
        return stopping(() -> operations.chown(directory, name, uid, gid, change));
    }

    @Override
    public Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos, Change change) {
        return stopping(() -> operations.setTimes(directory, name, mtimeNanos, atimeNanos, change));
    }

    @Override
    public Status truncate(long directory, Name name, long size, Change change) {
        return stopping(() -> operations.truncate(directory, name, size, change));
    }

    @Override
    public Status path(long directory, StringBuilder out) {
        return stopping(() -> operations.path(directory, out));
    }

    @Override
    public long[] above(long directory) {
        long[][] ids = new long[1][];
        stopping(() -> {
            ids[0] = operations.above(directory);
            return Status.OK;
        });
        return ids[0];
    }

    @Override
    public Status path(long directory, long id, StringBuilder out) {
        return stopping(() -> operations.path(directory, id, out));
    }

    @Override
    public Status findPath(long id, StringBuilder out) {
        return stopping(() -> operations.findPath(id, out));
    }

    @Override
    public int principalId(String name) {
        check();
        int pin = engine.epochs.pin();
        try {
            return principals.id(name);
        } finally {
            engine.epochs.unpin(pin);
            awaitDurable();
        }
    }

    @Override
    public int principalRoom() {
        check();
        return principals.room();
    }

    @Override
    public int knownPrincipalId(String name) {
        check();
        int id = principals.known(name);
        awaitDurable();
        return id;
    }

    @Override
    public String principalName(int id) {
        check();
        String name = principals.name(id);
        awaitDurable();
        return name == null ? Integer.toString(id) : name;
    }

    @Override
    public long logPosition() {
        return groupCommit.position();
    }

    @Override
    public void whenDurable(long position, Runnable action, Consumer<Throwable> onFailure) {
        groupCommit.whenDurable(position, action, onFailure);
    }

    @Override
    public void whenDurableAnyway(long position, Runnable action, Consumer<Throwable> onFailure) {
        groupCommit.whenDurableAnyway(position, action, onFailure);
    }

    @Override
    public PoolStatus poolStatus() {
        check();
        int pin = engine.epochs.pin();
        try {
            return PoolReports.status(path, file, engine, growth, scan);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public PoolFigures poolFigures() {
        return PoolReports.figures(engine, groupCommit);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        scan.stop();
        growth.stop();
        background.stop();
        reclaimer.stop(this::release);
    }

    private void release() {
        if (!engine.epochs.close(CLOSE_NANOS)) {
            LOG.log(System.Logger.Level.ERROR, path + " is still in use; it stays mapped until this process ends");
            return;
        }
        try {
            if (failure == null) {
                CleanClose.run(engine, file.header(), scan.knowsFree());
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, path + " was not closed cleanly; the next start recovers it", e);
        } finally {
            file.close();
        }
    }
}
