package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Caller;
import io.hmfs.server.access.Grants;
import io.hmfs.server.access.Inheritance;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.MkdirDecoder;
import io.hmfs.wire.SymlinkDecoder;
import io.hmfs.wire.Wire;

/** Requests that make something: create, mkdir, symlink. New entries belong to the connection's user and to their parent's group. */
final class CreateRequests {
    private static final int ATTEMPTS_MAX = 16;
    private static final int MODE_MAX = 07777;
    private static final int TARGET_MAX = 4095;
    private static final int PARENTS_UNMASKED = 0777; // of those that are made on the way to a file or a link
    static final int UNMASKED_SINCE = 5; // version of the schema, and the bytes of root blocks before it
    static final int CREATE_BEFORE = 37;
    private static final int CREATE_UNLEASED = 39;
    static final int MKDIR_BEFORE = 35;

    /** Creates are executed one by one with {@code -Dhmfs.joinCreates=false}: to measure what joining them brings. */
    private static final boolean JOINS = !"false".equals(System.getProperty("hmfs.joinCreates"));

    private final Worker worker;
    private final RemoveRequests removes;
    private final Overwrite overwrite;
    private final JoinedCreates joined;
    private final CreateDecoder create = new CreateDecoder();
    private final MkdirDecoder mkdir = new MkdirDecoder();
    private final SymlinkDecoder symlink = new SymlinkDecoder();

    CreateRequests(Worker worker, RemoveRequests removes) {
        this.worker = worker;
        this.removes = removes;
        overwrite = new Overwrite(worker, removes);
        joined = new JoinedCreates(worker);
    }

    /** Whether the current request, a create, is left to be executed with others. */
    boolean join(Session session) {
        if (!JOINS) {
            return false;
        }
        openCreate();
        long lease = LeaseRequests.told(create.lease());
        if (create.flags().overwrite()
                || isOutOfRange(create)
                || worker.uid == Caller.NOBODY
                || worker.leases.isFull(lease)) {
            return false;
        }
        int length = create.pathLength();
        PathResolver path = worker.path;
        // Without making parents: those that are missing may depend on what has joined, and are made after it.
        Status outcome =
                path.resolve(create.baseId(), worker.in, create.limit() + CreateDecoder.pathHeaderLength(), length);
        if (outcome != Status.OK
                || path.isBase
                || path.mayInParent(Access.WRITE) != Status.OK
                || Acl.hasDefault(path.parentAcl())) {
            return false;
        }
        if (!worker.charges.passage.join(path.parentId)) {
            return false;
        }
        if (!worker.once.beginJoined(session)) {
            worker.charges.passage.left();
            return false;
        }
        joined.add(session, create.baseId(), path.parentId, path.name, create.mode(), path.parentGid(), lease);
        return true;
    }

    JoinedCreates joined() {
        return joined;
    }

    /** The modes that the file may get. */
    private static boolean isOutOfRange(CreateDecoder create) {
        return create.mode() > MODE_MAX || unmasked(create.mode(), create.unmaskedMode()) > MODE_MAX;
    }

    /** What a client says that knows of it; else the mode, in which its umask is. */
    private static int unmasked(int mode, int said) {
        return said == CreateDecoder.unmaskedModeNullValue() ? mode : said;
    }

    static void checkCreate(Worker worker) {
        int before = worker.header.version() < UNMASKED_SINCE ? CREATE_BEFORE : CREATE_UNLEASED;
        worker.checkBlock(CreateDecoder.BLOCK_LENGTH, LeaseRequests.SINCE, before);
    }

    private void openCreate() {
        checkCreate(worker);
        create.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
    }

    /** Whether the current request, a create, may remove a file. */
    boolean isOverwrite() {
        openCreate();
        return create.flags().overwrite();
    }

    /** Whether one version of a file is to be replaced, and nothing else will do. */
    private boolean isConditional() {
        return create.flags().overwrite() && LeaseRequests.told(create.expectedInode()) != 0;
    }

    void create() {
        openCreate();
        int length = create.pathLength();
        PathResolver path = worker.path;
        boolean parents =
                create.flags().createParents() && !isConditional(); // else something is there, or it is refused
        if (isOutOfRange(create) || (parents && create.parentMode() > MODE_MAX)) {
            worker.reply.status(Status.INVALID_ARGUMENT); // now: else parents were made for what cannot be
            return;
        }
        if (worker.leases.isFull(LeaseRequests.told(create.lease()))) {
            worker.leases.replyFull();
            return;
        }
        if (parents) {
            path.makeParents(create.parentMode(), PARENTS_UNMASKED);
        }
        Status outcome =
                path.resolve(create.baseId(), worker.in, create.limit() + CreateDecoder.pathHeaderLength(), length);
        removes.forgetRemoved();
        boolean resolved = outcome == Status.OK;
        if (resolved) {
            outcome = path.isBase ? Status.EXISTS : path.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK && !isConditional()) { // that may come to nothing
            outcome = number(path, create.flags().overwrite());
        }
        if (outcome == Status.OK) {
            outcome = createFile(path);
        }
        outcome = resolved ? afterLink(path, outcome) : outcome;
        if (outcome == Status.OK) {
            worker.leases.give(worker.attributes.id, LeaseRequests.told(create.lease()));
            worker.open(path.parentId, worker.attributes, removes.removed(), Grants.WRITE);
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }

    /**
     * Gives the user a number, unless it can be seen already that nothing of his will be made: his name is kept for ever, and
     * anybody can come with any number of names.
     */
    private Status number(PathResolver path, boolean overwrite) {
        if (worker.uid == Caller.NOBODY) {
            Status there = overwrite
                    ? removes.mayRemove(path, true)
                    : worker.namespace.stat(path.parentId, path.name, worker.attributes);
            if (there == Status.OK && !overwrite) {
                return Status.EXISTS;
            }
            if (there != Status.OK && there != Status.NOT_FOUND) {
                return there;
            }
        }
        return worker.number();
    }

    /** With overwrite, what has the name is replaced; a create or a replacement that comes too late is tried again. */
    private Status createFile(PathResolver path) {
        int gid = path.parentGid();
        long[] above = path.parentAcl();
        boolean inherits = Acl.hasDefault(above);
        int mode = inherits ? Inheritance.mode(above, unmasked(create.mode(), create.unmaskedMode())) : create.mode();
        long[] acl = inherits ? Inheritance.acl(above, false) : Acl.NONE;
        if (isConditional()) {
            return overwrite.run(path, mode, gid, acl, create);
        }
        Status outcome = Status.EXISTS;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            worker.once.enter();
            outcome = worker.charges.create(path.parentId, path.name, mode, worker.uid, gid, acl, worker.attributes);
            worker.once.leave();
            if (outcome != Status.EXISTS || !create.flags().overwrite() || worker.attributes.isSymlink()) {
                return outcome;
            }
            Status replaced = overwrite.run(path, mode, gid, acl, null);
            if (replaced != Status.NOT_FOUND) {
                return replaced;
            }
        }
        return outcome;
    }

    void mkdir() {
        worker.checkBlock(MkdirDecoder.BLOCK_LENGTH, UNMASKED_SINCE, MKDIR_BEFORE);
        mkdir.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = mkdir.pathLength();
        boolean parents = mkdir.flags().createParents();
        PathResolver path = worker.path;
        int unmasked = unmasked(mkdir.mode(), mkdir.unmaskedMode());
        if (mkdir.mode() > MODE_MAX || unmasked > MODE_MAX) {
            worker.reply.status(Status.INVALID_ARGUMENT);
            return;
        }
        if (parents) {
            path.makeParents(mkdir.mode(), unmasked);
        }
        Status outcome =
                path.resolve(mkdir.baseId(), worker.in, mkdir.limit() + MkdirDecoder.pathHeaderLength(), length);
        boolean resolved = outcome == Status.OK;
        if (resolved) {
            outcome = path.isBase ? Status.EXISTS : makeDirectory(path);
        }
        if (outcome == Status.ACCESS_DENIED && isThere(path)) {
            outcome = Status.EXISTS; // nothing would have been made
        }
        outcome = resolved ? afterLink(path, outcome) : outcome;
        if (outcome == Status.EXISTS && parents) {
            outcome = existing(path);
        }
        if (outcome == Status.OK) {
            worker.reply.entry(path.isBase ? 0 : path.parentId, worker.attributes);
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }

    /** A name that is taken by a symbolic link means where that leads; so does one in a directory where nothing may be made. */
    private Status afterLink(PathResolver path, Status outcome) {
        if (outcome == Status.ACCESS_DENIED) {
            String why = worker.access.reason();
            boolean link = isThere(path) && worker.attributes.isSymlink();
            return link ? path.unresolved() : worker.access.denied(why);
        }
        boolean link = outcome == Status.EXISTS && !path.isBase && worker.attributes.isSymlink();
        return link ? path.unresolved() : outcome;
    }

    void symlink() {
        worker.checkBlock(SymlinkDecoder.BLOCK_LENGTH);
        symlink.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = symlink.pathLength();
        int at = symlink.limit() + SymlinkDecoder.pathHeaderLength();
        symlink.skipPath();
        byte[] target = new byte[symlink.targetLength()];
        symlink.getTarget(target, 0, target.length);
        boolean parents = symlink.flags().createParents();
        PathResolver path = worker.path;
        if (!isTarget(target)) {
            worker.reply.failure(
                    ResultCode.INVALID_ARGUMENT,
                    "a symbolic link's target has 1 to " + TARGET_MAX + " bytes, none of them NUL; this one "
                            + target.length);
            return;
        }
        if (parents && symlink.parentMode() > MODE_MAX) {
            worker.reply.status(Status.INVALID_ARGUMENT);
            return;
        }
        if (parents) {
            path.makeParents(symlink.parentMode(), PARENTS_UNMASKED);
        }
        Status outcome = path.resolve(symlink.baseId(), worker.in, at, length);
        if (outcome == Status.OK) {
            outcome = path.isBase ? Status.EXISTS : path.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK) {
            outcome = number(path, false);
        }
        if (outcome == Status.OK) {
            worker.once.enter();
            outcome = worker.charges.symlink(
                    path.parentId, path.name, target, worker.uid, path.parentGid(), worker.attributes);
            worker.once.leave();
        }
        if (outcome == Status.OK) {
            worker.reply.entry(path.parentId, worker.attributes, target);
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }

    private static boolean isTarget(byte[] target) {
        for (byte each : target) {
            if (each == 0) {
                return false;
            }
        }
        return target.length > 0 && target.length <= TARGET_MAX;
    }

    private boolean isThere(PathResolver path) {
        return !path.isBase
                && path.name.check() == Status.OK
                && path.mayInParent(Access.EXECUTE) == Status.OK
                && worker.namespace.stat(path.parentId, path.name, worker.attributes) == Status.OK;
    }

    private Status makeDirectory(PathResolver path) {
        Status allowed = path.mayInParent(Access.WRITE);
        if (allowed == Status.OK) {
            allowed = number(path, false);
        }
        if (allowed != Status.OK) {
            return allowed;
        }
        int gid = path.parentGid();
        long[] above = path.parentAcl();
        boolean inherits = Acl.hasDefault(above);
        int unmasked = unmasked(mkdir.mode(), mkdir.unmaskedMode());
        int mode = inherits ? Inheritance.mode(above, unmasked) : mkdir.mode();
        long[] acl = inherits ? Inheritance.acl(above, true) : Acl.NONE;
        worker.once.enter();
        Status made = worker.charges.mkdir(path.parentId, path.name, mode, worker.uid, gid, acl, worker.attributes);
        worker.once.leave();
        return made;
    }

    /** With parents: a directory that is there already will do. */
    private Status existing(PathResolver path) {
        Status outcome = path.isBase
                ? worker.namespace.statDirectory(mkdir.baseId(), worker.attributes)
                : worker.namespace.stat(path.parentId, path.name, worker.attributes);
        return outcome == Status.OK && !worker.attributes.isDirectory() ? Status.EXISTS : outcome;
    }
}
