package io.hmfs.server.metrics;

import io.hmfs.wire.AccessDecoder;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CensusDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.GetAclDecoder;
import io.hmfs.wire.GetXattrsDecoder;
import io.hmfs.wire.IsClosedDecoder;
import io.hmfs.wire.ListDecoder;
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
import io.hmfs.wire.RecoverLeaseDecoder;
import io.hmfs.wire.RemoveAclDecoder;
import io.hmfs.wire.RemoveAclEntriesDecoder;
import io.hmfs.wire.RemoveDefaultAclDecoder;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.RemoveXattrDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.RenewLeasesDecoder;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.SafeModeDecoder;
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

/** The kinds of requests, as metrics and the audit log know them. */
public enum Operation {
    STAT(StatDecoder.TEMPLATE_ID, StatDecoder.baseIdEncodingOffset(), "getfileinfo"),
    OPEN(OpenDecoder.TEMPLATE_ID, OpenDecoder.baseIdEncodingOffset(), "open"),
    LIST(ListDecoder.TEMPLATE_ID, ListDecoder.baseIdEncodingOffset(), "listStatus"),
    CONTENT_SUMMARY(SummaryDecoder.TEMPLATE_ID, SummaryDecoder.baseIdEncodingOffset(), "contentSummary"),
    LIST_TREE(ListTreeDecoder.TEMPLATE_ID, ListTreeDecoder.baseIdEncodingOffset(), "listStatus"),
    CREATE(CreateDecoder.TEMPLATE_ID, CreateDecoder.baseIdEncodingOffset(), "create"),
    MKDIR(MkdirDecoder.TEMPLATE_ID, MkdirDecoder.baseIdEncodingOffset(), "mkdirs"),
    SYMLINK(SymlinkDecoder.TEMPLATE_ID, SymlinkDecoder.baseIdEncodingOffset(), "createSymlink"),
    DELETE(DeleteDecoder.TEMPLATE_ID, DeleteDecoder.baseIdEncodingOffset(), "delete"),
    RMDIR(RmdirDecoder.TEMPLATE_ID, RmdirDecoder.baseIdEncodingOffset(), "delete"),
    REMOVE_TREE(RemoveTreeDecoder.TEMPLATE_ID, RemoveTreeDecoder.baseIdEncodingOffset(), "delete"),
    RENAME(RenameDecoder.TEMPLATE_ID, RenameDecoder.sourceBaseIdEncodingOffset(), "rename"),
    SET_MODE(SetModeDecoder.TEMPLATE_ID, SetModeDecoder.baseIdEncodingOffset(), "setPermission"),
    SET_OWNER(SetOwnerDecoder.TEMPLATE_ID, SetOwnerDecoder.baseIdEncodingOffset(), "setOwner"),
    SET_TIMES(SetTimesDecoder.TEMPLATE_ID, SetTimesDecoder.baseIdEncodingOffset(), "setTimes"),
    APPEND(AppendDecoder.TEMPLATE_ID, AppendDecoder.parentIdEncodingOffset(), "append"),
    TRUNCATE(TruncateDecoder.TEMPLATE_ID, TruncateDecoder.baseIdEncodingOffset(), "truncate"),
    GET_XATTRS(GetXattrsDecoder.TEMPLATE_ID, GetXattrsDecoder.baseIdEncodingOffset(), "getXAttrs"),
    LIST_XATTRS(ListXattrsDecoder.TEMPLATE_ID, ListXattrsDecoder.baseIdEncodingOffset(), "listXAttrs"),
    SET_XATTR(SetXattrDecoder.TEMPLATE_ID, SetXattrDecoder.baseIdEncodingOffset(), "setXAttr"),
    REMOVE_XATTR(RemoveXattrDecoder.TEMPLATE_ID, RemoveXattrDecoder.baseIdEncodingOffset(), "removeXAttr"),
    GET_ACL(GetAclDecoder.TEMPLATE_ID, GetAclDecoder.baseIdEncodingOffset(), "getAclStatus"),
    ACCESS(AccessDecoder.TEMPLATE_ID, AccessDecoder.baseIdEncodingOffset(), "checkAccess"),
    MODIFY_ACL(ModifyAclDecoder.TEMPLATE_ID, ModifyAclDecoder.baseIdEncodingOffset(), "modifyAclEntries"),
    REMOVE_ACL_ENTRIES(
            RemoveAclEntriesDecoder.TEMPLATE_ID, RemoveAclEntriesDecoder.baseIdEncodingOffset(), "removeAclEntries"),
    REMOVE_DEFAULT_ACL(
            RemoveDefaultAclDecoder.TEMPLATE_ID, RemoveDefaultAclDecoder.baseIdEncodingOffset(), "removeDefaultAcl"),
    REMOVE_ACL(RemoveAclDecoder.TEMPLATE_ID, RemoveAclDecoder.baseIdEncodingOffset(), "removeAcl"),
    SET_ACL(SetAclDecoder.TEMPLATE_ID, SetAclDecoder.baseIdEncodingOffset(), "setAcl"),
    SET_QUOTA(SetQuotaDecoder.TEMPLATE_ID, SetQuotaDecoder.baseIdEncodingOffset(), "setQuota"),
    QUOTA_USAGE(QuotaUsageDecoder.TEMPLATE_ID, QuotaUsageDecoder.baseIdEncodingOffset(), "quotaUsage"),
    RECOVER_LEASE(RecoverLeaseDecoder.TEMPLATE_ID, RecoverLeaseDecoder.baseIdEncodingOffset(), "recoverLease"),
    IS_CLOSED(IsClosedDecoder.TEMPLATE_ID, IsClosedDecoder.baseIdEncodingOffset(), "isFileClosed"),
    RENEW_LEASES(RenewLeasesDecoder.TEMPLATE_ID),
    READ_BLOCK(ReadBlockDecoder.TEMPLATE_ID),
    WRITE_BLOCK(WriteBlockDecoder.TEMPLATE_ID),
    SYNC_BLOCK(SyncBlockDecoder.TEMPLATE_ID),
    CENSUS(CensusDecoder.TEMPLATE_ID),
    OBJECTS(ObjectsDecoder.TEMPLATE_ID),
    OBJECTS_REMOVED(ObjectsRemovedDecoder.TEMPLATE_ID),
    STATUS(StatusDecoder.TEMPLATE_ID),
    METRICS(MetricsDecoder.TEMPLATE_ID),
    SAFE_MODE(SafeModeDecoder.TEMPLATE_ID);

    private static final Operation[] ALL = values();
    private static final @Nullable Operation[] BY_TEMPLATE = byTemplate();

    private final int templateId;
    private final int baseOffset;
    private final @Nullable String command;
    private final String label = name().toLowerCase(Locale.ROOT);

    /** About a path: {@code baseOffset} is where the root block has the directory that it begins at. */
    Operation(int templateId, int baseOffset, String command) {
        this.templateId = templateId;
        this.baseOffset = baseOffset;
        this.command = command;
    }

    /** About no path: not audited, as HDFS does not audit what its data nodes do. */
    Operation(int templateId) {
        this.templateId = templateId;
        this.baseOffset = 0;
        this.command = null;
    }

    private static @Nullable Operation[] byTemplate() {
        int end = 0;
        for (Operation each : ALL) {
            end = Math.max(end, each.templateId + 1);
        }
        @Nullable Operation[] all = new Operation[end];
        for (Operation each : ALL) {
            all[each.templateId] = each;
        }
        return all;
    }

    /** The operation of a message, or null if it is none that this version knows. */
    public static @Nullable Operation ofTemplate(int templateId) {
        return templateId >= 0 && templateId < BY_TEMPLATE.length ? BY_TEMPLATE[templateId] : null;
    }

    static Operation of(int ordinal) {
        return ALL[ordinal];
    }

    static int count() {
        return ALL.length;
    }

    /** What metrics call it. */
    public String label() {
        return label;
    }

    /** What HDFS's audit log calls it; null if it is not audited. */
    public @Nullable String command() {
        return command;
    }

    /** Whether it is about a path, or two. */
    public boolean hasPath() {
        return command != null;
    }

    /** Where the root block has the directory that its path begins at. */
    public int baseOffset() {
        return baseOffset;
    }
}
