package io.hmfs.server.pipeline;

import io.hmfs.server.op.AppendHandler;
import io.hmfs.server.op.BatchedHandler;
import io.hmfs.server.op.CensusHandler;
import io.hmfs.server.op.CheckAccessHandler;
import io.hmfs.server.op.ContentSummaryHandler;
import io.hmfs.server.op.CreateHandler;
import io.hmfs.server.op.DeleteHandler;
import io.hmfs.server.op.ExportHandler;
import io.hmfs.server.op.GetAclHandler;
import io.hmfs.server.op.GetXattrsHandler;
import io.hmfs.server.op.Handler;
import io.hmfs.server.op.IsClosedHandler;
import io.hmfs.server.op.ListHandler;
import io.hmfs.server.op.ListManyHandler;
import io.hmfs.server.op.ListTreeHandler;
import io.hmfs.server.op.ListXattrsHandler;
import io.hmfs.server.op.MetricsHandler;
import io.hmfs.server.op.MkdirHandler;
import io.hmfs.server.op.ModifyAclHandler;
import io.hmfs.server.op.ObjectsHandler;
import io.hmfs.server.op.ObjectsRemovedHandler;
import io.hmfs.server.op.OpenHandler;
import io.hmfs.server.op.QuotaUsageHandler;
import io.hmfs.server.op.ReadBlockHandler;
import io.hmfs.server.op.ReadChecksumsHandler;
import io.hmfs.server.op.RecoverLeaseHandler;
import io.hmfs.server.op.RemoveAclEntriesHandler;
import io.hmfs.server.op.RemoveAclHandler;
import io.hmfs.server.op.RemoveDefaultAclHandler;
import io.hmfs.server.op.RemoveTreeHandler;
import io.hmfs.server.op.RemoveXattrHandler;
import io.hmfs.server.op.RenameHandler;
import io.hmfs.server.op.RenewLeasesHandler;
import io.hmfs.server.op.RmdirHandler;
import io.hmfs.server.op.SafeModeHandler;
import io.hmfs.server.op.ScrubHandler;
import io.hmfs.server.op.SetAclHandler;
import io.hmfs.server.op.SetModeHandler;
import io.hmfs.server.op.SetOwnerHandler;
import io.hmfs.server.op.SetQuotaHandler;
import io.hmfs.server.op.SetTimesHandler;
import io.hmfs.server.op.SetXattrHandler;
import io.hmfs.server.op.StatHandler;
import io.hmfs.server.op.StatusHandler;
import io.hmfs.server.op.SymlinkHandler;
import io.hmfs.server.op.SyncBlockHandler;
import io.hmfs.server.op.TruncateHandler;
import io.hmfs.server.op.WriteBlockHandler;
import io.hmfs.server.protocol.RequestKind;
import java.util.ArrayList;
import java.util.List;

/** The handlers of one thread, one for each kind of request. */
final class Handlers {
    private final Handler[] all = new Handler[RequestKind.count()];
    private final List<BatchedHandler> batched = new ArrayList<>();

    Handlers(Service service) {
        for (int i = 0; i < all.length; i++) {
            RequestKind kind = RequestKind.of(i);
            Handler handler = newHandler(kind, service);
            all[i] = handler;
            if (kind.isBatched()) {
                batched.add((BatchedHandler) handler);
            }
        }
    }

    private static Handler newHandler(RequestKind kind, Service service) {
        return switch (kind) {
            case HELLO, RESPONSE ->
                _ -> {
                    throw new IllegalStateException("the pipeline refuses a second handshake");
                };
            case STAT -> new StatHandler();
            case OPEN -> new OpenHandler(service.grants);
            case LIST -> new ListHandler();
            case LIST_MANY -> new ListManyHandler();
            case CONTENT_SUMMARY -> new ContentSummaryHandler();
            case LIST_TREE -> new ListTreeHandler();
            case CREATE -> new CreateHandler(service.grants);
            case MKDIR -> new MkdirHandler();
            case SYMLINK -> new SymlinkHandler();
            case DELETE -> new DeleteHandler();
            case RMDIR -> new RmdirHandler();
            case REMOVE_TREE -> new RemoveTreeHandler();
            case RENAME -> new RenameHandler();
            case SET_MODE -> new SetModeHandler();
            case SET_OWNER -> new SetOwnerHandler();
            case SET_TIMES -> new SetTimesHandler();
            case APPEND -> new AppendHandler(service.grants, service.info.durable());
            case TRUNCATE -> new TruncateHandler();
            case GET_XATTRS -> new GetXattrsHandler();
            case LIST_XATTRS -> new ListXattrsHandler();
            case SET_XATTR -> new SetXattrHandler();
            case REMOVE_XATTR -> new RemoveXattrHandler();
            case GET_ACL -> new GetAclHandler();
            case ACCESS -> new CheckAccessHandler();
            case MODIFY_ACL -> new ModifyAclHandler();
            case REMOVE_ACL_ENTRIES -> new RemoveAclEntriesHandler();
            case REMOVE_DEFAULT_ACL -> new RemoveDefaultAclHandler();
            case REMOVE_ACL -> new RemoveAclHandler();
            case SET_ACL -> new SetAclHandler();
            case SET_QUOTA -> new SetQuotaHandler();
            case QUOTA_USAGE -> new QuotaUsageHandler();
            case RECOVER_LEASE -> new RecoverLeaseHandler();
            case IS_CLOSED -> new IsClosedHandler();
            case RENEW_LEASES -> new RenewLeasesHandler(service.partitions);
            case READ_BLOCK -> new ReadBlockHandler(service.info, service.grants);
            case READ_CHECKSUMS -> new ReadChecksumsHandler(service.info, service.grants);
            case WRITE_BLOCK -> new WriteBlockHandler(service.info, service.grants);
            case SYNC_BLOCK -> new SyncBlockHandler(service.info, service.grants);
            case CENSUS -> new CensusHandler(service.incarnation);
            case OBJECTS -> new ObjectsHandler(service.incarnation, service.safeMode, service.info.dataStore());
            case OBJECTS_REMOVED -> new ObjectsRemovedHandler();
            case STATUS -> new StatusHandler(service.info, service::connections, service.startNanos);
            case METRICS -> new MetricsHandler(service.observation.metrics());
            case SAFE_MODE -> new SafeModeHandler(service.safeMode);
            case SCRUB -> new ScrubHandler(service.info.dataStore());
            case EXPORT -> new ExportHandler();
        };
    }

    @SuppressWarnings("EnumOrdinal") // an array of this process
    Handler of(RequestKind kind) {
        return all[kind.ordinal()];
    }

    /** Those that execute batches. */
    List<BatchedHandler> batched() {
        return batched;
    }
}
