package io.hmfs.client;

import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes the replies that several kinds of calls have: those that describe files, and those that say which file a
 * change removed.
 */
final class FileReplies {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final RemovedListener removed;
    private final DoneDecoder done = new DoneDecoder();
    private final EntryDecoder entry = new EntryDecoder();
    private final PageDecoder page = new PageDecoder();
    private final TextCache texts = new TextCache();

    FileReplies(RemovedListener removed) {
        this.removed = removed;
    }

    /** Of a call that returns nothing. */
    @SuppressWarnings("NullAway") // a Void has no other value
    Void done(ReplyFrame reply, String subject, Object arguments) {
        done.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        tellRemoved(done.removedId(), done.removedSize());
        return null;
    }

    /** Of a rename: whether the object is inside what the target names. */
    boolean isInside(ReplyFrame reply, String subject, Object arguments) {
        done(reply, subject, arguments);
        return done.inside() != 0;
    }

    private void tellRemoved(long inode, long size) {
        if (inode != 0) {
            removed.removed(inode, size);
        }
    }

    /** What stands at a path; its name is the path's last component. */
    FileInfo entry(ReplyFrame reply, String path, Object arguments) {
        WireBuffer in = reply.in();
        entry.wrap(in, Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        tellRemoved(entry.removedId(), entry.removedSize());
        int ownerLength = entry.ownerLength();
        String owner = texts.text(in, entry.limit() + EntryDecoder.ownerHeaderLength(), ownerLength);
        entry.skipOwner();
        int groupLength = entry.groupLength();
        String group = texts.text(in, entry.limit() + EntryDecoder.groupHeaderLength(), groupLength);
        entry.skipGroup();
        return new FileInfo(
                entry.inode(),
                entry.parentId(),
                path.substring(path.lastIndexOf('/') + 1),
                entry.flags().directory(),
                entry.mode(),
                owner,
                group,
                entry.size(),
                entry.mtimeNanos(),
                millis(entry.atimeNanos()),
                millis(entry.ctimeNanos()),
                entry.flags().symlink() ? entry.target() : "",
                entry.flags().acl());
    }

    /** A file with its grant. {@code lease}: the number of the lease that was asked for. */
    OpenedFile opened(ReplyFrame reply, String path, long lease) {
        FileInfo info = entry(reply, path, path);
        return new OpenedFile(info, new Grant(entry.grant(), entry.seal(), lease));
    }

    /** A part of a directory. */
    ListPage page(ReplyFrame reply) {
        openPage(reply);
        long birth = page.cursorBirth();
        ListingCursor next = birth == -1 ? null : new ListingCursor(birth, page.cursorAt(), page.cursorStart());
        return new ListPage(entries(reply.in(), page.directoryId(), new ArrayList<>(0)), next);
    }

    /** A part of a tree. */
    TreePage treePage(ReplyFrame reply) {
        openPage(reply);
        List<FileInfo> apart = new ArrayList<>(0);
        List<FileInfo> entries = entries(reply.in(), 0, apart);
        byte[] next = reply.room(page.limit(), page.nextLength());
        page.getNext(next, 0, next.length);
        return new TreePage(entries, apart, next.length == 0 ? null : new TreeCursor(next));
    }

    private void openPage(ReplyFrame reply) {
        page.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
    }

    private List<FileInfo> entries(WireBuffer in, long directory, List<FileInfo> apart) {
        PageDecoder.EntriesDecoder entries = page.entries();
        List<FileInfo> list = new ArrayList<>(entries.count());
        List<Integer> links = new ArrayList<>(0);
        while (entries.hasNext()) {
            boolean isLink = entries.next().flags().symlink();
            boolean isApart = entries.flags().apart();
            FileInfo entry = pageEntry(in, entries, directory);
            if (isLink) {
                links.add(list.size());
            }
            if (isApart) {
                apart.add(entry);
            }
            list.add(entry);
        }
        PageDecoder.LinksDecoder targets = page.links();
        for (int link : links) {
            list.set(link, list.get(link).leadingTo(targets.next().target()));
        }
        return list;
    }

    private FileInfo pageEntry(WireBuffer in, PageDecoder.EntriesDecoder each, long directory) {
        String name = each.name();
        int ownerLength = each.ownerLength();
        String owner = texts.text(in, page.limit() + PageDecoder.EntriesDecoder.ownerHeaderLength(), ownerLength);
        each.skipOwner();
        int groupLength = each.groupLength();
        String group = texts.text(in, page.limit() + PageDecoder.EntriesDecoder.groupHeaderLength(), groupLength);
        each.skipGroup();
        return new FileInfo(
                each.inode(),
                directory,
                name,
                each.flags().directory(),
                each.mode(),
                owner,
                group,
                each.size(),
                each.mtimeNanos(),
                millis(each.atimeNanos()),
                millis(each.ctimeNanos()),
                "",
                each.flags().acl());
    }

    private static long millis(long nanos) {
        return Math.floorDiv(nanos, NANOS_PER_MILLI);
    }
}
