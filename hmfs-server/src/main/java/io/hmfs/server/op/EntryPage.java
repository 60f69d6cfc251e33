package io.hmfs.server.op;

import io.hmfs.client.ListDetail;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.request.Reply;
import io.hmfs.server.request.Request;
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Writes one reply with entries of a listing, one by one until it is full (docs/wire.md#pages). */
public final class EntryPage {
    /** What is wrong with a request that asks for something unknown. */
    static final String NO_DETAIL = "detail is 0 for all of each entry, 1 for name and type, 2 for size and times too";

    private static final int ENTRIES_DEFAULT = 1_000;

    /** Entries of a page, and entries that are looked at for one. */
    static final int ENTRIES_MAX = 10_000;

    private static final int BYTES_MIN = 4 << 10;

    /** Bytes at which a page is full: it is longer by one entry and its own end at most. */
    static final int BYTES_MAX = 256 << 10;

    private static final int HEAD =
            Wire.HEADER_SIZE + PageEncoder.BLOCK_LENGTH + PageEncoder.EntriesEncoder.HEADER_SIZE;
    private static final int BLOCK_LENGTH_AT = HEAD - PageEncoder.EntriesEncoder.HEADER_SIZE;
    private static final int COUNT_AT = BLOCK_LENGTH_AT + Short.BYTES;
    private static final int SIZE_AT = PageEncoder.EntriesEncoder.sizeEncodingOffset();
    private static final int MTIME_AT = PageEncoder.EntriesEncoder.mtimeNanosEncodingOffset();
    private static final int ATIME_AT = PageEncoder.EntriesEncoder.atimeNanosEncodingOffset();
    private static final int CTIME_AT = PageEncoder.EntriesEncoder.ctimeNanosEncodingOffset();
    private static final int INODE_AT = PageEncoder.EntriesEncoder.inodeEncodingOffset();
    private static final int KIND_SIZE = PageEncoder.KindsEncoder.sbeBlockLength() + 2 * Short.BYTES;
    private static final byte[] NOTHING = {};

    /** What one entry may be at most, its name copied by words: with a path of {@link Wire#PATH_MAX} bytes for its name. */
    private static final int ENTRY_MAX = ListDetail.ALL.blockLength() + Short.BYTES + Wire.PATH_MAX + Long.BYTES;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private final PageEncoder page = new PageEncoder();
    private final Attributes link = new Attributes();
    private final List<byte[]> targets = new ArrayList<>(); // of the links on the page, in their order
    private final EntryKinds kinds = new EntryKinds();

    /** Entries that go to the buffer together: an array asks less of each store than the buffer does. */
    private final byte[] block = new byte[2 * ENTRY_MAX];

    private WireBuffer out = new WireBuffer();
    private ListDetail detail = ListDetail.ALL;
    private int count;
    private int entriesMax;
    private int bytesMax;
    private int at; // where the entries in the block begin
    private int filled; // bytes of the block
    private int endBytes; // of targets and kinds, which come behind the entries

    /** Begins one of so many entries and bytes, as they were asked for; 0: as many as is usual. */
    public void open(Request request, long directory, ListDetail asked, long entriesAsked, long bytesAsked) {
        Reply reply = request.reply();
        detail = asked;
        count = 0;
        entriesMax = entriesMax(entriesAsked);
        bytesMax = bytesMax(reply, bytesAsked);
        endBytes = 0;
        targets.clear();
        kinds.clear();
        out = reply.open(HEAD);
        page.wrapAndApplyHeader(out, 0, reply.header)
                .correlationId(reply.correlationId())
                .directoryId(directory)
                .entriesCount(0);
        out.putShort(BLOCK_LENGTH_AT, (short) detail.blockLength(), PageEncoder.BYTE_ORDER);
        at = HEAD;
        filled = 0;
    }

    /** How many entries there may be if so many were asked for. */
    static int entriesMax(long asked) {
        return asked == 0 ? ENTRIES_DEFAULT : (int) Math.min(asked, ENTRIES_MAX);
    }

    /** How many bytes there may be if so many were asked for. */
    static int bytesMax(Reply reply, long asked) {
        if (reply.isScarce()) {
            return BYTES_MIN;
        }
        return asked == 0 ? BYTES_MAX : Math.clamp(asked, BYTES_MIN, BYTES_MAX);
    }

    public boolean isFull() {
        return count == entriesMax || at + filled + endBytes >= bytesMax || kinds.isFull();
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Entries that were added. */
    int size() {
        return count;
    }

    /**
     * Adds an entry of a directory.
     *
     * @param shown what the page calls it, in an array that has whole words of it
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
        Attributes attributes = found;
        if (found.isSymlink()) {
            attributes = link;
            if (request.links().look(directory, name, link) != Status.OK) {
                return; // gone meanwhile
            }
        }
        if (attributes.isSymlink()) {
            byte[] target = request.links().target();
            targets.add(target);
            endBytes += Short.BYTES + target.length;
        }
        count++;
        if (filled > block.length - ENTRY_MAX) {
            flush(request.reply());
        }
        int entry = filled;
        block[entry] = (byte) kind(request.reply(), attributes, apart && attributes.isDirectory());
        if (detail != ListDetail.NAMES) {
            LONG.set(block, entry + SIZE_AT, attributes.size);
            LONG.set(block, entry + MTIME_AT, attributes.mtimeNanos);
            LONG.set(block, entry + ATIME_AT, attributes.atimeNanos);
            LONG.set(block, entry + CTIME_AT, attributes.ctimeNanos);
        }
        if (detail == ListDetail.ALL) {
            LONG.set(block, entry + INODE_AT, attributes.id);
        }
        int nameAt = entry + detail.blockLength() + Short.BYTES;
        SHORT.set(block, nameAt - Short.BYTES, (short) shownLength);
        for (int done = 0; done < shownLength; done += Long.BYTES) {
            LONG.set(block, nameAt + done, (long) LONG.get(shown, done));
        }
        filled = nameAt + shownLength;
    }

    private void flush(Reply reply) {
        reply.extend(at, filled);
        out.putBytes(at, block, 0, filled);
        at += filled;
        filled = 0;
    }

    private int kind(Reply reply, Attributes attributes, boolean apart) {
        int before = kinds.size();
        int kind = detail == ListDetail.ALL
                ? kinds.of(attributes, attributes.uid, attributes.gid, attributes.mode, apart)
                : kinds.of(attributes, 0, 0, 0, apart);
        if (kinds.size() > before) {
            endBytes += KIND_SIZE + owner(reply, kind).length + group(reply, kind).length;
        }
        return kind;
    }

    private byte[] owner(Reply reply, int kind) {
        return detail == ListDetail.ALL ? reply.principal(kinds.uid(kind)) : NOTHING;
    }

    private byte[] group(Reply reply, int kind) {
        return detail == ListDetail.ALL ? reply.principal(kinds.gid(kind)) : NOTHING;
    }

    /** Ends a page of one directory's listing. */
    public void close(Request request, ListCursor cursor) {
        close(request.reply(), cursor.birth, cursor.at, cursor.start, NOTHING);
    }

    /** Ends a page of a tree's listing. */
    public void close(Request request, byte[] next) {
        close(request.reply(), -1, 0, 0, next);
    }

    private void close(Reply reply, long birth, long cursorAt, long start, byte[] next) {
        flush(reply);
        reply.extend(
                at,
                PageEncoder.KindsEncoder.HEADER_SIZE
                        + PageEncoder.LinksEncoder.HEADER_SIZE
                        + endBytes
                        + PageEncoder.nextHeaderLength()
                        + next.length);
        out.putShort(COUNT_AT, (short) count, PageEncoder.BYTE_ORDER);
        page.limit(at);
        PageEncoder.KindsEncoder rows = page.kindsCount(kinds.size());
        for (int i = 0; i < kinds.size(); i++) {
            rows.next().mode(kinds.mode(i));
            rows.flags()
                    .clear()
                    .directory(kinds.isDirectory(i))
                    .symlink(kinds.isSymlink(i))
                    .acl(kinds.hasAcl(i))
                    .apart(kinds.isApart(i));
            byte[] owner = owner(reply, i);
            byte[] group = group(reply, i);
            rows.putOwner(owner, 0, owner.length).putGroup(group, 0, group.length);
        }
        PageEncoder.LinksEncoder links = page.linksCount(targets.size());
        for (byte[] target : targets) {
            links.next().putTarget(target, 0, target.length);
        }
        page.putNext(next, 0, next.length);
        int length = page.limit();
        page.cursorBirth(birth).cursorAt(cursorAt).cursorStart(start);
        reply.close(length);
    }
}
