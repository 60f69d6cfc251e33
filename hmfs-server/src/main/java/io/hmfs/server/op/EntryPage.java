package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.request.Reply;
import io.hmfs.server.request.Request;
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Writes one reply with entries of a listing, one by one until it is full. */
public final class EntryPage {
    private static final int ENTRIES_DEFAULT = 1_000;
    private static final int ENTRIES_MAX = 10_000;
    private static final int BYTES_MIN = 4 << 10;

    /** Bytes at which a page is full: it is longer by one entry and its own end at most. */
    static final int BYTES_MAX = 256 << 10;

    private static final int HEAD =
            Wire.HEADER_SIZE + PageEncoder.BLOCK_LENGTH + PageEncoder.EntriesEncoder.HEADER_SIZE;
    private static final int GROUP_MAX = 65_534;
    private static final int PRINCIPALS_MAX = 2 * (Short.BYTES + Name.LENGTH_MAX);
    private static final byte[] NOTHING = {};

    private final PageEncoder page = new PageEncoder();
    private PageEncoder.EntriesEncoder entries;
    private final Attributes link = new Attributes();
    private final List<byte[]> targets = new ArrayList<>(); // of the links on the page, in their order
    private int entriesLeft;
    private int bytesMax;

    public EntryPage() {
        int size = PageEncoder.BLOCK_LENGTH + PageEncoder.EntriesEncoder.HEADER_SIZE;
        entries = page.wrap(new WireBuffer().wrap(Unpooled.buffer(size), 0, size), 0)
                .entriesCount(0);
    }

    /** Begins one of so many entries and bytes, as they were asked for; 0: as many as is usual. */
    public void open(Request request, long directory, long entriesAsked, long bytesAsked) {
        Reply reply = request.reply();
        entriesLeft = entriesAsked == 0 ? ENTRIES_DEFAULT : (int) Math.min(entriesAsked, ENTRIES_MAX);
        bytesMax = bytesAsked == 0 ? BYTES_MAX : Math.clamp(bytesAsked, BYTES_MIN, BYTES_MAX);
        targets.clear();
        page.wrapAndApplyHeader(reply.open(HEAD), 0, reply.header)
                .correlationId(reply.correlationId())
                .directoryId(directory);
        entries = page.entriesCount(GROUP_MAX);
    }

    public boolean isFull() {
        return entriesLeft == 0 || page.limit() + targetBytes() >= bytesMax;
    }

    public boolean isEmpty() {
        return page.limit() == HEAD;
    }

    /**
     * Adds an entry of a directory.
     *
     * @param shown what the page calls it
     * @param apart for a directory whose entries are not listed behind it, as the schema says
     */
    public void add(
            Request request,
            long directory,
            Name name,
            Attributes found,
            byte[] shown,
            int shownLength,
            boolean apart) {
        Reply reply = request.reply();
        Attributes attributes = found;
        if (found.isSymlink()) {
            attributes = link;
            if (request.links().look(directory, name, link) != Status.OK) {
                return; // gone meanwhile
            }
        }
        if (attributes.isSymlink()) {
            targets.add(request.links().target());
        }
        entriesLeft--;
        byte[] owner = reply.principal(attributes.uid);
        byte[] group = reply.principal(attributes.gid);
        reply.extend(
                page.limit(), PageEncoder.EntriesEncoder.sbeBlockLength() + Short.BYTES + shownLength + PRINCIPALS_MAX);
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
                .acl(attributes.hasAcl)
                .apart(apart && attributes.isDirectory());
        entries.putName(shown, 0, shownLength).putOwner(owner, 0, owner.length).putGroup(group, 0, group.length);
    }

    /** Ends a page of one directory's listing. */
    public void close(Request request, ListCursor cursor) {
        close(request.reply(), cursor.birth, cursor.at, cursor.start, NOTHING);
    }

    /** Ends a page of a tree's listing. */
    public void close(Request request, byte[] next) {
        close(request.reply(), -1, 0, 0, next);
    }

    private void close(Reply reply, long birth, long at, long start, byte[] next) {
        entries.resetCountToIndex();
        reply.extend(
                page.limit(),
                PageEncoder.LinksEncoder.HEADER_SIZE + targetBytes() + PageEncoder.nextHeaderLength() + next.length);
        PageEncoder.LinksEncoder links = page.linksCount(targets.size());
        for (byte[] target : targets) {
            links.next().putTarget(target, 0, target.length);
        }
        page.putNext(next, 0, next.length);
        int length = page.limit();
        page.cursorBirth(birth).cursorAt(at).cursorStart(start);
        reply.close(length);
    }

    private int targetBytes() {
        int bytes = 0;
        for (int i = 0; i < targets.size(); i++) {
            bytes += Short.BYTES + targets.get(i).length;
        }
        return bytes;
    }
}
