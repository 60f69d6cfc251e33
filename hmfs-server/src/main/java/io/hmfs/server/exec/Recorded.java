package io.hmfs.server.exec;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.FileType;
import io.hmfs.server.access.Grants;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.MkdirDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.SetOwnerDecoder;
import io.hmfs.wire.SymlinkDecoder;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.Wire;

/**
 * The answer to a change that was executed before a crash: what it was the first time follows from the pool's record of it and from the
 * request, which comes again as it was.
 */
final class Recorded {
    private static final int SYMLINK_MODE = 0777;

    private final Worker worker;
    private final ChangeOutcome outcome = new ChangeOutcome();
    private final Attributes made = new Attributes();
    private final Attributes removed = new Attributes();
    private final CreateDecoder create = new CreateDecoder();
    private final MkdirDecoder mkdir = new MkdirDecoder();
    private final SymlinkDecoder symlink = new SymlinkDecoder();

    Recorded(Worker worker) {
        this.worker = worker;
    }

    /** Whether changes of this kind leave a record if they are executed. */
    static boolean covers(int template) {
        return switch (template) {
            case CreateDecoder.TEMPLATE_ID,
                    MkdirDecoder.TEMPLATE_ID,
                    SymlinkDecoder.TEMPLATE_ID,
                    DeleteDecoder.TEMPLATE_ID,
                    RmdirDecoder.TEMPLATE_ID,
                    RenameDecoder.TEMPLATE_ID,
                    SetModeDecoder.TEMPLATE_ID,
                    SetOwnerDecoder.TEMPLATE_ID,
                    AppendDecoder.TEMPLATE_ID,
                    TruncateDecoder.TEMPLATE_ID -> true;
            default -> false;
        };
    }

    /** Answers the current request. */
    void answer(long ring, long sequence) {
        if (!worker.namespace.numbered().find(ring, sequence, outcome)) {
            worker.once.forgotten();
            return;
        }
        removed.id = outcome.removedId;
        removed.size = outcome.removedSize;
        int blockLength = worker.header.blockLength();
        int version = worker.header.version();
        switch (worker.header.templateId()) {
            case CreateDecoder.TEMPLATE_ID -> {
                worker.checkBlock(CreateDecoder.BLOCK_LENGTH);
                make(
                        FileType.FILE,
                        create.wrap(worker.in, Wire.HEADER_SIZE, blockLength, version)
                                .mode(),
                        0);
                worker.open(outcome.parentId, made, removed, Grants.WRITE);
            }
            case MkdirDecoder.TEMPLATE_ID -> {
                worker.checkBlock(MkdirDecoder.BLOCK_LENGTH);
                make(
                        FileType.DIRECTORY,
                        mkdir.wrap(worker.in, Wire.HEADER_SIZE, blockLength, version)
                                .mode(),
                        0);
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
            case DeleteDecoder.TEMPLATE_ID, RenameDecoder.TEMPLATE_ID -> worker.reply.done(removed.id, removed.size);
            default -> worker.reply.done();
        }
    }

    private void make(FileType type, int mode, long size) {
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
