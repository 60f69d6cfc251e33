package io.hmfs.server.protocol;

import static io.hmfs.server.protocol.RequestKind.Row.change;
import static io.hmfs.server.protocol.RequestKind.Row.read;
import static io.hmfs.server.protocol.RequestKind.Row.write;

import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.wire.AccessDecoder;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CensusDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.ExportDecoder;
import io.hmfs.wire.GetAclDecoder;
import io.hmfs.wire.GetXattrsDecoder;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.IsClosedDecoder;
import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.ListManyDecoder;
import io.hmfs.wire.ListTreeDecoder;
import io.hmfs.wire.ListXattrsDecoder;
import io.hmfs.wire.MetricsDecoder;
import io.hmfs.wire.MkdirDecoder;
import io.hmfs.wire.ModifyAclDecoder;
import io.hmfs.wire.ObjectsDecoder;
import io.hmfs.wire.ObjectsRemovedDecoder;
import io.hmfs.wire.OpenDecoder;
import io.hmfs.wire.QuotaUsageDecoder;
import io.hmfs.wire.ReadBlockDecoder;
import io.hmfs.wire.ReadChecksumsDecoder;
import io.hmfs.wire.RecoverLeaseDecoder;
import io.hmfs.wire.RemoveAclDecoder;
import io.hmfs.wire.RemoveAclEntriesDecoder;
import io.hmfs.wire.RemoveDefaultAclDecoder;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.RemoveXattrDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.RenewLeasesDecoder;
import io.hmfs.wire.ResponseDecoder;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.SafeModeDecoder;
import io.hmfs.wire.ScrubDecoder;
import io.hmfs.wire.SetAclDecoder;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.SetOwnerDecoder;
import io.hmfs.wire.SetQuotaDecoder;
import io.hmfs.wire.SetTimesDecoder;
import io.hmfs.wire.SetXattrDecoder;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.StatusDecoder;
import io.hmfs.wire.SummaryDecoder;
import io.hmfs.wire.SymlinkDecoder;
import io.hmfs.wire.SyncBlockDecoder;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.WriteBlockDecoder;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of requests. What their way asks of a kind stands in its row: handshake, retry cache, safe mode, admission, hand-over to disk
 * threads, and what metrics and audit log call it. The text is what HDFS's audit log calls the request; a kind without it is about no path.
 */
public enum RequestKind {
    HELLO(HelloDecoder.TEMPLATE_ID, read().ofHandshake()),
    RESPONSE(ResponseDecoder.TEMPLATE_ID, read().ofHandshake()),
    STAT(StatDecoder.TEMPLATE_ID, read("getfileinfo").batched()),
    OPEN(OpenDecoder.TEMPLATE_ID, read("open")),
    LIST(ListDecoder.TEMPLATE_ID, read("listStatus").compressed()),
    LIST_MANY(ListManyDecoder.TEMPLATE_ID, read("listStatus").compressed()),
    CONTENT_SUMMARY(
            SummaryDecoder.TEMPLATE_ID,
            read("contentSummary").waits(Waits.ALWAYS).replies(Row.WALK)),
    LIST_TREE(
            ListTreeDecoder.TEMPLATE_ID,
            read("listStatus").waits(Waits.ALWAYS).replies(Row.PAGE + Row.WALK).compressed()),
    CREATE(
            CreateDecoder.TEMPLATE_ID,
            change(ChangeOutcome.Kind.CREATE, "create").batched()),
    MKDIR(MkdirDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.MKDIR, "mkdirs")),
    SYMLINK(SymlinkDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.SYMLINK, "createSymlink")),
    DELETE(
            DeleteDecoder.TEMPLATE_ID,
            change(ChangeOutcome.Kind.DELETE, "delete").batched()),
    RMDIR(RmdirDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.RMDIR, "delete")),
    REMOVE_TREE(
            RemoveTreeDecoder.TEMPLATE_ID,
            change(ChangeOutcome.Kind.RENAME, "delete").waits(Waits.ALWAYS)),
    RENAME(RenameDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.RENAME, "rename")),
    SET_MODE(SetModeDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.CHMOD, "setPermission")),
    SET_OWNER(SetOwnerDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.CHOWN, "setOwner")),
    SET_TIMES(SetTimesDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.SET_TIMES, "setTimes")),
    APPEND(
            AppendDecoder.TEMPLATE_ID,
            change(ChangeOutcome.Kind.APPEND, "append").batched().waits(Waits.ASKED)),
    TRUNCATE(
            TruncateDecoder.TEMPLATE_ID,
            change(ChangeOutcome.Kind.TRUNCATE, "truncate").waits(Waits.WITH_DATA)),
    GET_XATTRS(GetXattrsDecoder.TEMPLATE_ID, read("getXAttrs")),
    LIST_XATTRS(ListXattrsDecoder.TEMPLATE_ID, read("listXAttrs")),
    SET_XATTR(SetXattrDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.SET_XATTR, "setXAttr")),
    REMOVE_XATTR(RemoveXattrDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.REMOVE_XATTR, "removeXAttr")),
    GET_ACL(GetAclDecoder.TEMPLATE_ID, read("getAclStatus")),
    ACCESS(AccessDecoder.TEMPLATE_ID, read("checkAccess")),
    MODIFY_ACL(ModifyAclDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.CHANGE_ACL, "modifyAclEntries")),
    REMOVE_ACL_ENTRIES(RemoveAclEntriesDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.CHANGE_ACL, "removeAclEntries")),
    REMOVE_DEFAULT_ACL(RemoveDefaultAclDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.CHANGE_ACL, "removeDefaultAcl")),
    REMOVE_ACL(RemoveAclDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.CHANGE_ACL, "removeAcl")),
    SET_ACL(SetAclDecoder.TEMPLATE_ID, change(ChangeOutcome.Kind.CHANGE_ACL, "setAcl")),
    SET_QUOTA(SetQuotaDecoder.TEMPLATE_ID, write("setQuota").waits(Waits.ALWAYS)),
    QUOTA_USAGE(QuotaUsageDecoder.TEMPLATE_ID, read("quotaUsage").waits(Waits.ALWAYS)),
    RECOVER_LEASE(RecoverLeaseDecoder.TEMPLATE_ID, read("recoverLease").waits(Waits.ALWAYS)),
    IS_CLOSED(IsClosedDecoder.TEMPLATE_ID, read("isFileClosed")),
    RENEW_LEASES(RenewLeasesDecoder.TEMPLATE_ID, read().ofInode()),
    READ_BLOCK(
            ReadBlockDecoder.TEMPLATE_ID,
            read().ofInode().waits(Waits.WITH_DATA).replies(Row.CHUNK)),
    READ_CHECKSUMS(
            ReadChecksumsDecoder.TEMPLATE_ID,
            read().ofInode().waits(Waits.WITH_DATA).replies(Row.CHUNK)),
    WRITE_BLOCK(WriteBlockDecoder.TEMPLATE_ID, write().ofInode().waits(Waits.WITH_DATA)),
    SYNC_BLOCK(SyncBlockDecoder.TEMPLATE_ID, read().ofInode().waits(Waits.WITH_DATA)),
    CENSUS(CensusDecoder.TEMPLATE_ID, read().waits(Waits.ALWAYS).replies(Row.IDS)),
    OBJECTS(ObjectsDecoder.TEMPLATE_ID, read().waits(Waits.ALWAYS).replies(Row.IDS)),
    OBJECTS_REMOVED(ObjectsRemovedDecoder.TEMPLATE_ID, read()),
    STATUS(StatusDecoder.TEMPLATE_ID, read()),
    METRICS(MetricsDecoder.TEMPLATE_ID, read().waits(Waits.ALWAYS).replies(Row.METRICS_TEXT)),
    SAFE_MODE(SafeModeDecoder.TEMPLATE_ID, read()),
    SCRUB(ScrubDecoder.TEMPLATE_ID, read().waits(Waits.WITH_DATA).replies(Row.DAMAGES)),
    EXPORT(ExportDecoder.TEMPLATE_ID, read());

    /** What requests of a kind change. */
    public enum Effect {
        NONE,
        /** The namespace. The client numbers the change, and a number that comes again is not executed again. */
        CHANGE,
        /** Something that may be done twice: it has no number. */
        WRITE
    }

    /** Whether requests of a kind are executed by a disk thread, which may wait, instead of their connection's event loop. */
    public enum Waits {
        NEVER,
        ALWAYS,
        /** Where this server keeps the data of files. */
        WITH_DATA,
        /** It depends on the request: its handler is asked. */
        ASKED
    }

    /** What is true of a kind. */
    static final class Row {
        static final int SHORT = 0;
        static final int CHUNK = -1;
        static final int METRICS_TEXT = 64 << 10; // about as many as there are
        static final int IDS = 192 << 10;
        static final int PAGE = 256 << 10;
        static final int DAMAGES = 80 << 10;
        static final int WALK = 32 << 10; // where a walk of a tree goes on

        private final Effect effect;
        private final ChangeOutcome.@Nullable Kind record;
        private final @Nullable String command;
        private Waits waits = Waits.NEVER;
        private int replyBytesMax = SHORT;
        private boolean batched;
        private boolean hasInode;
        private boolean compressed;
        private boolean handshake;

        private Row(Effect effect, ChangeOutcome.@Nullable Kind record, @Nullable String command) {
            this.effect = effect;
            this.record = record;
            this.command = command;
        }

        static Row read() {
            return new Row(Effect.NONE, null, null);
        }

        static Row read(String command) {
            return new Row(Effect.NONE, null, command);
        }

        static Row write() {
            return new Row(Effect.WRITE, null, null);
        }

        static Row write(String command) {
            return new Row(Effect.WRITE, null, command);
        }

        /** A change that leaves such a record in the pool. */
        static Row change(ChangeOutcome.Kind record, String command) {
            return new Row(Effect.CHANGE, record, command);
        }

        /** Requests that arrive in one event-loop batch are executed as one batch. */
        Row batched() {
            batched = true;
            return this;
        }

        /** Long replies may be compressed. */
        Row compressed() {
            compressed = true;
            return this;
        }

        /** Only before the peer is known. */
        Row ofHandshake() {
            handshake = true;
            return this;
        }

        /** About the data of a file, which is told by its id. */
        Row ofInode() {
            hasInode = true;
            return this;
        }

        Row waits(Waits when) {
            waits = when;
            return this;
        }

        /** Replies may have as many bytes. */
        Row replies(int bytesMax) {
            replyBytesMax = bytesMax;
            return this;
        }
    }

    /** {@link #idOffset} of requests that work on no object of the namespace. */
    public static final int NO_ID = -1;

    private static final RequestKind[] ALL = values();
    private static final @Nullable RequestKind[] BY_TEMPLATE = byTemplate();

    private final int templateId;

    @SuppressWarnings("ImmutableEnumChecker") // changed only by the chain of calls that makes it
    private final Row row;

    private final String label = name().toLowerCase(Locale.ROOT);
    private final int idOffset;

    RequestKind(int templateId, Row row) {
        this.templateId = templateId;
        this.row = row;
        idOffset = idOffset(row);
    }

    /** The id stands behind what all messages of one effect begin with: of a directory where a path begins, or of a file. */
    private static int idOffset(Row row) {
        if (row.effect == Effect.CHANGE) {
            return CreateDecoder.baseIdEncodingOffset();
        }
        return row.command != null || row.hasInode ? StatDecoder.baseIdEncodingOffset() : NO_ID;
    }

    private static @Nullable RequestKind[] byTemplate() {
        int end = 0;
        for (RequestKind each : ALL) {
            end = Math.max(end, each.templateId + 1);
        }
        @Nullable RequestKind[] all = new RequestKind[end];
        for (RequestKind each : ALL) {
            all[each.templateId] = each;
        }
        return all;
    }

    /** The kind of a message, or null if this version knows none with the id. */
    public static @Nullable RequestKind ofTemplate(int templateId) {
        return templateId >= 0 && templateId < BY_TEMPLATE.length ? BY_TEMPLATE[templateId] : null;
    }

    /** The kind with this ordinal. */
    public static RequestKind of(int ordinal) {
        return ALL[ordinal];
    }

    /** How many kinds there are. */
    public static int count() {
        return ALL.length;
    }

    public int templateId() {
        return templateId;
    }

    /** Whether the client numbers requests of this kind: the retry cache keeps their answers. */
    public boolean isNumbered() {
        return row.effect == Effect.CHANGE;
    }

    /** Whether safe mode refuses requests of this kind. */
    public boolean isRefusedInSafeMode() {
        return row.effect != Effect.NONE;
    }

    /** The kind of record that the change leaves in the pool; null if it leaves none. */
    public ChangeOutcome.@Nullable Kind record() {
        return row.record;
    }

    public Waits waits() {
        return row.waits;
    }

    /**
     * Bytes of the longest reply, as far as long replies are counted: 0 for a short one.
     *
     * @param chunkBytes most bytes of data that a client may ask for in one request
     */
    public int replyBytesMax(int chunkBytes) {
        return row.replyBytesMax == Row.CHUNK ? chunkBytes : row.replyBytesMax;
    }

    /** Whether requests that arrive in one event-loop batch are executed as one batch. */
    public boolean isBatched() {
        return row.batched;
    }

    /** Whether long replies may be compressed. */
    public boolean isCompressed() {
        return row.compressed;
    }

    /** Whether it belongs to the handshake, and comes only then. */
    public boolean isOfHandshake() {
        return row.handshake;
    }

    /** What metrics call it. */
    public String label() {
        return label;
    }

    /** What HDFS's audit log calls it; null if it is not audited, as HDFS does not audit what its data nodes do. */
    public @Nullable String command() {
        return row.command;
    }

    /** Whether it is about a path, or two. */
    public boolean hasPath() {
        return row.command != null;
    }

    /** Where the root block has the id that the request works on; {@link #NO_ID} if it works on none. */
    public int idOffset() {
        return idOffset;
    }
}
