package io.hmfs.client;

import io.hmfs.wire.AppendEncoder;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.GetXattrsEncoder;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.ListEncoder;
import io.hmfs.wire.ListXattrsEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MetricsEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.OpenEncoder;
import io.hmfs.wire.ReadBlockEncoder;
import io.hmfs.wire.RemoveXattrEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.RmdirEncoder;
import io.hmfs.wire.SafeModeEncoder;
import io.hmfs.wire.SetModeEncoder;
import io.hmfs.wire.SetOwnerEncoder;
import io.hmfs.wire.SetTimesEncoder;
import io.hmfs.wire.SetXattrEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.StatusEncoder;
import io.hmfs.wire.SymlinkEncoder;
import io.hmfs.wire.SyncBlockEncoder;
import io.hmfs.wire.TruncateEncoder;
import io.hmfs.wire.WriteBlockEncoder;

/** The request encoders of one connection, reused for every request. */
final class Requests {
    final MessageHeaderEncoder header = new MessageHeaderEncoder();
    final HelloEncoder hello = new HelloEncoder();
    final StatEncoder stat = new StatEncoder();
    final OpenEncoder open = new OpenEncoder();
    final ListEncoder list = new ListEncoder();
    final StatusEncoder status = new StatusEncoder();
    final SafeModeEncoder safeMode = new SafeModeEncoder();
    final MetricsEncoder metrics = new MetricsEncoder();
    final CreateEncoder create = new CreateEncoder();
    final MkdirEncoder mkdir = new MkdirEncoder();
    final DeleteEncoder delete = new DeleteEncoder();
    final RmdirEncoder rmdir = new RmdirEncoder();
    final RenameEncoder rename = new RenameEncoder();
    final SetModeEncoder setMode = new SetModeEncoder();
    final SetOwnerEncoder setOwner = new SetOwnerEncoder();
    final SetTimesEncoder setTimes = new SetTimesEncoder();
    final AppendEncoder append = new AppendEncoder();
    final TruncateEncoder truncate = new TruncateEncoder();
    final GetXattrsEncoder getXattrs = new GetXattrsEncoder();
    final ListXattrsEncoder listXattrs = new ListXattrsEncoder();
    final SetXattrEncoder setXattr = new SetXattrEncoder();
    final RemoveXattrEncoder removeXattr = new RemoveXattrEncoder();
    final SymlinkEncoder symlink = new SymlinkEncoder();
    final ReadBlockEncoder readBlock = new ReadBlockEncoder();
    final WriteBlockEncoder writeBlock = new WriteBlockEncoder();
    final SyncBlockEncoder syncBlock = new SyncBlockEncoder();
}
