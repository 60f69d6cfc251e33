package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.NUMBERED;
import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.ListTreeEncoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.QuotaReportDecoder;
import io.hmfs.wire.QuotaUsageEncoder;
import io.hmfs.wire.RemoveTreeEncoder;
import io.hmfs.wire.SetQuotaEncoder;
import io.hmfs.wire.SumDecoder;
import io.hmfs.wire.SummaryEncoder;
import io.hmfs.wire.Wire;

/** Rows: directories with all that is below them. */
@SuppressWarnings("ArrayRecordComponent") // arguments of a call are never compared
final class TreeCalls {
    private final SummaryEncoder summaryEncoder = new SummaryEncoder();
    private final ListTreeEncoder listEncoder = new ListTreeEncoder();
    private final RemoveTreeEncoder removeEncoder = new RemoveTreeEncoder();
    private final SetQuotaEncoder setQuotaEncoder = new SetQuotaEncoder();
    private final QuotaUsageEncoder quotaEncoder = new QuotaUsageEncoder();
    private final SumDecoder sumDecoder = new SumDecoder();
    private final QuotaReportDecoder quotaDecoder = new QuotaReportDecoder();

    final CallKind<From, SumPart> summary;
    final CallKind<From, TreePage> list;
    final CallKind<byte[], Void> remove;
    final CallKind<Limits, Void> setQuota;
    final CallKind<byte[], QuotaInfo> quota;

    TreeCalls(FileReplies replies) {
        summary = new CallKind<>(
                "sum up",
                REPEATABLE,
                SummaryEncoder.TEMPLATE_ID,
                SummaryEncoder.BLOCK_LENGTH,
                each -> each.path.length + each.from.length,
                (each, out) -> summaryEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .entriesMax(each.entriesMax)
                        .putPath(each.path, 0, each.path.length)
                        .putFrom(each.from, 0, each.from.length)
                        .limit(),
                SumDecoder.TEMPLATE_ID,
                (reply, path, each) -> sum(reply));
        list = new CallKind<>(
                "list tree",
                REPEATABLE,
                ListTreeEncoder.TEMPLATE_ID,
                ListTreeEncoder.BLOCK_LENGTH,
                each -> each.path.length + each.from.length,
                (each, out) -> listEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .entriesMax(each.entriesMax)
                        .bytesMax(0)
                        .detail(ListDetail.ALL.code())
                        .putPath(each.path, 0, each.path.length)
                        .putFrom(each.from, 0, each.from.length)
                        .limit(),
                PageDecoder.TEMPLATE_ID,
                (reply, path, each) -> replies.treePage(reply));
        remove = CallKind.ofPath(
                "remove tree",
                NUMBERED,
                RemoveTreeEncoder.TEMPLATE_ID,
                RemoveTreeEncoder.BLOCK_LENGTH,
                (path, out) -> removeEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        setQuota = new CallKind<>(
                "set quota",
                REPEATABLE,
                SetQuotaEncoder.TEMPLATE_ID,
                SetQuotaEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> setQuotaEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .names(each.names)
                        .bytes(each.bytes)
                        .putPath(each.path, 0, each.path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        quota = CallKind.ofPath(
                "quota",
                REPEATABLE,
                QuotaUsageEncoder.TEMPLATE_ID,
                QuotaUsageEncoder.BLOCK_LENGTH,
                (path, out) -> quotaEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                QuotaReportDecoder.TEMPLATE_ID,
                (reply, subject, path) -> quota(reply));
    }

    private SumPart sum(ReplyFrame reply) {
        sumDecoder.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        byte[] next = reply.room(sumDecoder.limit(), sumDecoder.nextLength());
        sumDecoder.getNext(next, 0, next.length);
        TreeSummary sum = new TreeSummary(
                sumDecoder.bytes(),
                sumDecoder.files(),
                sumDecoder.directories(),
                sumDecoder.nameQuota(),
                sumDecoder.spaceQuota());
        return new SumPart(sum, next);
    }

    private QuotaInfo quota(ReplyFrame reply) {
        quotaDecoder.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        return new QuotaInfo(
                quotaDecoder.nameQuota(), quotaDecoder.spaceQuota(), quotaDecoder.names(), quotaDecoder.bytes());
    }

    /** A part of a sum, and where the next one begins; empty: there is none. */
    record SumPart(TreeSummary sum, byte[] next) {}

    /** Where a walk goes on; {@code from} empty: it begins. {@code entriesMax} 0: as the server likes. */
    record From(byte[] path, byte[] from, int entriesMax) {
        static From of(String operation, String path, byte[] from, int entriesMax) throws HmfsException {
            CallArguments.checkEntries(operation, path, entriesMax);
            return new From(CallArguments.utf8Path(operation, path), from, entriesMax);
        }
    }

    record Limits(byte[] path, long names, long bytes) {
        static Limits of(String path, long names, long bytes) throws HmfsException {
            return new Limits(CallArguments.utf8Path("set quota", path), names, bytes);
        }
    }
}
