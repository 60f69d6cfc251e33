package io.hmfs.server.request;

import io.hmfs.client.ResultCode;
import io.hmfs.core.PoolStatus;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.data.ObjectList;
import io.hmfs.server.partition.Scrubber;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.transport.ReplyTarget;
import io.hmfs.wire.AclReportEncoder;
import io.hmfs.wire.CensusPageEncoder;
import io.hmfs.wire.ChallengeEncoder;
import io.hmfs.wire.ChunkEncoder;
import io.hmfs.wire.DoneEncoder;
import io.hmfs.wire.EntryEncoder;
import io.hmfs.wire.ExportedEncoder;
import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.FrameCompression;
import io.hmfs.wire.LeaseStateEncoder;
import io.hmfs.wire.ListingsEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MetricsReportEncoder;
import io.hmfs.wire.ObjectsPageEncoder;
import io.hmfs.wire.PendingRemovalsEncoder;
import io.hmfs.wire.QuotaReportEncoder;
import io.hmfs.wire.SafeModeStateEncoder;
import io.hmfs.wire.ScrubReportEncoder;
import io.hmfs.wire.StatusReportEncoder;
import io.hmfs.wire.SumEncoder;
import io.hmfs.wire.WelcomeEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.hmfs.wire.XattrsEncoder;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;

/** Writes replies of one thread, its encoders reused for each. */
public final class Reply {
    private static final int FIXED_MAX = 160; // more than header and root block of any reply
    private static final int MESSAGE_MAX = 2048;
    private static final int TEXTS_MAX = 16 << 10;
    private static final int XATTR_LENGTHS = Short.BYTES + Integer.BYTES;
    private static final int CHUNK_HEAD = Wire.HEADER_SIZE + ChunkEncoder.BLOCK_LENGTH + Integer.BYTES;
    private static final int LISTINGS_HEAD = Wire.HEADER_SIZE + ListingsEncoder.BLOCK_LENGTH + Integer.BYTES;

    public final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final WireBuffer out = new WireBuffer();
    private final WelcomeEncoder welcome = new WelcomeEncoder();
    private final ChallengeEncoder challenge = new ChallengeEncoder();
    private final DoneEncoder done = new DoneEncoder();
    private final FailureEncoder failure = new FailureEncoder();
    private final EntryEncoder entry = new EntryEncoder();
    private final StatusReportEncoder report = new StatusReportEncoder();
    private final SumEncoder sum = new SumEncoder();
    private final MetricsReportEncoder metrics = new MetricsReportEncoder();
    private final XattrsEncoder xattrs = new XattrsEncoder();
    private final AclReportEncoder acl = new AclReportEncoder();
    private final QuotaReportEncoder quota = new QuotaReportEncoder();
    private final LeaseStateEncoder leaseState = new LeaseStateEncoder();
    private final SafeModeStateEncoder safeMode = new SafeModeStateEncoder();
    private final ScrubReportEncoder scrub = new ScrubReportEncoder();
    private final CensusPageEncoder census = new CensusPageEncoder();
    private final PendingRemovalsEncoder removals = new PendingRemovalsEncoder();
    private final ObjectsPageEncoder objects = new ObjectsPageEncoder();
    private final ExportedEncoder exported = new ExportedEncoder();
    private final ChunkEncoder chunk = new ChunkEncoder();
    private final ListingsEncoder listings = new ListingsEncoder();
    private final FrameCompression compression = new FrameCompression();
    private final PrincipalNames principals;
    private final Access access;

    private ReplyTarget target;
    private long correlationId;
    private ResultCode outcome = ResultCode.OK;
    private ByteBuf buffer = io.netty.buffer.Unpooled.EMPTY_BUFFER;
    private int begin;
    private int end;
    private final ReplyTarget inside = this::roomInside;
    private ReplyTarget outside;
    private int listingsAt;

    public Reply(PrincipalNames principals, Access access, ReplyTarget nowhere) {
        this.principals = principals;
        this.access = access;
        target = nowhere;
        outside = nowhere;
    }

    /** Aims at the next request's reply. */
    public void aim(ReplyTarget newTarget, long newCorrelationId) {
        target = newTarget;
        correlationId = newCorrelationId;
        outcome = ResultCode.OK;
    }

    /** What the current request's reply says. */
    public ResultCode outcome() {
        return outcome;
    }

    public long correlationId() {
        return correlationId;
    }

    /** Whether memory for replies is scarce, so that one whose length the server chooses is to be short. */
    public boolean isScarce() {
        return (target.equals(inside) ? outside : target).isScarce();
    }

    /** Begins a frame of at most {@code bound} bytes; the window is for the encoder. */
    public WireBuffer open(int bound) {
        buffer = target.room(Wire.LENGTH_SIZE + bound);
        begin = buffer.writerIndex();
        return out.wrap(buffer, begin + Wire.LENGTH_SIZE, bound);
    }

    /** Makes room for a frame that turns out longer: {@code used} bytes are written, {@code more} may follow. */
    public void extend(int used, int more) {
        buffer.writerIndex(begin + Wire.LENGTH_SIZE + used);
        buffer.ensureWritable(more);
        buffer.writerIndex(begin);
        out.wrap(buffer, begin + Wire.LENGTH_SIZE, used + more);
    }

    /** Ends the frame. */
    public void close(int length) {
        buffer.setIntLE(begin, length);
        end = begin + Wire.LENGTH_SIZE + length;
        buffer.writerIndex(end);
        out.release();
    }

    /**
     * Begins a frame of answers: until {@link #closeListings} or {@link #dropListings} each reply is one of them, a frame
     * within this frame.
     */
    public void openListings() {
        open(LISTINGS_HEAD);
        listingsAt = begin;
        buffer.writerIndex(begin + Wire.LENGTH_SIZE + LISTINGS_HEAD);
        outside = target;
        target = inside;
    }

    private ByteBuf roomInside(int bytes) {
        return buffer.ensureWritable(bytes);
    }

    /** Ends the frame of answers. */
    public void closeListings() {
        int length = buffer.writerIndex() - listingsAt - Wire.LENGTH_SIZE;
        target = outside;
        begin = listingsAt;
        outcome = ResultCode.OK;
        listings.wrapAndApplyHeader(out.wrap(buffer, begin + Wire.LENGTH_SIZE, LISTINGS_HEAD), 0, header)
                .correlationId(correlationId);
        out.putInt(LISTINGS_HEAD - Integer.BYTES, length - LISTINGS_HEAD, ListingsEncoder.BYTE_ORDER);
        close(length);
    }

    /** Forgets the frame of answers: nothing of it is sent. */
    public void dropListings() {
        target = outside;
        buffer.writerIndex(listingsAt);
    }

    /** Compresses the last frame if it is a success of at least so many bytes, and gets shorter by it. */
    public void compress(int from) {
        int length = frameLength() - Wire.LENGTH_SIZE;
        if (length >= from && outcome == ResultCode.OK) {
            close(compression.compress(buffer, begin + Wire.LENGTH_SIZE, length, correlationId));
        }
    }

    /** A copy of the last frame, without its length word, for {@link #repeat}. */
    public byte[] copy() {
        byte[] frame = new byte[frameLength() - Wire.LENGTH_SIZE];
        buffer.getBytes(begin + Wire.LENGTH_SIZE, frame);
        return frame;
    }

    /** Replies with a frame that {@link #copy} returned for an earlier request. */
    public void repeat(byte[] frame) {
        open(frame.length);
        out.putBytes(0, frame, 0, frame.length);
        out.putLong(Wire.HEADER_SIZE, correlationId, MessageHeaderEncoder.BYTE_ORDER);
        close(frame.length);
    }

    /** Where the last frame begins in {@link #buffer}; until the next one is opened. */
    public int frameAt() {
        return begin;
    }

    /** Bytes of the last frame, with its length word. */
    public int frameLength() {
        return end - begin;
    }

    public void done() {
        done(0, 0);
    }

    public void done(long removedId, long removedSize) {
        renamed(removedId, removedSize, false);
    }

    /** Done, of a rename; {@code inside}: the target was a directory, and the object is in it. */
    public void renamed(long removedId, long removedSize, boolean inside) {
        done(removedId, removedSize, inside, 0);
    }

    /** Done, of bytes that this machine has in its memory. */
    public void written(long verifier) {
        done(0, 0, false, verifier);
    }

    private void done(long removedId, long removedSize, boolean inside, long verifier) {
        close(done.wrapAndApplyHeader(open(FIXED_MAX), 0, header)
                .correlationId(correlationId)
                .removedId(removedId)
                .removedSize(removedSize)
                .inside((short) (inside ? 1 : 0))
                .verifier(verifier)
                .limit());
    }

    /** Replies with an outcome of the engine, whatever it is. */
    public void status(Status status) {
        if (status == Status.OK) {
            done();
        } else if (status == Status.ACCESS_DENIED
                || status == Status.NAME_QUOTA_EXCEEDED
                || status == Status.SPACE_QUOTA_EXCEEDED) {
            failure(StatusCodes.wire(status), access.reason());
        } else if (status == Status.UNRESOLVED_LINK) {
            failure(ResultCode.UNRESOLVED_LINK, access.reason(), Wire.PATH_MAX);
        } else {
            failure(StatusCodes.wire(status), "");
        }
    }

    /** Refuses to go on behind an entry of this directory. */
    public void damagedIn(String directory) {
        failure(
                ResultCode.DAMAGED,
                "an entry of " + directory
                        + " is damaged in the server's pool, so that it is not known what is there; nothing was changed. Stop the server, and run hmfs fsck");
    }

    public void failure(ResultCode code, String message) {
        failure(code, message, MESSAGE_MAX);
    }

    private void failure(ResultCode code, String message, int messageMax) {
        outcome = code;
        byte[] text = message.isEmpty() ? NO_BYTES : message.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, messageMax);
        close(failure.wrapAndApplyHeader(open(FIXED_MAX + length), 0, header)
                .correlationId(correlationId)
                .code(code.code())
                .putMessage(text, 0, length)
                .limit());
    }

    private static final byte[] NO_BYTES = {};

    public void entry(long parentId, Attributes attributes) {
        entry(parentId, attributes, NO_BYTES);
    }

    /** The same for what may be a symbolic link; else the target is empty. */
    public void entry(long parentId, Attributes attributes, byte[] linkTarget) {
        entry(parentId, attributes, 0, 0, 0, 0, linkTarget);
    }

    /** A file that was opened or made, what its making removed, and what its data may be asked for. */
    public void opened(long parentId, Attributes attributes, Attributes removed, long grant, long seal) {
        entry(parentId, attributes, removed.id, removed.size, grant, seal, NO_BYTES);
    }

    private void entry(
            long parentId,
            Attributes attributes,
            long removedId,
            long removedSize,
            long grant,
            long seal,
            byte[] linkTarget) {
        byte[] owner = principals.name(attributes.uid);
        byte[] group = principals.name(attributes.gid);
        entry.wrapAndApplyHeader(open(FIXED_MAX + owner.length + group.length + linkTarget.length), 0, header)
                .correlationId(correlationId)
                .inode(attributes.id)
                .parentId(parentId)
                .size(attributes.size)
                .mtimeNanos(attributes.mtimeNanos)
                .atimeNanos(attributes.atimeNanos)
                .ctimeNanos(attributes.ctimeNanos)
                .removedId(removedId)
                .removedSize(removedSize)
                .mode(attributes.mode)
                .grant(grant)
                .seal(seal);
        entry.flags()
                .clear()
                .directory(attributes.isDirectory())
                .symlink(attributes.isSymlink())
                .acl(attributes.hasAcl)
                .dense(attributes.dense);
        close(entry.putOwner(owner, 0, owner.length)
                .putGroup(group, 0, group.length)
                .putTarget(linkTarget, 0, linkTarget.length)
                .limit());
    }

    /** Where a directory's stats are read; without slots: it is not exported. */
    public void exported(long number, long address, int key, int slots) {
        close(exported.wrapAndApplyHeader(open(FIXED_MAX), 0, header)
                .correlationId(correlationId)
                .number(number)
                .address(address)
                .key(Integer.toUnsignedLong(key))
                .slots(slots)
                .limit());
    }

    /** Asks for a Response to this token. */
    public void challenge(byte[] token) {
        close(challenge
                .wrapAndApplyHeader(open(FIXED_MAX + token.length), 0, header)
                .correlationId(correlationId)
                .putToken(token, 0, token.length)
                .limit());
    }

    /** {@code survives}: whether outcomes are remembered over a crash of the server too. */
    public void welcome(WelcomeInfo info, long incarnation, int outcomesKept, boolean survives) {
        welcome.wrapAndApplyHeader(open(TEXTS_MAX), 0, header)
                .correlationId(correlationId)
                .mapVersion(info.mapVersion())
                .blockSize(info.blockSize())
                .protocolVersion(Wire.PROTOCOL_VERSION)
                .chunkSize(info.chunkSize())
                .frameMax(info.frameMax())
                .incarnation(incarnation)
                .outcomesKept(outcomesKept)
                .outcomesSurvive((short) (survives ? 1 : 0))
                .rdma((short) (info.rdma() ? 1 : 0));
        UUID cluster = info.clusterId();
        welcome.clusterId().high(cluster.getMostSignificantBits()).low(cluster.getLeastSignificantBits());
        close(welcome.serverVersion(info.serverVersion())
                .persistence(info.persistence())
                .dataStore(info.dataStore())
                .limit());
    }

    public void report(PoolStatus pool, String path, WelcomeInfo info, int connections, long uptimeMillis) {
        report.wrapAndApplyHeader(open(TEXTS_MAX), 0, header)
                .correlationId(correlationId)
                .mapVersion(info.mapVersion())
                .capacity(pool.capacity())
                .recoveredObjects(pool.recoveredObjects())
                .uptimeMillis(uptimeMillis)
                .formatVersion(pool.formatVersion())
                .regionsUsed(pool.regionsUsed())
                .regionsMax(pool.regionsMax())
                .connections(connections)
                .recovering((short) (pool.recovering() ? 1 : 0));
        UUID cluster = pool.clusterId();
        report.clusterId().high(cluster.getMostSignificantBits()).low(cluster.getLeastSignificantBits());
        close(report.poolPath(path)
                .backing(pool.backing())
                .persistence(pool.persistence())
                .serverVersion(info.serverVersion())
                .limit());
    }

    public void xattrs(Map<String, byte[]> attributes) {
        int bound = FIXED_MAX;
        for (Map.Entry<String, byte[]> each : attributes.entrySet()) {
            bound += XATTR_LENGTHS + 3 * each.getKey().length() + each.getValue().length;
        }
        XattrsEncoder.AttributesEncoder group = xattrs.wrapAndApplyHeader(open(bound), 0, header)
                .correlationId(correlationId)
                .attributesCount(attributes.size());
        attributes.forEach((name, value) -> group.next().name(name).putValue(value, 0, value.length));
        close(xattrs.limit());
    }

    public void acl(Attributes attributes, String entries) {
        byte[] owner = principals.name(attributes.uid);
        byte[] group = principals.name(attributes.gid);
        byte[] text = entries.getBytes(StandardCharsets.UTF_8);
        close(acl.wrapAndApplyHeader(open(FIXED_MAX + owner.length + group.length + text.length), 0, header)
                .correlationId(correlationId)
                .mode(attributes.mode)
                .putOwner(owner, 0, owner.length)
                .putGroup(group, 0, group.length)
                .putEntries(text, 0, text.length)
                .limit());
    }

    public void safeMode(boolean on) {
        close(safeMode.wrapAndApplyHeader(open(FIXED_MAX), 0, header)
                .correlationId(correlationId)
                .on((short) (on ? 1 : 0))
                .limit());
    }

    /** {@code next}: the first damaged part that is not told; 0: all are. */
    public void scrub(Scrubber.Figures figures, int next, byte[] damages) {
        close(scrub.wrapAndApplyHeader(open(FIXED_MAX + damages.length), 0, header)
                .correlationId(correlationId)
                .number(figures.number())
                .running((short) (figures.isRunning() ? 1 : 0))
                .whole((short) (figures.isWhole() ? 1 : 0))
                .files(figures.files())
                .objects(figures.objects())
                .bytes(figures.bytes())
                .unread(figures.unread())
                .damaged(figures.damaged())
                .beganMillis(figures.beganMillis())
                .endedMillis(figures.endedMillis())
                .next(next)
                .putDamages(damages, 0, damages.length)
                .limit());
    }

    public void leaseState(boolean closed) {
        close(leaseState
                .wrapAndApplyHeader(open(FIXED_MAX), 0, header)
                .correlationId(correlationId)
                .closed((short) (closed ? 1 : 0))
                .limit());
    }

    public void quota(long nameQuota, long spaceQuota, long names, long bytes) {
        close(quota.wrapAndApplyHeader(open(FIXED_MAX), 0, header)
                .correlationId(correlationId)
                .nameQuota(nameQuota)
                .spaceQuota(spaceQuota)
                .names(names)
                .bytes(bytes)
                .limit());
    }

    /** {@code nameQuota}, {@code spaceQuota}: those of the directory at the top. */
    public void sum(long bytes, long files, long directories, long nameQuota, long spaceQuota, byte[] next) {
        close(sum.wrapAndApplyHeader(open(FIXED_MAX + next.length), 0, header)
                .correlationId(correlationId)
                .bytes(bytes)
                .files(files)
                .directories(directories)
                .nameQuota(nameQuota)
                .spaceQuota(spaceQuota)
                .putNext(next, 0, next.length)
                .limit());
    }

    public void removals(int next, int recorded, byte[] files, int length) {
        close(removals.wrapAndApplyHeader(open(FIXED_MAX + length), 0, header)
                .correlationId(correlationId)
                .next(next)
                .recorded(recorded)
                .putFiles(files, 0, length)
                .limit());
    }

    public void census(
            long incarnation, long position, int listed, ListCursor cursor, byte[] files, byte[] directories) {
        close(census.wrapAndApplyHeader(open(FIXED_MAX + files.length + directories.length), 0, header)
                .correlationId(correlationId)
                .incarnation(incarnation)
                .renamePosition(position)
                .listed(listed)
                .cursorBirth(cursor.birth)
                .cursorAt(cursor.at)
                .cursorStart(cursor.start)
                .putFiles(files, 0, files.length)
                .putDirectories(directories, 0, directories.length)
                .limit());
    }

    public void objects(ObjectList list) {
        byte[] found = list.objects();
        byte[] unknown = list.unknown();
        close(objects.wrapAndApplyHeader(open(FIXED_MAX + found.length + unknown.length), 0, header)
                .correlationId(correlationId)
                .directory(list.directory())
                .afterInode(list.afterInode())
                .afterBlock(list.afterBlock())
                .putObjects(found, 0, found.length)
                .putUnknown(unknown, 0, unknown.length)
                .limit());
    }

    public void metrics(byte[] text) {
        close(metrics.wrapAndApplyHeader(open(FIXED_MAX + text.length), 0, header)
                .correlationId(correlationId)
                .putText(text, 0, text.length)
                .limit());
    }

    /** Begins a chunk of at most {@code length} bytes. Returns the position in {@link #buffer} where its data goes. */
    public int openChunk(int length) {
        open(CHUNK_HEAD + length);
        return begin + Wire.LENGTH_SIZE + CHUNK_HEAD;
    }

    /** The buffer of the frame that is open. */
    public ByteBuf buffer() {
        return buffer;
    }

    /** Ends a chunk: {@code count} bytes are in place; -1: there is nothing to read. */
    public void closeChunk(int count) {
        closeChunk(Math.max(count, 0), count >= 0);
    }

    /** Ends a chunk with so many bytes in place. */
    public void closeChunk(int length, boolean isPresent) {
        chunk.wrapAndApplyHeader(out, 0, header).correlationId(correlationId).present((short) (isPresent ? 1 : 0));
        out.putInt(CHUNK_HEAD - Integer.BYTES, length, ChunkEncoder.BYTE_ORDER);
        close(CHUNK_HEAD + length);
    }

    public byte[] principal(int id) {
        return principals.name(id);
    }

    /** What became of the request is unknown. */
    public void forgotten() {
        failure(
                ResultCode.OUTCOME_UNKNOWN,
                "whether it was executed is unknown: the server does not remember so old a request; look, and repeat it if"
                        + " need be");
    }
}
