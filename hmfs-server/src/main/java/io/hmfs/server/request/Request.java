package io.hmfs.server.request;

import io.hmfs.core.Namespace;
import io.hmfs.core.NumberedChanges;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.access.Caller;
import io.hmfs.server.listing.PageLookup;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.path.SymbolicLinks;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.quota.QuotaAccounting;
import io.hmfs.server.retry.RetryCache;
import io.hmfs.server.transport.ReplyTarget;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The request that a thread is working on: its frame, its caller, the partition and the paths that it is about, the identity of the
 * change that it asks for, its results and its reply. One for each thread, filled anew for each request: allocates nothing (I7).
 */
public final class Request {
    /** The sequence of a request that changes nothing, or whose client does not number its changes. */
    public static final long UNNUMBERED = 0;

    private static final int CLIENT_ID_AT = Wire.HEADER_SIZE + CreateDecoder.clientIdEncodingOffset();
    private static final int SEQUENCE_AT = Wire.HEADER_SIZE + CreateDecoder.sequenceEncodingOffset();
    private static final int NUMBERED_BLOCK_MIN = SEQUENCE_AT + Long.BYTES - Wire.HEADER_SIZE;

    private final WireBuffer in = new WireBuffer();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final Access access;
    private final Reply reply;
    private final Partitions partitions;
    private final Workspace[] workspaces; // by the numbers of partitions
    private final int rootNumber;
    private final Attributes attributes = new Attributes();
    private final boolean mayWait;

    private @Nullable RequestKind kind;
    private int partitionNumber;
    private Workspace workspace;
    private @Nullable Session session;
    private int uid = Caller.NOBODY;
    private long userMark;
    private long arrivedNanos = System.nanoTime();

    private long claimed = UNNUMBERED;
    private final Change change = new Change();

    /**
     * The request of one thread.
     *
     * @param mayWait whether the thread may wait for the disk, and for locks that are held meanwhile
     */
    public Request(Partitions partitions, WorkerMeter meter, boolean mayWait) {
        this.mayWait = mayWait;
        this.partitions = partitions;
        ServerNamespace root = partitions.ofRoot().namespace(); // users' ids are of its pool
        access = new Access(root);
        reply = new Reply(new PrincipalNames(root), access, bytes -> Unpooled.EMPTY_BUFFER);
        workspaces = partitions.all().stream()
                .map(each -> new Workspace(each, access, meter, mayWait))
                .toArray(Workspace[]::new);
        rootNumber = partitions.numberOf(Namespace.ROOT_ID);
        partitionNumber = rootNumber;
        workspace = workspaces[rootNumber];
    }

    // ---- The frame

    /** Decodes the header of the frame in this part of a buffer, and finds the partition of its id; {@link #release} follows. */
    public void decode(ByteBuf frame, int offset, int length) {
        in.wrap(frame, offset, length);
        header.wrap(in, 0);
        kind = header.schemaId() == MessageHeaderDecoder.SCHEMA_ID ? RequestKind.ofTemplate(header.templateId()) : null;
        workOn(numberOfId());
    }

    /** A frame that is too short for its id is for the root's partition, where its handler refuses it. */
    private int numberOfId() {
        int offset = kind == null ? RequestKind.NO_ID : kind.idOffset();
        if (offset == RequestKind.NO_ID || header.blockLength() < offset + Long.BYTES) {
            return rootNumber;
        }
        in.check(Wire.HEADER_SIZE, offset + Long.BYTES);
        return partitions.numberOf(in.getLong(Wire.HEADER_SIZE + offset, MessageHeaderDecoder.BYTE_ORDER));
    }

    /** What comes next is about the partition with this number. */
    public void workOn(int number) {
        partitionNumber = number;
        workspace = workspaces[number];
    }

    /** Forgets the frame and the caller. */
    public void release() {
        access.actFor(null);
        in.release();
    }

    /** The frame. */
    public WireBuffer in() {
        return in;
    }

    public MessageHeaderDecoder header() {
        return header;
    }

    /** The request's kind; null if this version knows none with its template id. */
    public @Nullable RequestKind kind() {
        return kind;
    }

    /** The kind of a request that was admitted. */
    public RequestKind knownKind() {
        RequestKind known = kind;
        if (known == null) {
            throw new IllegalStateException("a request of an unknown kind was admitted");
        }
        return known;
    }

    public int blockLength() {
        return header.blockLength();
    }

    public int version() {
        return header.version();
    }

    public long correlationId() {
        return in.getLong(Wire.HEADER_SIZE, MessageHeaderDecoder.BYTE_ORDER);
    }

    /** Fails unless the root block is at least as long as this version's, and inside the frame. */
    public void checkBlock(int blockLength) {
        if (header.blockLength() < blockLength) {
            throw new MalformedFrameException(
                    "message " + header.templateId() + " has a block of " + header.blockLength() + " bytes instead of "
                            + blockLength,
                    false);
        }
        in.check(Wire.HEADER_SIZE, header.blockLength());
    }

    // ---- The caller

    /**
     * The request is this session's; its reply goes to {@code target}.
     *
     * @throws IllegalStateException if the request before has claimed a change that is not handed over: it would not be answered
     */
    public void begin(Session of, ReplyTarget target, long correlationId) {
        if (claimed != UNNUMBERED) {
            throw new IllegalStateException("the claim of change " + claimed + " would be forgotten");
        }
        reply.aim(target, correlationId);
        claimed = UNNUMBERED;
        change.clear();
        actFor(of);
    }

    /** What is asked of {@link #access} from here on is for this session's user. */
    public void actFor(Session of) {
        session = of;
        Caller caller = of.caller();
        if (caller != null) {
            uid = caller.uid();
            userMark = caller.mark();
        }
        access.actFor(caller);
    }

    /** The session of the connection that it came over. */
    public Session session() {
        Session of = session;
        if (of == null) {
            throw new IllegalStateException("a request without a session");
        }
        return of;
    }

    /** The user's id in the pool; {@link Caller#NOBODY} while nothing belongs to the user: see {@link #number}. */
    public int uid() {
        return uid;
    }

    /** Tells the user from all others, for grants. */
    public long userMark() {
        return userMark;
    }

    /** Gives the user an id in the pool if there is none yet, because something is about to be stored under it: OK or NO_SPACE. */
    public Status number() {
        if (uid == Caller.NOBODY) {
            uid = access.number();
        }
        return uid == Caller.NOBODY ? Status.NO_SPACE : Status.OK;
    }

    /** What the caller may do. */
    public Access access() {
        return access;
    }

    /** Whether the thread may wait for the disk, and for locks that are held meanwhile. */
    public boolean mayWait() {
        return mayWait;
    }

    /**
     * Takes the lock of the name to which {@link #path} was resolved. While a thread waits for the lock, another request can take away permissions on the
     * path. So after a wait this checks the path, and throws {@link KeyLocks.BeginAgainException} if it has changed, or if that is not known: the pipeline then executes the request
     * from its beginning.
     */
    public void lockKey() {
        PathResolver path = path();
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        KeyLocks locks = partition().locks();
        if (locks.lock(stripe, mayWait) && !path.stands()) {
            locks.unlock(stripe);
            throw KeyLocks.beginAgain();
        }
    }

    /** The same, of both paths. */
    public void lockKeys() {
        PathResolver path = path();
        PathResolver other = otherPath();
        int one = KeyLocks.stripe(path.parentId, path.name);
        int two = KeyLocks.stripe(other.parentId, other.name);
        KeyLocks locks = partition().locks();
        if (locks.lock(one, two, mayWait) && !(path.stands() && other.stands())) {
            locks.unlock(one, two);
            throw KeyLocks.beginAgain();
        }
    }

    /** Ends {@link #lockKey}. */
    public void unlockKey() {
        partition().locks().unlock(KeyLocks.stripe(path().parentId, path().name));
    }

    /** Ends {@link #lockKeys}. */
    public void unlockKeys() {
        partition()
                .locks()
                .unlock(
                        KeyLocks.stripe(path().parentId, path().name),
                        KeyLocks.stripe(otherPath().parentId, otherPath().name));
    }

    // ---- What it is about

    /** The partition of the id that the request works on; the root's if it works on none. */
    public Partition partition() {
        return workspace.partition;
    }

    public int partitionNumber() {
        return partitionNumber;
    }

    public ServerNamespace namespace() {
        return workspace.partition.namespace();
    }

    /** Resolves the request's path, or the first of two. */
    public PathResolver path() {
        return workspace.path;
    }

    /** Resolves the second path. */
    public PathResolver otherPath() {
        return workspace.otherPath;
    }

    public SymbolicLinks links() {
        return workspace.links;
    }

    /** Finds pages of listings that are kept, and keeps some. */
    public PageLookup listings() {
        return workspace.listings;
    }

    /** Charges changes to quotas. */
    public QuotaAccounting accounting() {
        return workspace.accounting;
    }

    // ---- The identity of the change

    /**
     * Claims the change in the client's retry cache, so that it is executed here and now. False if the cache has to be asked what became of
     * it, or the numbers are wrong: {@code RetryCheck} tells. True for what is not numbered, and for what is claimed already.
     */
    public boolean claimIfNew() {
        RetryCache cache = session().retries();
        if (cache == null || !isNumbered() || claimed != UNNUMBERED) {
            return true;
        }
        if (!hasValidNumber()) {
            return false;
        }
        long sent = sentSequence();
        if (cache.claim(sent, true) != RetryCache.Claim.NEW) {
            return false;
        }
        claimed(sent);
        return true;
    }

    /** Whether it is a change that bears a number. */
    public boolean isNumbered() {
        RequestKind known = kind;
        return known != null && known.isNumbered() && header.blockLength() >= NUMBERED_BLOCK_MIN;
    }

    /** Whether its number is one that this connection's client may use. */
    public boolean hasValidNumber() {
        in.check(Wire.HEADER_SIZE, NUMBERED_BLOCK_MIN);
        long sent = sentSequence();
        return in.getLong(CLIENT_ID_AT, MessageHeaderDecoder.BYTE_ORDER)
                        == session().clientId()
                && sent >= 1
                && sent <= RetryCache.SEQUENCE_MAX;
    }

    /** The sequence that the client sent. */
    public long sentSequence() {
        return in.getLong(SEQUENCE_AT, MessageHeaderDecoder.BYTE_ORDER);
    }

    /** The change with this sequence is claimed in the retry cache, by this thread or another one, and executed here. */
    public void claimed(long sent) {
        claimed = sent;
        resume(sent);
    }

    /** The change with this sequence is executed here; its answer is the caller's to keep. */
    public void resume(long sent) {
        RetryCache cache = session().retries();
        if (cache == null || sent == UNNUMBERED || cache.ring() == NumberedChanges.NONE) {
            change.clear();
        } else {
            change.set(cache.ring(), sent);
        }
    }

    /** The claim passes to the caller, which keeps the answer: the sequence, or {@link #UNNUMBERED}. */
    public long handOver() {
        long sent = claimed;
        claimed = UNNUMBERED;
        return sent;
    }

    /** What the engine records with the effect of this request, if the pool keeps records of its client. */
    public Change change() {
        return change;
    }

    // ---- Results

    /** What the request found or made. */
    public Attributes attributes() {
        return attributes;
    }

    /** The encoder of its reply. */
    public Reply reply() {
        return reply;
    }

    /** When it was read, or when the thread was done with what was read before it. */
    public long arrivedNanos() {
        return arrivedNanos;
    }

    public void arrivedNanos(long nanos) {
        arrivedNanos = nanos;
    }
}
