package io.hmfs.client;

import io.hmfs.wire.AclReportDecoder;
import io.hmfs.wire.CensusPageDecoder;
import io.hmfs.wire.ChunkDecoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.LeaseStateDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MetricsReportDecoder;
import io.hmfs.wire.ObjectsPageDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.PendingRemovalsDecoder;
import io.hmfs.wire.QuotaReportDecoder;
import io.hmfs.wire.SafeModeStateDecoder;
import io.hmfs.wire.StatusReportDecoder;
import io.hmfs.wire.SumDecoder;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.hmfs.wire.XattrsDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The reply decoders of one connection, reused for every reply, and what they make of it. */
final class Replies {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final WelcomeDecoder welcome = new WelcomeDecoder();
    private final DoneDecoder done = new DoneDecoder();
    private final EntryDecoder entry = new EntryDecoder();
    private final PageDecoder page = new PageDecoder();
    private final StatusReportDecoder status = new StatusReportDecoder();
    private final SumDecoder sum = new SumDecoder();
    private final MetricsReportDecoder metrics = new MetricsReportDecoder();
    private final AclReportDecoder acl = new AclReportDecoder();
    private final SafeModeStateDecoder safeMode = new SafeModeStateDecoder();
    private final QuotaReportDecoder quota = new QuotaReportDecoder();
    private final LeaseStateDecoder lease = new LeaseStateDecoder();
    private final XattrsDecoder xattrs = new XattrsDecoder();
    private final CensusPageDecoder census = new CensusPageDecoder();
    private final ObjectsPageDecoder objects = new ObjectsPageDecoder();
    private final PendingRemovalsDecoder removals = new PendingRemovalsDecoder();
    private final ChunkDecoder chunk = new ChunkDecoder();
    private final FailureDecoder failure = new FailureDecoder();
    private final TextCache texts = new TextCache();
    private final RemovedListener removed;

    Replies(RemovedListener removed) {
        this.removed = removed;
    }

    /** Looks at a frame's header; returns its correlation id. */
    long open(WireBuffer in) throws IOException {
        header.wrap(in, 0);
        if (header.schemaId() != MessageHeaderDecoder.SCHEMA_ID) {
            throw new IOException("this is no HMFS server: schema " + header.schemaId());
        }
        return in.getLong(Wire.HEADER_SIZE, MessageHeaderDecoder.BYTE_ORDER);
    }

    boolean isFailure() {
        return header.templateId() == FailureDecoder.TEMPLATE_ID;
    }

    ResultCode failureCode(WireBuffer in) {
        failure.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        return ResultCode.of(failure.code());
    }

    /** The text of the failure that {@link #failureCode} looked at. */
    String failureMessage() {
        return failure.message();
    }

    private void expect(int templateId) throws IOException {
        if (header.templateId() != templateId) {
            throw new IOException("unexpected reply: message " + header.templateId() + " instead of " + templateId);
        }
    }

    WelcomeDecoder welcome(WireBuffer in) throws IOException {
        expect(WelcomeDecoder.TEMPLATE_ID);
        return welcome.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
    }

    static ServerInfo serverInfo(WelcomeDecoder welcome) {
        UUID cluster = new UUID(welcome.clusterId().high(), welcome.clusterId().low());
        return new ServerInfo(
                (int) welcome.protocolVersion(),
                cluster,
                welcome.mapVersion(),
                welcome.serverVersion(),
                welcome.persistence(),
                welcome.dataStore(),
                welcome.blockSize(),
                (int) welcome.chunkSize());
    }

    @SuppressWarnings("NullAway") // a Void has no other value
    Void done(WireBuffer in) throws IOException {
        expect(DoneDecoder.TEMPLATE_ID);
        done.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        tellRemoved(done.removedId(), done.removedSize());
        return null;
    }

    private void tellRemoved(long inode, long size) {
        if (inode != 0) {
            removed.removed(inode, size);
        }
    }

    FileInfo entry(WireBuffer in, String path) throws IOException {
        expect(EntryDecoder.TEMPLATE_ID);
        entry.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
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

    OpenedFile opened(WireBuffer in, String path, long lease) throws IOException {
        FileInfo info = entry(in, path);
        return new OpenedFile(info, new Grant(entry.grant(), entry.seal(), lease));
    }

    ListPage page(WireBuffer in) throws IOException {
        openPage(in);
        long birth = page.cursorBirth();
        ListCursor next = birth == -1 ? null : new ListCursor(birth, page.cursorAt(), page.cursorStart());
        return new ListPage(entries(in, page.directoryId(), new ArrayList<>(0)), next);
    }

    TreePage treePage(WireBuffer in) throws IOException {
        openPage(in);
        List<FileInfo> apart = new ArrayList<>(0);
        List<FileInfo> entries = entries(in, 0, apart);
        byte[] next = next(in, page.limit() + PageDecoder.nextHeaderLength(), page.nextLength());
        page.getNext(next, 0, next.length);
        return new TreePage(entries, apart, next.length == 0 ? null : new TreeCursor(next));
    }

    private void openPage(WireBuffer in) throws IOException {
        expect(PageDecoder.TEMPLATE_ID);
        page.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
    }

    private static byte[] next(WireBuffer in, int at, int length) {
        in.check(at, length);
        return new byte[length];
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

    ServerStatus status(WireBuffer in) throws IOException {
        expect(StatusReportDecoder.TEMPLATE_ID);
        status.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        UUID cluster = new UUID(status.clusterId().high(), status.clusterId().low());
        String poolPath = status.poolPath(); // variable parts in the order of the schema
        String backing = status.backing();
        String persistence = status.persistence();
        String serverVersion = status.serverVersion();
        return new ServerStatus(
                poolPath,
                backing,
                persistence,
                cluster,
                status.mapVersion(),
                (int) status.formatVersion(),
                status.capacity(),
                (int) status.regionsUsed(),
                (int) status.regionsMax(),
                status.recovering() != 0,
                status.recoveredObjects(),
                (int) status.connections(),
                status.uptimeMillis(),
                serverVersion);
    }

    Map<String, byte[]> xattrs(WireBuffer in) throws IOException {
        expect(XattrsDecoder.TEMPLATE_ID);
        xattrs.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        Map<String, byte[]> found = new LinkedHashMap<>();
        XattrsDecoder.AttributesDecoder each = xattrs.attributes();
        while (each.hasNext()) {
            String name = each.next().name();
            int length = each.valueLength();
            in.check(xattrs.limit() + XattrsDecoder.AttributesDecoder.valueHeaderLength(), length);
            byte[] value = new byte[length];
            each.getValue(value, 0, length);
            found.put(name, value);
        }
        return found;
    }

    AclInfo acl(WireBuffer in) throws IOException {
        expect(AclReportDecoder.TEMPLATE_ID);
        acl.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        String owner = acl.owner(); // variable parts in the order of the schema
        String group = acl.group();
        String entries = acl.entries();
        return new AclInfo(owner, group, acl.mode(), entries.isEmpty() ? List.of() : List.of(entries.split("\0", -1)));
    }

    TreeCalls.Part part(WireBuffer in) throws IOException {
        expect(SumDecoder.TEMPLATE_ID);
        sum.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        byte[] next = next(in, sum.limit() + SumDecoder.nextHeaderLength(), sum.nextLength());
        sum.getNext(next, 0, next.length);
        return new TreeCalls.Part(
                new TreeSummary(
                        sum.bytes(), sum.files(), sum.directories(), limit(sum.nameQuota()), limit(sum.spaceQuota())),
                next);
    }

    /** An older server says nothing. */
    private static long limit(long told) {
        return told == SumDecoder.nameQuotaNullValue() ? QuotaInfo.NONE : told;
    }

    QuotaInfo quota(WireBuffer in) throws IOException {
        expect(QuotaReportDecoder.TEMPLATE_ID);
        quota.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        return new QuotaInfo(quota.nameQuota(), quota.spaceQuota(), quota.names(), quota.bytes());
    }

    Census.Page census(WireBuffer in) throws IOException {
        expect(CensusPageDecoder.TEMPLATE_ID);
        census.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        byte[] files = new byte[checked(in, census.limit(), census.filesLength())];
        census.getFiles(files, 0, files.length);
        byte[] directories = new byte[checked(in, census.limit(), census.directoriesLength())];
        census.getDirectories(directories, 0, directories.length);
        ListCursor cursor = new ListCursor(census.cursorBirth(), census.cursorAt(), census.cursorStart());
        return new Census.Page(
                census.incarnation(),
                census.moved(),
                (int) census.listed(),
                cursor,
                ByteBuffer.wrap(files).order(ByteOrder.LITTLE_ENDIAN),
                ByteBuffer.wrap(directories).order(ByteOrder.LITTLE_ENDIAN));
    }

    Census.Objects objects(WireBuffer in) throws IOException {
        expect(ObjectsPageDecoder.TEMPLATE_ID);
        objects.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        byte[] bytes = new byte[checked(in, objects.limit(), objects.objectsLength())];
        objects.getObjects(bytes, 0, bytes.length);
        byte[] names = new byte[checked(in, objects.limit(), objects.unknownLength())];
        objects.getUnknown(names, 0, names.length);
        LongBuffer fields =
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        List<Census.Item> found = new ArrayList<>();
        while (fields.hasRemaining()) {
            found.add(new Census.Item(fields.get(), fields.get(), fields.get(), fields.get()));
        }
        String unknown = new String(names, StandardCharsets.UTF_8);
        return new Census.Objects(
                (int) objects.directory(),
                objects.afterInode(),
                objects.afterBlock(),
                found,
                unknown.isEmpty() ? List.of() : List.of(unknown.split("\0")));
    }

    Removals.Pending removals(WireBuffer in) throws IOException {
        expect(PendingRemovalsDecoder.TEMPLATE_ID);
        removals.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        byte[] files = new byte[checked(in, removals.limit(), removals.filesLength())];
        removals.getFiles(files, 0, files.length);
        return Removals.Pending.of((int) removals.next(), (int) removals.recorded(), ByteBuffer.wrap(files));
    }

    /** The length of data that begins here, if all of it is in the frame. */
    private static int checked(WireBuffer in, int at, int length) {
        in.check(at + Integer.BYTES, length);
        return length;
    }

    String metrics(WireBuffer in) throws IOException {
        expect(MetricsReportDecoder.TEMPLATE_ID);
        metrics.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        int length = metrics.textLength();
        in.check(metrics.limit() + MetricsReportDecoder.textHeaderLength(), length);
        byte[] text = new byte[length];
        metrics.getText(text, 0, text.length);
        return new String(text, StandardCharsets.UTF_8);
    }

    boolean safeMode(WireBuffer in) throws IOException {
        expect(SafeModeStateDecoder.TEMPLATE_ID);
        return safeMode.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version())
                        .on()
                != 0;
    }

    boolean isClosed(WireBuffer in) throws IOException {
        expect(LeaseStateDecoder.TEMPLATE_ID);
        return lease.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version())
                        .closed()
                != 0;
    }

    /** Copies the data of a chunk; -1 if there is none. */
    int chunk(WireBuffer in, byte[] target, int offset, int length) throws IOException {
        expect(ChunkDecoder.TEMPLATE_ID);
        chunk.wrap(in, Wire.HEADER_SIZE, header.blockLength(), header.version());
        if (chunk.present() == 0) {
            return -1;
        }
        if (chunk.payloadLength() > length) {
            throw new IOException(
                    "the server sent " + chunk.payloadLength() + " bytes where " + length + " were asked");
        }
        return chunk.getPayload(target, offset, length);
    }

    private static long millis(long nanos) {
        return Math.floorDiv(nanos, NANOS_PER_MILLI);
    }
}
