package io.hmfs.server.exec;

import io.hmfs.core.NumberedChanges;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.MkdirDecoder;
import io.hmfs.wire.ModifyAclDecoder;
import io.hmfs.wire.RemoveAclDecoder;
import io.hmfs.wire.RemoveAclEntriesDecoder;
import io.hmfs.wire.RemoveDefaultAclDecoder;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.RemoveXattrDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.SetAclDecoder;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.SetOwnerDecoder;
import io.hmfs.wire.SetTimesDecoder;
import io.hmfs.wire.SetXattrDecoder;
import io.hmfs.wire.SymlinkDecoder;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a change that was executed before a crash: what it was the first time follows from the pool's record of it and from the
 * request, which comes again as it was.
 */
final class Recorded {
    private static final int SYMLINK_MODE = 0777;
    private static final int NOTHING = 0;

    private final Worker worker;
    private final ChangeOutcome outcome = new ChangeOutcome();
    private final Attributes made = new Attributes();
    private final Attributes removed = new Attributes();
    private final Attributes present = Attributes.withAcl();
    private boolean found;
    private final CreateDecoder create = new CreateDecoder();
    private final AppendDecoder append = new AppendDecoder();
    private final MkdirDecoder mkdir = new MkdirDecoder();
    private final SymlinkDecoder symlink = new SymlinkDecoder();

    Recorded(Worker worker) {
        this.worker = worker;
    }

    /** Whether the current request is one that leaves a record if it is executed. */
    boolean covers() {
        return kindOf(worker.header.templateId()) != null;
    }

    private static ChangeOutcome.@Nullable Kind kindOf(int template) {
        return switch (template) {
            case CreateDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.CREATE;
            case MkdirDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.MKDIR;
            case SymlinkDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.SYMLINK;
            case DeleteDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.DELETE;
            case RmdirDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.RMDIR;
            case RenameDecoder.TEMPLATE_ID, RemoveTreeDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.RENAME;
            case SetModeDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.CHMOD;
            case SetOwnerDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.CHOWN;
            case SetTimesDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.SET_TIMES;
            case SetXattrDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.SET_XATTR;
            case RemoveXattrDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.REMOVE_XATTR;
            case AppendDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.APPEND;
            case TruncateDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.TRUNCATE;
            case ModifyAclDecoder.TEMPLATE_ID,
                    RemoveAclEntriesDecoder.TEMPLATE_ID,
                    RemoveDefaultAclDecoder.TEMPLATE_ID,
                    RemoveAclDecoder.TEMPLATE_ID,
                    SetAclDecoder.TEMPLATE_ID -> ChangeOutcome.Kind.CHANGE_ACL;
            default -> null;
        };
    }

    /** Whether the record is of a change like the current request. A create that replaced something ended with a rename. */
    private boolean isOf(int template) {
        boolean replaced = template == CreateDecoder.TEMPLATE_ID && outcome.kind == ChangeOutcome.Kind.RENAME;
        return outcome.kind == kindOf(template)
                || (replaced && openCreate().flags().overwrite());
    }

    private CreateDecoder openCreate() {
        CreateRequests.checkCreate(worker);
        return create.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
    }

    /** Answers the current request. */
    void answer(long ring, long sequence) {
        if (ring == NumberedChanges.NONE // another client has it by now
                || !worker.namespace.numbered().find(ring, sequence, outcome)
                || !isOf(worker.header.templateId())) { // a number is of one change for ever
            worker.once.forgotten();
            return;
        }
        removed.id = outcome.removedId;
        removed.size = outcome.removedSize;
        int blockLength = worker.header.blockLength();
        int version = worker.header.version();
        switch (worker.header.templateId()) {
            case CreateDecoder.TEMPLATE_ID -> {
                openCreate();
                make(FileType.FILE, create.mode(), 0);
                int at = create.limit() + CreateDecoder.pathHeaderLength();
                inherit(create.baseId(), at, create.pathLength());
                if (found && outcome.kind == ChangeOutcome.Kind.RENAME) {
                    made.mtimeNanos = present.mtimeNanos; // it was made before it was put in place
                    made.atimeNanos = present.atimeNanos;
                }
                boolean writes = mayStillWrite();
                if (writes) {
                    worker.leases.giveAgain(outcome.id, LeaseRequests.told(create.lease()));
                }
                worker.open(outcome.parentId, made, removed, writes ? Grants.WRITE : NOTHING);
            }
            case MkdirDecoder.TEMPLATE_ID -> {
                worker.checkBlock(
                        MkdirDecoder.BLOCK_LENGTH, CreateRequests.UNMASKED_SINCE, CreateRequests.MKDIR_BEFORE);
                mkdir.wrap(worker.in, Wire.HEADER_SIZE, blockLength, version);
                make(FileType.DIRECTORY, mkdir.mode(), 0);
                int at = mkdir.limit() + MkdirDecoder.pathHeaderLength();
                inherit(mkdir.baseId(), at, mkdir.pathLength());
                worker.reply.entry(outcome.parentId, made);
            }
            case SymlinkDecoder.TEMPLATE_ID -> {
                worker.checkBlock(SymlinkDecoder.BLOCK_LENGTH);
                symlink.wrap(worker.in, Wire.HEADER_SIZE, blockLength, version).skipPath();
                byte[] target = new byte[symlink.targetLength()];
                symlink.getTarget(target, 0, target.length);
                make(FileType.SYMLINK, SYMLINK_MODE, target.length);
                worker.reply.entry(outcome.parentId, made, target);
            }
            case AppendDecoder.TEMPLATE_ID -> {
                AppendRequests.check(worker);
                append.wrap(worker.in, Wire.HEADER_SIZE, blockLength, version);
                if (append.last() == 1) {
                    worker.leases.end(append.inode(), LeaseRequests.told(append.lease()));
                }
                worker.reply.done();
            }
            case DeleteDecoder.TEMPLATE_ID, RenameDecoder.TEMPLATE_ID -> worker.reply.done(removed.id, removed.size);
            default -> worker.reply.done();
        }
    }

    /** What is given now, grant and lease, is for the file as it is now: still there under its name, a file, and the user's to write. */
    private boolean mayStillWrite() {
        return found
                && !present.isDirectory()
                && !present.isSymlink()
                && worker.path.may(present, Access.WRITE) == Status.OK;
    }

    /** What a default ACL had made of the mode the request does not tell: what was made is asked, if it is there. */
    private void inherit(long base, int at, int length) {
        PathResolver path = worker.path;
        found = path.resolve(base, worker.in, at, length) == Status.OK
                && worker.namespace.stat(path.parentId, path.name, present) == Status.OK
                && present.id == outcome.id;
        made.hasAcl = found && present.hasAcl;
        boolean inherited = made.hasAcl || (found && Acl.hasDefault(path.parentAcl()));
        made.mode = inherited ? present.mode : made.mode; // else as asked for: others may have changed it since
    }

    private void make(FileType type, int mode, long size) {
        made.hasAcl = false;
        made.id = outcome.id;
        made.type = type;
        made.mode = mode;
        made.uid = outcome.uid;
        made.gid = outcome.gid;
        made.size = size;
        made.mtimeNanos = outcome.timeNanos;
        made.atimeNanos = outcome.timeNanos;
        made.ctimeNanos = outcome.timeNanos;
    }
}
