package io.hmfs.client;

import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.ListingsDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
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
    private final ListingsDecoder listings = new ListingsDecoder();
    private final WireBuffer answer = new WireBuffer();
    private final ReplyFrame inner = new ReplyFrame();

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

    /** Of a write: the verifier of the machine that has the bytes. */
    long verifier(ReplyFrame reply, String subject, Object arguments) {
        done.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        return done.verifier();
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
                entry.flags().acl(),
                entry.flags().dense());
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

    /** Answers to the first of several directories, to one at least. */
    List<DirectoryAnswer> listings(ReplyFrame reply, List<String> paths) throws IOException {
        WireBuffer in = reply.in();
        listings.wrap(in, Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        int at = listings.limit() + ListingsDecoder.answersHeaderLength();
        int bytes = listings.answersLength();
        in.check(at, bytes);
        int end = at + bytes;
        List<DirectoryAnswer> answers = new ArrayList<>();
        boolean goesOn = false;
        while (at < end) {
            int length = in.getInt(at, ListingsDecoder.BYTE_ORDER);
            at += Wire.LENGTH_SIZE;
            if (length < Wire.FRAME_MIN || length > end - at || answers.size() == paths.size() || goesOn) {
                throw malformed("an answer that is too many, or reaches behind them all");
            }
            answer.wrap(in, at, length);
            DirectoryAnswer next = answer(paths.get(answers.size()));
            goesOn = next.page() != null && next.page().next() != null;
            answers.add(next);
            at += length;
        }
        if (answers.isEmpty()) {
            throw malformed("no answer at all");
        }
        return answers;
    }

    private static IOException malformed(String what) {
        return new IOException("malformed listings of several directories: " + what);
    }

    private DirectoryAnswer answer(String path) throws IOException {
        inner.openPlain(answer); // the frame around it is compressed, or nothing is
        if (inner.isFailure()) {
            ResultCode code = inner.failureCode();
            return new DirectoryAnswer(
                    null, null, HmfsException.told(code, "list " + path, inner.failureMessage(), false));
        }
        if (inner.isMessage(EntryDecoder.TEMPLATE_ID)) {
            return new DirectoryAnswer(null, entry(inner, path, path), null);
        }
        inner.expect(PageDecoder.TEMPLATE_ID);
        return new DirectoryAnswer(page(inner), null, null);
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
