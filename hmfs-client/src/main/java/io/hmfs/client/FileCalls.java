package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.NUMBERED;
import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.AppendEncoder;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.OpenEncoder;
import io.hmfs.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Rows: making and opening files, and the commit of a size. */
@SuppressWarnings("ArrayRecordComponent") // arguments of a call are never compared
final class FileCalls {
    private static final FileVersion NO_VERSION = new FileVersion(0, 0, 0);

    private final OpenEncoder openEncoder = new OpenEncoder();
    private final CreateEncoder createEncoder = new CreateEncoder();
    private final AppendEncoder appendEncoder = new AppendEncoder();

    final CallKind<Open, OpenedFile> open;
    final CallKind<Create, OpenedFile> create;
    final CallKind<Append, Void> append;

    FileCalls(FileReplies replies) {
        open = new CallKind<>(
                "open",
                REPEATABLE,
                OpenEncoder.TEMPLATE_ID,
                OpenEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> {
                    openEncoder
                            .wrap(out, Wire.HEADER_SIZE)
                            .baseId(Wire.ROOT_ID)
                            .lease(each.lease)
                            .access()
                            .clear()
                            .read(each.read)
                            .write(each.write);
                    return openEncoder.putPath(each.path, 0, each.path.length).limit();
                },
                EntryDecoder.TEMPLATE_ID,
                (reply, path, each) -> replies.opened(reply, path, each.lease));
        create = new CallKind<>(
                "create",
                NUMBERED,
                CreateEncoder.TEMPLATE_ID,
                CreateEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> {
                    CreateOptions options = each.options;
                    FileVersion expected = Objects.requireNonNullElse(options.expected(), NO_VERSION);
                    createEncoder
                            .wrap(out, Wire.HEADER_SIZE)
                            .baseId(Wire.ROOT_ID)
                            .mode(options.mode())
                            .parentMode(options.parentMode())
                            .unmaskedMode(options.unmaskedMode())
                            .expectedInode(expected.inode())
                            .expectedMtimeNanos(expected.mtimeNanos())
                            .expectedSize(expected.size())
                            .lease(options.lease())
                            .flags()
                            .clear()
                            .overwrite(options.overwrite())
                            .createParents(options.createParents());
                    return createEncoder.putPath(each.path, 0, each.path.length).limit();
                },
                EntryDecoder.TEMPLATE_ID,
                (reply, path, each) -> replies.opened(reply, path, each.options.lease()));
        append = new CallKind<>(
                "append",
                NUMBERED,
                AppendEncoder.TEMPLATE_ID,
                AppendEncoder.BLOCK_LENGTH,
                each -> each.name.length,
                (each, out) -> appendEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .parentId(each.parentId)
                        .inode(each.inode)
                        .size(each.size)
                        .grant(each.grant.grant())
                        .seal(each.grant.seal())
                        .lease(each.grant.lease())
                        .last((short) (each.last ? 1 : 0))
                        .writtenFrom(each.written.from())
                        .verifier(each.written.verifier())
                        .putName(each.name, 0, each.name.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
    }

    record Open(byte[] path, boolean read, boolean write, long lease) {
        static Open of(String path, boolean read, boolean write, long lease) throws HmfsException {
            return new Open(CallArguments.utf8Path("open", path), read, write, lease);
        }
    }

    record Create(byte[] path, CreateOptions options) {
        static Create of(String path, CreateOptions options) throws HmfsException {
            CallArguments.checkMode("create", path, options.mode());
            CallArguments.checkMode("create", path, options.unmaskedMode());
            CallArguments.checkParentMode("create", path, options);
            return new Create(CallArguments.utf8Path("create", path), options);
        }
    }

    record Append(long parentId, long inode, byte[] name, long size, Grant grant, boolean last, Written written) {
        static Append of(FileInfo file, long size, Grant grant, boolean last, Written written) throws HmfsException {
            byte[] name = file.name().getBytes(StandardCharsets.UTF_8);
            if (name.length > Wire.NAME_MAX) {
                throw new HmfsException(ResultCode.NAME_TOO_LONG, "append " + file.name());
            }
            return new Append(file.parentId(), file.id(), name, size, grant, last, written);
        }
    }
}
