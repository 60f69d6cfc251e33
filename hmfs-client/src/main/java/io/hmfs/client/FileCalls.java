package io.hmfs.client;

import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.OpenEncoder;
import io.hmfs.wire.SymlinkEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Makes the calls that open and make files, and the one that commits a size. */
final class FileCalls {
    private static final int TARGET_MAX = 4095;
    private static final FileVersion NO_VERSION = new FileVersion(0, 0, 0);

    private final MetadataCalls calls;

    FileCalls(MetadataCalls calls) {
        this.calls = calls;
    }

    private abstract static class OpenCall extends MetadataCalls.PathCall<OpenedFile> {
        private final long lease;

        OpenCall(String operation, String path, long lease) throws HmfsException {
            super(operation, path);
            this.lease = lease;
        }

        @Override
        OpenedFile decode(Replies replies, WireBuffer in) throws IOException {
            return replies.opened(in, subject, lease);
        }
    }

    Call<OpenedFile> open(String path, boolean read, boolean write, long lease) throws HmfsException {
        return new OpenCall("open", path, lease) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                OpenEncoder open = requests.open
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .lease(lease);
                open.access().clear().read(read).write(write);
                return open.putPath(utf8, 0, utf8.length).limit();
            }
        };
    }

    Call<OpenedFile> create(String path, CreateOptions options) throws HmfsException {
        MetadataCalls.checkMode("create", path, options.mode());
        MetadataCalls.checkMode("create", path, options.unmaskedMode());
        MetadataCalls.checkMode("create", path, options.parentMode());
        FileVersion expected = Objects.requireNonNullElse(options.expected(), NO_VERSION);
        return new OpenCall("create", path, options.lease()) {
            @Override
            boolean isChange() {
                return true;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                CreateEncoder create = requests.create
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .mode(options.mode())
                        .parentMode(options.parentMode())
                        .unmaskedMode(options.unmaskedMode())
                        .expectedInode(expected.inode())
                        .expectedMtimeNanos(expected.mtimeNanos())
                        .expectedSize(expected.size())
                        .lease(options.lease());
                create.flags().clear().overwrite(options.overwrite()).createParents(options.createParents());
                return create.putPath(utf8, 0, utf8.length).limit();
            }
        };
    }

    Call<FileInfo> symlink(String path, String target, CreateOptions options) throws HmfsException {
        MetadataCalls.checkMode("symlink", path, options.parentMode());
        byte[] targetUtf8 = target.getBytes(StandardCharsets.UTF_8);
        if (targetUtf8.length == 0 || targetUtf8.length > TARGET_MAX || target.indexOf('\0') >= 0) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT,
                    "symlink " + path + ": a target has 1 to " + TARGET_MAX + " bytes, none of them NUL; this one "
                            + targetUtf8.length);
        }
        return new MetadataCalls.EntryCall("symlink", path) {
            @Override
            boolean isChange() {
                return true;
            }

            @Override
            int bound() {
                return super.bound() + targetUtf8.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                SymlinkEncoder symlink = requests.symlink
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .parentMode(options.parentMode());
                symlink.flags().clear().createParents(options.createParents());
                return symlink.putPath(utf8, 0, utf8.length)
                        .putTarget(targetUtf8, 0, targetUtf8.length)
                        .limit();
            }
        };
    }

    Call<Void> append(FileInfo file, long size, Grant grant, boolean last) throws HmfsException {
        byte[] name = file.name().getBytes(StandardCharsets.UTF_8);
        if (name.length > Wire.NAME_MAX) {
            throw new HmfsException(ResultCode.NAME_TOO_LONG, "append " + file.name());
        }
        return new Call<>("append", file.name()) {
            @Override
            boolean isChange() {
                return true;
            }

            @Override
            int bound() {
                return MetadataCalls.FIXED_MAX + name.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.append
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .parentId(file.parentId())
                        .inode(file.id())
                        .size(size)
                        .grant(grant.grant())
                        .seal(grant.seal())
                        .lease(grant.lease())
                        .last((short) (last ? 1 : 0))
                        .putName(name, 0, name.length)
                        .limit();
            }

            @Override
            Void decode(Replies replies, WireBuffer in) throws IOException {
                return replies.done(in);
            }
        };
    }
}
