package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.NUMBERED;
import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.AccessEncoder;
import io.hmfs.wire.AclReportDecoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.GetAclEncoder;
import io.hmfs.wire.ModifyAclEncoder;
import io.hmfs.wire.RemoveAclEncoder;
import io.hmfs.wire.RemoveAclEntriesEncoder;
import io.hmfs.wire.RemoveDefaultAclEncoder;
import io.hmfs.wire.SetAclEncoder;
import io.hmfs.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Rows: access control lists, and what they allow. */
@SuppressWarnings("ArrayRecordComponent") // arguments of a call are never compared
final class AclCalls {
    private static final int ENTRIES_MAX = 65_534; // what the length of a text can say

    private final GetAclEncoder getEncoder = new GetAclEncoder();
    private final AccessEncoder accessEncoder = new AccessEncoder();
    private final ModifyAclEncoder modifyEncoder = new ModifyAclEncoder();
    private final RemoveAclEntriesEncoder removeEntriesEncoder = new RemoveAclEntriesEncoder();
    private final RemoveDefaultAclEncoder removeDefaultEncoder = new RemoveDefaultAclEncoder();
    private final RemoveAclEncoder removeEncoder = new RemoveAclEncoder();
    private final SetAclEncoder setEncoder = new SetAclEncoder();
    private final AclReportDecoder report = new AclReportDecoder();

    final CallKind<byte[], AclInfo> get;
    final CallKind<Wanted, Void> access;
    final CallKind<Entries, Void> modify;
    final CallKind<Entries, Void> removeEntries;
    final CallKind<byte[], Void> removeDefault;
    final CallKind<byte[], Void> remove;
    final CallKind<Entries, Void> set;

    AclCalls(FileReplies replies) {
        get = CallKind.ofPath(
                "get ACL of",
                REPEATABLE,
                GetAclEncoder.TEMPLATE_ID,
                GetAclEncoder.BLOCK_LENGTH,
                (path, out) -> getEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                AclReportDecoder.TEMPLATE_ID,
                (reply, subject, path) -> acl(reply));
        access = new CallKind<>(
                "access",
                REPEATABLE,
                AccessEncoder.TEMPLATE_ID,
                AccessEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> accessEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .wanted((short) each.wanted)
                        .putPath(each.path, 0, each.path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        modify = new CallKind<>(
                "modify ACL of",
                NUMBERED,
                ModifyAclEncoder.TEMPLATE_ID,
                ModifyAclEncoder.BLOCK_LENGTH,
                Entries::bytes,
                (each, out) -> modifyEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(each.path, 0, each.path.length)
                        .putEntries(each.text, 0, each.text.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        removeEntries = new CallKind<>(
                "remove ACL entries of",
                NUMBERED,
                RemoveAclEntriesEncoder.TEMPLATE_ID,
                RemoveAclEntriesEncoder.BLOCK_LENGTH,
                Entries::bytes,
                (each, out) -> removeEntriesEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(each.path, 0, each.path.length)
                        .putEntries(each.text, 0, each.text.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        removeDefault = CallKind.ofPath(
                "remove default ACL of",
                NUMBERED,
                RemoveDefaultAclEncoder.TEMPLATE_ID,
                RemoveDefaultAclEncoder.BLOCK_LENGTH,
                (path, out) -> removeDefaultEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        remove = CallKind.ofPath(
                "remove ACL of",
                NUMBERED,
                RemoveAclEncoder.TEMPLATE_ID,
                RemoveAclEncoder.BLOCK_LENGTH,
                (path, out) -> removeEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        set = new CallKind<>(
                "set ACL of",
                NUMBERED,
                SetAclEncoder.TEMPLATE_ID,
                SetAclEncoder.BLOCK_LENGTH,
                Entries::bytes,
                (each, out) -> setEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(each.path, 0, each.path.length)
                        .putEntries(each.text, 0, each.text.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
    }

    private AclInfo acl(ReplyFrame reply) {
        report.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        String owner = report.owner(); // variable parts in the order of the schema
        String group = report.group();
        String entries = report.entries();
        return new AclInfo(
                owner, group, report.mode(), entries.isEmpty() ? List.of() : List.of(entries.split("\0", -1)));
    }

    record Wanted(byte[] path, int wanted) {
        static Wanted of(String path, int wanted) throws HmfsException {
            return new Wanted(CallArguments.utf8Path("access", path), wanted);
        }
    }

    record Entries(byte[] path, byte[] text) {
        static Entries of(String operation, String path, List<String> entries) throws HmfsException {
            byte[] utf8 = CallArguments.utf8Path(operation, path);
            byte[] text = String.join("\0", entries).getBytes(StandardCharsets.UTF_8);
            if (text.length > ENTRIES_MAX) {
                throw new HmfsException(
                        ResultCode.INVALID_ACL,
                        "ACL of " + path + ": its " + entries.size() + " entries have " + text.length
                                + " bytes; at most " + ENTRIES_MAX);
            }
            return new Entries(utf8, text);
        }

        private int bytes() {
            return path.length + text.length;
        }
    }
}
