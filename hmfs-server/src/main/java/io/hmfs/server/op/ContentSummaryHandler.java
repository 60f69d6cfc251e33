package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.quota.Quota;
import io.hmfs.server.request.Request;
import io.hmfs.server.share.LongWalks;
import io.hmfs.server.tree.SummaryWalk;
import io.hmfs.wire.SummaryDecoder;
import io.hmfs.wire.Wire;

/** ContentSummary: counts what is below a directory, part by part, each from where the last one ended (docs/adr/0113). */
public final class ContentSummaryHandler implements Handler {
    private static final int ENTRIES_DEFAULT = 250_000; // some ten milliseconds
    private static final int ENTRIES_MAX = 1_000_000;
    private static final int DEEP_PARTS_MAX = 16; // until a walk is where it can be cut off

    private final SummaryDecoder summary = new SummaryDecoder();
    private final PathTarget target = new PathTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(SummaryDecoder.BLOCK_LENGTH);
        summary.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = summary.pathLength();
        int at = summary.limit() + SummaryDecoder.pathHeaderLength();
        Status outcome = request.path().resolve(summary.baseId(), request.in(), at, length);
        if (outcome == Status.OK) {
            outcome = target.lookAtLink(request); // as in HDFS, a link at the end of the path is what is counted
        }
        if (outcome == Status.OK) {
            outcome = sum(request);
        }
        if (outcome != Status.OK) {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private static Status count(Request request, SummaryWalk sum, long part) {
        long first = Math.min(part, LongWalks.SHORT_ENTRIES);
        Status status = request.namespace().count(sum, first);
        if (status == Status.OK && !sum.isAtEnd() && first < part) {
            status = request.partition().walks().part(() -> request.namespace().count(sum, part - first));
        }
        return status;
    }

    private Status sum(Request request) {
        summary.skipPath();
        int length = summary.fromLength();
        request.in().check(summary.limit() + SummaryDecoder.fromHeaderLength(), length);
        byte[] from = new byte[length];
        summary.getFrom(from, 0, length);
        Attributes top = target.object();
        SummaryWalk sum = new SummaryWalk(
                request.namespace(), request.access(), request.path().whole());
        Status status = from.length > 0 ? sum.read(top, from) : sum.begin(top);
        long asked = summary.entriesMax();
        long part = asked == 0 ? ENTRIES_DEFAULT : Math.min(asked, ENTRIES_MAX);
        for (int i = 0; i < DEEP_PARTS_MAX && status == Status.OK; i++) {
            status = count(request, sum, part);
            byte[] next = status == Status.OK ? sum.write() : null;
            if (next != null) {
                Quota limits = request.partition().quotas().limits(top.id);
                request.reply().sum(sum.bytes, sum.files, sum.directories, limits.names, limits.bytes, next);
                return Status.OK;
            }
            if (request.partition().orphans().isClosed()) {
                break;
            }
            sum.narrow();
        }
        if (status == Status.DAMAGED) {
            request.reply().damagedIn(sum.damagedIn());
            return Status.OK;
        }
        if (status == Status.OK) {
            request.reply()
                    .failure(
                            ResultCode.TOO_LARGE,
                            "the tree is too deep to be summed up in parts: sum up the directories in it one by one");
        }
        return status;
    }
}
