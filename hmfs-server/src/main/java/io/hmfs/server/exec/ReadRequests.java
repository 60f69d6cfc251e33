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
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.StatusDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Requests that change nothing: stat, list, status. */
final class ReadRequests {
    private static final int ENTRIES_DEFAULT = 1_000;
    private static final int ENTRIES_MAX = 10_000;
    private static final int PAGE_BYTES_MIN = 4 << 10;
    private static final int PAGE_BYTES_MAX = 256 << 10;
    private static final int PAGE_HEAD =
            Wire.HEADER_SIZE + PageEncoder.BLOCK_LENGTH + PageEncoder.EntriesEncoder.HEADER_SIZE;
    private static final Attributes NOTHING = new Attributes(); // removed by an open
    private static final int OPEN_UNLEASED = 17; // bytes of its root block before it could ask for a lease
    private static final int GROUP_MAX = 65_534;
    private static final int ENTRY_TEXTS_MAX = 3 * (2 + Name.LENGTH_MAX);

    private final Worker worker;
    private final ReplyWriter reply;
    private final JoinedStats joined;
    private final StatDecoder stat = new StatDecoder();
    private final OpenDecoder open = new OpenDecoder();
    private final ListDecoder list = new ListDecoder();
    private final StatusDecoder status = new StatusDecoder();
    private final PageEncoder page = new PageEncoder();
    private final ListCursor cursor = new ListCursor();

    private final ListVisitor visitor = this::add;
    private PageEncoder.EntriesEncoder entries;
    private final Attributes judged = Attributes.withAcl(); // what open and list are about
    private final Attributes link = new Attributes();
    private final List<byte[]> targets = new ArrayList<>(); // of the links on the page, in their order
    private long listed;
    private int entriesLeft;
    private int bytesMax;

    ReadRequests(Worker worker) {
        this.worker = worker;
        reply = worker.reply;
        joined = new JoinedStats(worker);
        int size = PageEncoder.BLOCK_LENGTH + PageEncoder.EntriesEncoder.HEADER_SIZE;
        entries = page.wrap(new WireBuffer().wrap(Unpooled.buffer(size), 0, size), 0)
                .entriesCount(0);
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
            if (!worker.leases.open(path, text, judged, lease)) {
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
        long asked = list.entriesMax();
        entriesLeft = asked == 0 ? ENTRIES_DEFAULT : (int) Math.min(asked, ENTRIES_MAX);
        bytesMax = list.bytesMax() == 0 ? PAGE_BYTES_MAX : Math.clamp(list.bytesMax(), PAGE_BYTES_MIN, PAGE_BYTES_MAX);
        cursor.birth = list.cursorBirth();
        cursor.at = list.cursorAt();
        cursor.start = list.cursorStart();
        page.wrapAndApplyHeader(reply.open(PAGE_HEAD), 0, reply.header)
                .correlationId(reply.correlationId())
                .directoryId(directory);
        entries = page.entriesCount(GROUP_MAX);
        listed = directory;
        targets.clear();
        Status outcome = worker.namespace.list(directory, cursor, visitor);
        if (outcome == Status.OK) {
            entries.resetCountToIndex();
            writeTargets();
            int length = page.limit();
            page.cursorBirth(cursor.birth).cursorAt(cursor.at).cursorStart(cursor.start);
            reply.close(length);
        }
        return outcome;
    }

    private void writeTargets() {
        reply.extend(page.limit(), PageEncoder.LinksEncoder.HEADER_SIZE + targetBytes());
        PageEncoder.LinksEncoder links = page.linksCount(targets.size());
        for (byte[] target : targets) {
            links.next().putTarget(target, 0, target.length);
        }
    }

    private int targetBytes() {
        int bytes = 0;
        for (int i = 0; i < targets.size(); i++) {
            bytes += Short.BYTES + targets.get(i).length;
        }
        return bytes;
    }

    private boolean add(Name name, Attributes found) {
        int used = page.limit();
        if (entriesLeft == 0 || used + targetBytes() >= bytesMax) {
            return false;
        }
        Attributes attributes = found;
        if (found.isSymlink()) {
            attributes = link;
            if (worker.links.look(listed, name, link) != Status.OK) {
                return true; // gone meanwhile
            }
        }
        if (attributes.isSymlink()) {
            targets.add(worker.links.target());
        }
        entriesLeft--;
        byte[] owner = reply.principal(attributes.uid);
        byte[] group = reply.principal(attributes.gid);
        reply.extend(used, PageEncoder.EntriesEncoder.sbeBlockLength() + ENTRY_TEXTS_MAX);
        entries.next()
                .inode(attributes.id)
                .size(attributes.size)
                .mtimeNanos(attributes.mtimeNanos)
                .atimeNanos(attributes.atimeNanos)
                .ctimeNanos(attributes.ctimeNanos)
                .mode(attributes.mode);
        entries.flags()
                .clear()
                .directory(attributes.isDirectory())
                .symlink(attributes.isSymlink())
                .acl(attributes.hasAcl);
        entries.putName(name.buffer(), 0, name.length())
                .putOwner(owner, 0, owner.length)
                .putGroup(group, 0, group.length);
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
