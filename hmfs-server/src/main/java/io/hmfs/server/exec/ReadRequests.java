package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.MetricsDecoder;
import io.hmfs.wire.OpenDecoder;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.StatusDecoder;
import io.hmfs.wire.Wire;

/** Requests that change nothing: stat, list, status. */
final class ReadRequests {
    private static final Attributes NOTHING = new Attributes(); // removed by an open
    private static final int OPEN_UNLEASED = 17; // bytes of its root block before it could ask for a lease

    private final Worker worker;
    private final ReplyWriter reply;
    private final JoinedStats joined;
    private final StatDecoder stat = new StatDecoder();
    private final OpenDecoder open = new OpenDecoder();
    private final ListDecoder list = new ListDecoder();
    private final StatusDecoder status = new StatusDecoder();
    private final EntryPage page;
    private final ListCursor cursor = new ListCursor();

    private final ListVisitor visitor = this::add;
    private final Attributes judged = Attributes.withAcl(); // what open and list are about
    private long listed;

    ReadRequests(Worker worker) {
        this.worker = worker;
        reply = worker.reply;
        joined = new JoinedStats(worker);
        page = new EntryPage(worker);
    }

    private Status openStat() {
        worker.checkBlock(StatDecoder.BLOCK_LENGTH);
        stat.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = stat.pathLength();
        return worker.path.resolve(stat.baseId(), worker.in, stat.limit() + StatDecoder.pathHeaderLength(), length);
    }

    /** Whether the current request, a stat, is left to be executed with others. */
    boolean join(Session session) {
        if (openStat() != Status.OK || worker.path.isBase) {
            return false;
        }
        joined.add(session, stat.baseId(), worker.path.parentId, worker.path.name);
        return true;
    }

    JoinedStats joined() {
        return joined;
    }

    void stat() {
        PathResolver path = worker.path;
        Status outcome = openStat();
        if (outcome == Status.OK) {
            outcome = path.seen(look(path, worker.attributes));
        }
        if (outcome == Status.OK) {
            reply.entry(path.isBase ? 0 : path.parentId, worker.attributes, worker.links.target());
        } else {
            reply.status(outcome);
        }
    }

    /** Looks at a file as stat does, and sees that the user may read or write it: what is granted is on the inode seen here. */
    void open() {
        worker.checkBlock(OpenDecoder.BLOCK_LENGTH, LeaseRequests.SINCE, OPEN_UNLEASED);
        open.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = open.pathLength();
        int granted = (open.access().read() ? Grants.READ : 0) | (open.access().write() ? Grants.WRITE : 0);
        int wanted = (open.access().read() ? Access.READ : 0) | (open.access().write() ? Access.WRITE : 0);
        PathResolver path = worker.path;
        Status outcome = path.resolve(open.baseId(), worker.in, open.limit() + OpenDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK) {
            outcome = path.seen(look(path, judged));
        }
        if (outcome == Status.OK) {
            outcome = judged.isDirectory()
                    ? Status.IS_DIRECTORY
                    : judged.isSymlink()
                            ? path.unresolved()
                            : granted == 0 ? Status.INVALID_ARGUMENT : path.may(judged, wanted);
        }
        long lease = open.access().write() ? LeaseRequests.told(open.lease()) : LeaseRequests.NONE;
        if (outcome == Status.OK && lease != LeaseRequests.NONE) {
            String text = open.path();
            if (!worker.leases.open(path, text, judged, wanted, lease)) {
                return;
            }
        }
        if (outcome == Status.OK) {
            worker.open(path.parentId, judged, NOTHING, granted);
        } else {
            reply.status(outcome);
        }
    }

    private Status look(PathResolver path, Attributes out) {
        worker.links.clear();
        return path.isBase && path.parentId != Namespace.ROOT_PARENT_ID
                ? worker.namespace.statDirectory(path.parentId, out)
                : worker.links.look(path.parentId, path.name, out);
    }

    void list() {
        worker.checkBlock(ListDecoder.BLOCK_LENGTH);
        list.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = list.pathLength();
        PathResolver path = worker.path;
        Status outcome = path.resolve(list.baseId(), worker.in, list.limit() + ListDecoder.pathHeaderLength(), length);
        long directory = list.baseId();
        if (outcome == Status.OK && path.isBase && worker.access.isLimited()) {
            outcome = path.may(path.parent(), Access.READ | Access.EXECUTE);
        } else if (outcome == Status.OK && !path.isBase) {
            outcome = worker.namespace.stat(path.parentId, path.name, judged);
            directory = judged.id;
            if (outcome == Status.OK && !judged.isDirectory()) {
                outcome = judged.isSymlink() ? path.unresolved() : Status.NOT_DIRECTORY;
            }
            if (outcome == Status.OK) {
                outcome = path.may(judged, Access.READ | Access.EXECUTE);
            }
        }
        if (outcome == Status.OK) {
            outcome = writePage(directory);
        }
        if (outcome != Status.OK) {
            reply.status(path.seen(outcome));
        }
    }

    private Status writePage(long directory) {
        cursor.birth = list.cursorBirth();
        cursor.at = list.cursorAt();
        cursor.start = list.cursorStart();
        page.open(directory, list.entriesMax(), list.bytesMax());
        listed = directory;
        Status outcome = worker.namespace.list(directory, cursor, visitor);
        if (outcome == Status.OK) {
            page.close(cursor);
        }
        return outcome;
    }

    private boolean add(Name name, Attributes found) {
        if (page.isFull()) {
            return false;
        }
        page.add(listed, name, found, name.buffer(), name.length(), false);
        return true;
    }

    void metrics() {
        worker.checkBlock(MetricsDecoder.BLOCK_LENGTH);
        reply.metrics(worker.service.observation.metrics().ownText());
    }

    void status() {
        worker.checkBlock(StatusDecoder.BLOCK_LENGTH);
        status.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        Service service = worker.service;
        reply.report(worker.namespace.poolStatus(), service.info, service.connections(), service.uptimeMillis());
    }
}
