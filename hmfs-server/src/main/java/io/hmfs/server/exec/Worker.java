package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Caller;
import io.hmfs.server.access.Grants;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.GetXattrsDecoder;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.ListTreeDecoder;
import io.hmfs.wire.ListXattrsDecoder;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MetricsDecoder;
import io.hmfs.wire.MkdirDecoder;
import io.hmfs.wire.OpenDecoder;
import io.hmfs.wire.ReadBlockDecoder;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.RemoveXattrDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.SafeModeDecoder;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.SetOwnerDecoder;
import io.hmfs.wire.SetTimesDecoder;
import io.hmfs.wire.SetXattrDecoder;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.StatusDecoder;
import io.hmfs.wire.SummaryDecoder;
import io.hmfs.wire.SymlinkDecoder;
import io.hmfs.wire.SyncBlockDecoder;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.hmfs.wire.WriteBlockDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.System.Logger.Level;

/**
 * Executes the requests of one thread, one after the other, or those that join as one batch; decoders, encoders, names and
 * attributes are kept and reused (I7). Each frame gets exactly one reply, or is handed to a thread that may wait for the disk and
 * gets it from there. Whoever hands in frames, of however many connections, ends with {@link #endTurn}.
 */
public final class Worker {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    final Service service;
    final boolean waits;
    final Namespace namespace;
    final WireBuffer in = new WireBuffer();
    final MessageHeaderDecoder header = new MessageHeaderDecoder();
    final ReplyWriter reply;
    final PathResolver path;
    final PathResolver otherPath;
    final Attributes attributes = new Attributes();
    final Links links;
    final Recorder recorder;

    final Access access;
    final Charges charges;
    final LeaseRequests leases;
    final Once once = new Once(this);

    /** The number of the user that the current request acts for; none while nothing is his: {@link #number}. */
    int uid = Caller.NOBODY;

    private long userMark;

    /** When this thread came to the current request: when it was read, or when what was read with it and is not answered with it was done. */
    long arrivedNanos = System.nanoTime();

    private final Handshake handshake;
    private final ReadRequests reads;
    private final CreateRequests creates;
    private final RemoveRequests removes;
    private final ChangeRequests changes;
    private final AppendRequests appends;
    private final XattrRequests xattrs;
    private final AclRequests acls;
    private final SafeModeRequests safeMode = new SafeModeRequests(this);
    private final QuotaRequests quotas = new QuotaRequests(this);
    private final TreeRequests trees;
    private final DataRequests dataRequests;
    private final CensusRequests census = new CensusRequests(this);
    private final RemovalRequests removals = new RemovalRequests(this);
    final Recorded recorded;
    private final Joining joining;
    private final Offloading offloading;

    /**
     * @param waits whether this is for a thread that may wait for the disk, and for locks that are held meanwhile
     */
    Worker(Service service, boolean waits) {
        this.service = service;
        this.waits = waits;
        namespace = service.namespace;
        access = new Access(namespace);
        reply = new ReplyWriter(new PrincipalNames(namespace), access, bytes -> Unpooled.EMPTY_BUFFER);
        links = new Links(namespace, access);
        recorder = new Recorder(this, service.observation);
        charges = new Charges(this);
        PathCache known = new PathCache(service.changes, meter());
        path = new PathResolver(this, known);
        otherPath = new PathResolver(this, known);
        leases = new LeaseRequests(this);
        handshake = new Handshake(this);
        reads = new ReadRequests(this);
        removes = new RemoveRequests(this);
        creates = new CreateRequests(this, removes);
        changes = new ChangeRequests(this);
        appends = new AppendRequests(this);
        xattrs = new XattrRequests(this, changes);
        acls = new AclRequests(this, changes);
        trees = new TreeRequests(this);
        dataRequests = new DataRequests(this);
        recorded = new Recorded(this);
        joining = new Joining(this, reads, creates, removes, appends);
        offloading = new Offloading(this, creates, removes, dataRequests);
    }

    /** Where this worker's thread counts what it does. */
    public WorkerMeter meter() {
        return recorder.meter();
    }

    /** Frames of a connection that have been read are handed in now. */
    public void beginRead() {
        arrivedNanos = System.nanoTime();
    }

    /** Executes the frame in this part of a buffer, on the connection's thread, now or at {@link #endTurn}. */
    public void execute(Session session, ByteBuf frames, int offset, int length) {
        if (service.hasFailed()) {
            session.closeWhenSent();
            return;
        }
        try {
            in.wrap(frames, offset, length);
            if (joining.takes(session)) {
                return;
            }
            endTurn();
            if (!open(session, session)) {
                return;
            }
            if (!session.isGreeted()) {
                if (!handshake.run(session)) {
                    recorder.refused();
                }
            } else if (!supported() || !once.begin(session)) {
                return;
            } else if (offloading.takes() || !executeNow(session)) {
                int replyBytes = offloading.replyBytes();
                session.begin(replyBytes);
                ByteBuf frame = frames.retainedSlice(offset, length);
                service.onDisk(new OffloadedRequest(service, session, frame, replyBytes, once.handOver()));
            }
        } catch (MalformedFrameException e) {
            endTurn();
            reply.aim(session, correlationId());
            malformed(session, e);
            once.answered(session);
            if (!session.isGreeted()) {
                session.closeWhenSent(); // who cannot say who he is has nothing else to say
            }
        } catch (Throwable unexpected) {
            service.fail(unexpected);
            session.closeWhenSent();
        } finally {
            access.actFor(null); // what comes next must say whose it is
            in.release();
        }
    }

    /** False: it would have to wait for another request, and has done nothing. */
    private boolean executeNow(Session session) {
        actFor(session);
        try {
            dispatch();
        } catch (KeyLocks.TakenException e) {
            return false;
        } finally {
            once.leave();
        }
        once.answered(session);
        long endNanos = System.nanoTime();
        recorder.answered(session, arrivedNanos, endNanos);
        arrivedNanos = endNanos;
        return true;
    }

    /** Executes what has joined: nothing more has arrived, or something that does not join. */
    public void endTurn() {
        joining.execute();
        access.actFor(null); // what comes next must say whose it is
    }

    /** Executes a frame on a thread that may wait for the disk. */
    void executeHere(Session session, ReplyTarget target, ByteBuf frame, long queuedNanos, long sequence) {
        if (service.hasFailed()) {
            return;
        }
        try {
            in.wrap(frame, frame.readerIndex(), frame.readableBytes());
            header.wrap(in, 0);
            reply.aim(target, correlationId());
            actFor(session);
            once.resume(session, sequence);
            dispatch();
            once.answered(session, sequence);
            recorder.answered(session, queuedNanos, System.nanoTime());
        } catch (MalformedFrameException e) {
            malformed(session, e);
            once.answered(session, sequence);
        } catch (Throwable unexpected) {
            service.fail(unexpected);
        } finally {
            once.leave();
            access.actFor(null); // what comes next must say whose it is
            in.release();
        }
    }

    /** Answers a change that an earlier start has executed. */
    void answerAsRecorded(Session session, long ring, long sequence) {
        actFor(session);
        recorded.answer(ring, sequence);
    }

    void actFor(Session session) {
        leases.actFor(session);
        Caller caller = session.caller();
        if (caller != null) {
            uid = caller.uid();
            userMark = caller.mark();
        }
        access.actFor(caller);
    }

    /** Sees to it that the current user has a number, for something is about to be stored under it: OK or NO_SPACE. */
    Status number() {
        if (uid == Caller.NOBODY) {
            uid = access.number();
        }
        return uid == Caller.NOBODY ? Status.NO_SPACE : Status.OK;
    }

    /** Replies with a file, opened by the current user for this. */
    void open(long parentId, Attributes file, Attributes removed, int granted) {
        Grants grants = service.grants;
        long grant = grants.grant(granted);
        reply.opened(parentId, file, removed, grant, grants.seal(file.id, userMark, grant));
    }

    /** Whether the current user may do this with a file's data. */
    boolean isGranted(long inode, long grant, long seal, int wanted) {
        return !access.isLimited() || service.grants.allows(inode, userMark, grant, seal, wanted);
    }

    /** The same; if not, the reply says so. */
    boolean mayUse(long inode, long grant, long seal, int wanted) {
        if (isGranted(inode, grant, seal, wanted)) {
            return true;
        }
        reply.failure(
                ResultCode.ACCESS_DENIED,
                "Permission denied: user=" + access.user() + ", access=" + (wanted == Grants.READ ? "READ" : "WRITE")
                        + ", inode=" + Long.toHexString(inode) + ": no grant of it, or an old one; open the file");
        return false;
    }

    long correlationId() {
        return in.getLong(Wire.HEADER_SIZE, MessageHeaderDecoder.BYTE_ORDER);
    }

    private void malformed(Session session, MalformedFrameException e) {
        recorder.refused();
        LOG.log(Level.WARNING, "{0} sent a malformed request: {1}", session.peer(), e.getMessage());
        reply.failure(ResultCode.BAD_REQUEST, e.getMessage() == null ? "" : e.getMessage());
    }

    private boolean open(Session session, ReplyTarget target) {
        header.wrap(in, 0);
        if (header.schemaId() != MessageHeaderDecoder.SCHEMA_ID) {
            LOG.log(Level.WARNING, "{0} does not speak HMFS: schema {1}", session.peer(), header.schemaId());
            recorder.refused();
            reply.aim(target, 0);
            reply.failure(ResultCode.BAD_REQUEST, "this is an HMFS server; the frame is of another protocol");
            session.closeWhenSent();
            return false;
        }
        reply.aim(target, correlationId());
        return true;
    }

    private boolean supported() {
        if (header.version() > MessageHeaderDecoder.SCHEMA_VERSION || header.version() == 0) {
            recorder.refused();
            reply.failure(
                    ResultCode.UNSUPPORTED_VERSION,
                    "message version " + header.version() + "; this server knows 1 to "
                            + MessageHeaderDecoder.SCHEMA_VERSION);
            return false;
        }
        return true;
    }

    private void dispatch() {
        if (safeMode.refuse()) {
            return;
        }
        switch (header.templateId()) {
            case StatDecoder.TEMPLATE_ID -> reads.stat();
            case OpenDecoder.TEMPLATE_ID -> reads.open();
            case ListDecoder.TEMPLATE_ID -> reads.list();
            case StatusDecoder.TEMPLATE_ID -> reads.status();
            case MetricsDecoder.TEMPLATE_ID -> reads.metrics();
            case SafeModeDecoder.TEMPLATE_ID -> safeMode.run();
            case SummaryDecoder.TEMPLATE_ID -> trees.summary();
            case ListTreeDecoder.TEMPLATE_ID -> trees.listing.list();
            case CreateDecoder.TEMPLATE_ID -> creates.create();
            case MkdirDecoder.TEMPLATE_ID -> creates.mkdir();
            case SymlinkDecoder.TEMPLATE_ID -> creates.symlink();
            case DeleteDecoder.TEMPLATE_ID -> removes.delete();
            case RmdirDecoder.TEMPLATE_ID -> removes.rmdir();
            case RemoveTreeDecoder.TEMPLATE_ID -> trees.remove();
            case RenameDecoder.TEMPLATE_ID -> removes.rename();
            case SetModeDecoder.TEMPLATE_ID -> changes.setMode();
            case SetOwnerDecoder.TEMPLATE_ID -> changes.setOwner();
            case SetTimesDecoder.TEMPLATE_ID -> changes.setTimes();
            case AppendDecoder.TEMPLATE_ID -> appends.append();
            case TruncateDecoder.TEMPLATE_ID -> changes.truncate();
            case GetXattrsDecoder.TEMPLATE_ID -> xattrs.get();
            case ListXattrsDecoder.TEMPLATE_ID -> xattrs.list();
            case SetXattrDecoder.TEMPLATE_ID -> xattrs.set();
            case RemoveXattrDecoder.TEMPLATE_ID -> xattrs.remove();
            case ReadBlockDecoder.TEMPLATE_ID -> dataRequests.read();
            case WriteBlockDecoder.TEMPLATE_ID -> dataRequests.write();
            case SyncBlockDecoder.TEMPLATE_ID -> dataRequests.sync();
            case HelloDecoder.TEMPLATE_ID -> reply.failure(ResultCode.BAD_REQUEST, "the handshake was done before");
            default -> {
                int template = header.templateId();
                if (!acls.takes(template)
                        && !census.takes(template)
                        && !quotas.takes(template)
                        && !removals.takes(template)
                        && !leases.takes(template)) {
                    reply.failure(ResultCode.BAD_REQUEST, "message " + header.templateId() + " is unknown");
                }
            }
        }
    }

    /** Fails unless the request's root block is as long as this version's. */
    void checkBlock(int blockLength) {
        checkBlock(blockLength, 0, blockLength);
    }

    /** The same for a message that was shorter before a version of the schema. */
    void checkBlock(int current, int since, int before) {
        int blockLength = header.version() < since ? before : current;
        if (header.blockLength() < blockLength) {
            throw new MalformedFrameException(
                    "message " + header.templateId() + " has a block of " + header.blockLength() + " bytes instead of "
                            + blockLength,
                    false);
        }
        in.check(Wire.HEADER_SIZE, header.blockLength());
    }
}
