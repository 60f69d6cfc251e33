package io.hmfs.client;

import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

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
    ListPage page(ReplyFrame reply) throws IOException {
        openPage(reply);
        long birth = page.cursorBirth();
        ListingCursor next = birth == -1 ? null : new ListingCursor(birth, page.cursorAt(), page.cursorStart());
        return new ListPage(PageBody.read(reply, page, page.directoryId(), texts), next);
    }

    /** A part of a tree. */
    TreePage treePage(ReplyFrame reply) throws IOException {
        openPage(reply);
        PageBody body = PageBody.read(reply, page, 0, texts);
        byte[] next = reply.room(page.limit(), page.nextLength());
        page.getNext(next, 0, next.length);
        return new TreePage(body, next.length == 0 ? null : new TreeCursor(next));
    }

    private void openPage(ReplyFrame reply) {
        page.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
    }

    private static long millis(long nanos) {
        return Math.floorDiv(nanos, NANOS_PER_MILLI);
    }
}
