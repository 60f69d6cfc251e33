package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Caller;
import io.hmfs.server.access.Grants;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.quota.QuotaAccounting;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.Session;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/**
 * Create: an empty file is made and opened for writing. The files of a batch share a fence, and those of one directory a compare-and-swap
 * and another fence (HMFS §4).
 */
public final class CreateHandler extends BatchedHandler {
    /** The batch holds as many key locks; a read of 64 KiB brings more creates. */
    private static final int CAPACITY = 128;

    /** Creates are executed one by one with {@code -Dhmfs.batchCreates=false}: to measure what batches bring. */
    private static final boolean BATCHES = !"false".equals(System.getProperty("hmfs.batchCreates"));

    private static final int ATTEMPTS_MAX = 16;
    private static final int NO_ACCESS = 0;
    private static final Attributes NOTHING = new Attributes(); // replaced by a create of a batch

    private final FileGrants grants;
    private final CreateBatch batch;
    private final long[] leases = new long[CAPACITY];
    private final CreateDecoder create = new CreateDecoder();
    private int pathAt;
    private int pathLength;
    private final NewEntry entry = new NewEntry();
    private final DiscardedFile removed = new DiscardedFile();
    private final FileReplacement replacement = new FileReplacement(removed);
    private final RecordedEntry recorded = new RecordedEntry();
    private final Attributes present = new Attributes();
    private long changes; // that had ended grants before the files were made

    public CreateHandler(Grants grants) {
        this(grants, new CreateBatch(CAPACITY));
    }

    private CreateHandler(Grants grants, CreateBatch batch) {
        super(RequestKind.CREATE, batch);
        this.grants = new FileGrants(grants);
        this.batch = batch;
    }

    private void decode(Request request) {
        request.checkBlock(CreateDecoder.BLOCK_LENGTH);
        create.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        pathLength = create.pathLength();
        pathAt = create.limit() + CreateDecoder.pathHeaderLength();
    }

    private Status resolve(Request request) {
        return request.path().resolve(create.baseId(), request.in(), pathAt, pathLength);
    }

    private boolean isOverwriting() {
        return create.flags().overwrite();
    }

    /** Whether one version of a file is to be replaced, and nothing else will do. */
    private boolean isConditional() {
        return isOverwriting() && create.expectedInode() != 0;
    }

    /** Whether missing parents are made; for one version of a file there are none, or the create is refused. */
    private boolean makesParents() {
        return create.flags().createParents() && !isConditional();
    }

    private boolean areModesValid() {
        return create.mode() <= NewEntry.MODE_MAX && create.unmaskedMode() <= NewEntry.MODE_MAX;
    }

    /** Takes a create that replaces nothing, of a user with an id. */
    @Override
    public boolean add(Request request) {
        decode(request);
        // Without making parents: those that are missing may depend on creates of this batch, and are made after it.
        return BATCHES
                && !isOverwriting()
                && areModesValid()
                && request.uid() != Caller.NOBODY
                && !WriteLease.isFull(request, create.lease())
                && resolve(request) == Status.OK
                && NewEntry.check(request.path()) == Status.OK
                && take(request, false) == Status.OK;
    }

    /** Adds a request whose path was resolved. Null: it would have to wait. Unless the answer is OK nothing has been done. */
    private @Nullable Status take(Request request, boolean alone) {
        PathResolver path = request.path();
        QuotaAccounting accounting = request.accounting();
        Status outcome = accounting.joinBatch(path.parentId);
        if (outcome != Status.OK) {
            return outcome;
        }
        outcome = accounting.charge(path.parentId, 1, 0, alone);
        if (outcome != Status.OK) {
            accounting.leaveBatch();
            return outcome == null ? null : accounting.refused(outcome, path.parentId, path.name, request.attributes());
        }
        if (!alone && !request.claimIfNew()) {
            accounting.add(path.parentId, -1, 0);
            accounting.leaveBatch();
            return null;
        }
        entry.describe(path, create.mode(), create.unmaskedMode(), false);
        int row = batch.addFile(path.parentId, path.name, entry.mode(), request.uid(), entry.gid(), entry.acl());
        leases[row] = create.lease();
        if (alone) {
            addedAlone(request, path.base());
        } else {
            added(request);
        }
        return Status.OK;
    }

    @Override
    public void executeAll(Request request) {
        changes = request.partition().grantEpochs().changes();
        request.namespace().createAll(batch);
        for (int row = 0; row < batch.size(); row++) {
            if (batch.status(row) != Status.OK) {
                request.accounting().add(batch.directory(row), -1, 0);
            }
        }
        giveLeases(request.partition().leases());
    }

    /** Before the first reply: one fence for all leases. */
    private void giveLeases(Leases all) {
        boolean any = false;
        for (int row = 0; row < batch.size(); row++) {
            if (leases[row] != Leases.NONE && batch.status(row) == Status.OK) {
                Session session = requests().session(row);
                all.give(batch.attributes(row).id, session.client(), session.host(), leases[row]);
                any = true;
            }
        }
        if (any) {
            all.fence();
        }
    }

    @Override
    public void reply(Request request, int row) {
        replyMade(request, batch.directory(row), batch.name(row), batch.attributes(row), NOTHING);
    }

    /** The user that made a file owns it, unless the file has been given to another user since: then nothing is granted. */
    private void replyMade(Request request, long directory, Name name, Attributes made, Attributes replaced) {
        int granted = Grants.WRITE | Grants.OWNER;
        long epoch = FileGrants.epoch(request, made.id, granted);
        boolean isOwn = request.partition().grantEpochs().changes() == changes || isOwn(request, directory, name, made);
        grants.replyOpened(request, directory, made, replaced, isOwn ? granted : NO_ACCESS, epoch);
    }

    private boolean isOwn(Request request, long directory, Name name, Attributes made) {
        return request.namespace().stat(directory, name, present) == Status.OK
                && present.id == made.id
                && present.uid == made.uid;
    }

    /** What has the name may be a symbolic link: then the file that is meant is where that leads. */
    @Override
    public void refuse(Request request, int row, Status status) {
        boolean link = status == Status.EXISTS && batch.attributes(row).isSymlink();
        Status seen = link ? request.links().unresolved(batch.directory(row), batch.name(row), "") : status;
        request.reply().status(PathResolver.seen(seen, requests().base(row)));
    }

    @Override
    protected void release(Request request, int row) {
        request.accounting().leaveBatch();
    }

    @Override
    public void execute(Request request) {
        decode(request);
        if (!areModesValid() || (makesParents() && !NewEntry.isParentMode(create.parentMode()))) {
            request.reply().status(Status.INVALID_ARGUMENT); // now: else parents were made for what cannot be
            return;
        }
        if (WriteLease.isFull(request, create.lease())) {
            WriteLease.replyFull(request);
            return;
        }
        PathResolver path = request.path();
        if (makesParents()) {
            NewEntry.makeParents(path, create.parentMode());
        }
        removed.clear();
        Status outcome = resolve(request);
        outcome = outcome == Status.OK ? NewEntry.check(path) : NewEntry.unresolved(path, outcome);
        if (outcome == Status.OK && !isConditional()) {
            outcome = number(request);
        }
        if (outcome == Status.OK) {
            outcome = isConditional() ? replace(request, create) : makeOrReplace(request);
        }
        if (outcome != null) {
            request.reply().status(path.seen(NewEntry.followed(request, outcome)));
        }
    }

    /** Gives the user an id. A conditional create does so once it has seen the version that it expects. */
    private Status number(Request request) {
        if (!isOverwriting()) {
            return NewEntry.number(request);
        }
        Status outcome = request.uid() == Caller.NOBODY ? replacement.check(request) : Status.OK;
        return outcome == Status.OK || outcome == Status.NOT_FOUND ? request.number() : outcome;
    }

    /** With overwrite, what has the name is replaced; a create or a replacement that comes too late is tried again. As {@link #make}. */
    private @Nullable Status makeOrReplace(Request request) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Status outcome = make(request);
            if (outcome != Status.EXISTS || !isOverwriting()) {
                return outcome;
            }
            outcome = replace(request, null);
            if (outcome != Status.NOT_FOUND) {
                return outcome;
            }
        }
        request.reply().status(Status.EXISTS);
        return null;
    }

    /** Makes a file under a name that nothing has. Null: the reply has been given; else why there is none yet. */
    private @Nullable Status make(Request request) {
        Status outcome = take(request, true);
        if (outcome == null) {
            throw KeyLocks.mustWait();
        }
        if (outcome != Status.OK) {
            return outcome;
        }
        executeAll(request);
        if (isOverwriting() && status(0) == Status.EXISTS) {
            clear(request);
            return Status.EXISTS;
        }
        replyAlone(request);
        return null;
    }

    /** As {@link #make}, in place of what has the name: NOT_FOUND if nothing has it. */
    private @Nullable Status replace(Request request, @Nullable CreateDecoder condition) {
        PathResolver path = request.path();
        entry.describe(path, create.mode(), create.unmaskedMode(), false);
        changes = request.partition().grantEpochs().changes();
        Status outcome = replacement.run(request, entry, condition);
        if (outcome != Status.OK) {
            return outcome;
        }
        Attributes made = request.attributes();
        WriteLease.give(request, made.id, create.lease());
        replyMade(request, path.parentId, path.name, made, removed.attributes());
        return null;
    }

    /** A create that replaced a file ended with a rename. */
    @Override
    public boolean isRecorded(Request request, ChangeOutcome outcome) {
        if (outcome.kind != ChangeOutcome.Kind.RENAME) {
            return outcome.kind == ChangeOutcome.Kind.CREATE;
        }
        decode(request);
        return isOverwriting();
    }

    /** Grant and lease are given for the file as it is now: still there under its name, a file, and the user's to write. */
    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        decode(request);
        GrantEpochs epochs = request.partition().grantEpochs();
        long before = epochs.changes();
        recorded.describe(outcome, FileType.FILE, create.mode(), 0);
        recorded.inherit(request, outcome, create.baseId(), pathAt, pathLength);
        boolean writes = recorded.mayStillWrite(request.path());
        if (writes) {
            WriteLease.giveAgain(request, outcome.id, create.lease());
        }
        Attributes replaced = removed.attributes();
        replaced.id = outcome.removedId;
        replaced.size = outcome.removedSize;
        int granted = writes ? Grants.WRITE | (recorded.isOwn(request) ? Grants.OWNER : 0) : NO_ACCESS;
        long epoch = FileGrants.epoch(request, outcome.id, granted);
        boolean isOld = epochs.changes() != before; // what was looked at may be: the client opens the file anew
        grants.replyOpened(request, outcome.parentId, recorded.made(), replaced, isOld ? NO_ACCESS : granted, epoch);
    }
}
