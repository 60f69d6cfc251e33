package io.hmfs.client;

import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The entries of one page as the server sent them, checked: each lies inside, and has a row of the dictionary. A reader
 * needs no further checks and cannot fail. Immutable.
 */
final class PageBody {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private static final int LENGTH_SIZE = PageDecoder.EntriesDecoder.nameHeaderLength();
    private static final int SIZE_AT = PageDecoder.EntriesDecoder.sizeEncodingOffset();
    private static final int MTIME_AT = PageDecoder.EntriesDecoder.mtimeNanosEncodingOffset();
    private static final int ATIME_AT = PageDecoder.EntriesDecoder.atimeNanosEncodingOffset();
    private static final int CTIME_AT = PageDecoder.EntriesDecoder.ctimeNanosEncodingOffset();
    private static final int INODE_AT = PageDecoder.EntriesDecoder.inodeEncodingOffset();

    /** A row of the page's dictionary: what many entries share. {@code apart}: see {@link TreePage#apart}. */
    record Kind(boolean directory, boolean symlink, boolean acl, boolean apart, int mode, String owner, String group) {}

    final long directory;
    final int count;
    private final byte[] bytes;
    private final int block;
    private final boolean hasTimes;
    private final boolean hasInodes;
    private final Kind[] kinds;
    private final String[] targets;

    private PageBody(long directory, int count, byte[] bytes, int block, Kind[] kinds, String[] targets) {
        this.directory = directory;
        this.count = count;
        this.bytes = bytes;
        this.block = block;
        this.hasTimes = block >= ListDetail.TIMES.blockLength();
        this.hasInodes = block >= ListDetail.ALL.blockLength();
        this.kinds = kinds;
        this.targets = targets;
    }

    /**
     * Copies the entries out of a reply; the decoder then stands behind the last group.
     *
     * @throws IOException the page contradicts itself
     */
    static PageBody read(ReplyFrame reply, PageDecoder page, long directory, TextCache texts) throws IOException {
        WireBuffer in = reply.in();
        PageDecoder.EntriesDecoder entries = page.entries();
        int count = entries.count();
        int block = entries.actingBlockLength();
        check(count == 0 || block >= ListDetail.NAMES.blockLength(), "entries of no bytes");
        int start = page.limit();
        byte[] bytes = new byte[in.length() - start]; // and the groups behind the entries: they are short
        in.getBytes(start, bytes, 0, bytes.length);
        int at = 0;
        int kindMax = -1;
        for (int i = 0; i < count; i++) {
            int head = block + LENGTH_SIZE;
            if (head > bytes.length - at) {
                in.check(start + at, head); // fails
            }
            int length = shortAt(bytes, at + block);
            check(length > 0, "an entry without a name");
            kindMax = Math.max(kindMax, bytes[at] & 0xFF);
            at += head + length;
        }
        in.check(start, at);
        page.limit(start + at);
        Kind[] kinds = kinds(in, page, texts);
        List<String> targets = new ArrayList<>(0);
        PageDecoder.LinksDecoder links = page.links();
        while (links.hasNext()) {
            targets.add(links.next().target());
        }
        if (kindMax >= kinds.length) {
            throw malformed("an entry of kind " + kindMax + ", where there are " + kinds.length);
        }
        PageBody body = new PageBody(directory, count, bytes, block, kinds, targets.toArray(new String[0]));
        body.checkLinks();
        return body;
    }

    private static Kind[] kinds(WireBuffer in, PageDecoder page, TextCache texts) {
        PageDecoder.KindsDecoder rows = page.kinds();
        List<Kind> kinds = new ArrayList<>(1);
        while (rows.hasNext()) {
            var flags = rows.next().flags();
            boolean directory = flags.directory();
            boolean symlink = flags.symlink();
            boolean acl = flags.acl();
            boolean apart = flags.apart();
            int mode = rows.mode();
            int ownerLength = rows.ownerLength();
            String owner = texts.text(in, page.limit() + PageDecoder.KindsDecoder.ownerHeaderLength(), ownerLength);
            rows.skipOwner();
            int groupLength = rows.groupLength();
            String group = texts.text(in, page.limit() + PageDecoder.KindsDecoder.groupHeaderLength(), groupLength);
            rows.skipGroup();
            kinds.add(new Kind(directory, symlink, acl, apart, mode, owner, group));
        }
        return kinds.toArray(new Kind[0]);
    }

    private void checkLinks() throws IOException {
        int links = 0;
        if (Arrays.stream(kinds).anyMatch(Kind::symlink)) {
            for (int i = 0, at = 0; i < count; i++, at = next(at)) {
                links += kind(at).symlink ? 1 : 0;
            }
        }
        check(links == targets.length, "targets for " + targets.length + " symbolic links, where there are " + links);
    }

    private static void check(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw malformed(otherwise);
        }
    }

    private static IOException malformed(String what) {
        return new IOException("malformed page of a listing: " + what);
    }

    /** Where the entry behind the one at {@code at} is. The first one is at 0. */
    int next(int at) {
        return at + block + LENGTH_SIZE + nameLength(at);
    }

    private int nameLength(int at) {
        return shortAt(bytes, at + block);
    }

    private static int shortAt(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) | ((bytes[at + 1] & 0xFF) << 8);
    }

    String name(int at) {
        return new String(bytes, at + block + LENGTH_SIZE, nameLength(at), StandardCharsets.UTF_8);
    }

    Kind kind(int at) {
        return kinds[bytes[at] & 0xFF];
    }

    long size(int at) {
        return hasTimes ? (long) LONG.get(bytes, at + SIZE_AT) : 0;
    }

    long mtimeNanos(int at) {
        return hasTimes ? (long) LONG.get(bytes, at + MTIME_AT) : 0;
    }

    long atimeNanos(int at) {
        return hasTimes ? (long) LONG.get(bytes, at + ATIME_AT) : 0;
    }

    long ctimeNanos(int at) {
        return hasTimes ? (long) LONG.get(bytes, at + CTIME_AT) : 0;
    }

    long inode(int at) {
        return hasInodes ? (long) LONG.get(bytes, at + INODE_AT) : 0;
    }

    /** The target of the link of this number on the page. */
    String target(int link) {
        return targets[link];
    }
}
