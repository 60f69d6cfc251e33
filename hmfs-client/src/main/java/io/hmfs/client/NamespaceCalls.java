package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.NUMBERED;
import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.ExportEncoder;
import io.hmfs.wire.ExportedDecoder;
import io.hmfs.wire.ListEncoder;
import io.hmfs.wire.ListManyEncoder;
import io.hmfs.wire.ListingsDecoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.RmdirEncoder;
import io.hmfs.wire.SetModeEncoder;
import io.hmfs.wire.SetOwnerEncoder;
import io.hmfs.wire.SetTimesEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.SymlinkEncoder;
import io.hmfs.wire.TruncateEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows: names, directories and what they hold. */
@SuppressWarnings("ArrayRecordComponent") // arguments of a call are never compared
final class NamespaceCalls {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int TARGET_MAX = 4095;

    private final StatEncoder statEncoder = new StatEncoder();
    private final ExportEncoder exportEncoder = new ExportEncoder();
    private final ExportedDecoder exported = new ExportedDecoder();
    private final ListEncoder listEncoder = new ListEncoder();
    private final ListManyEncoder listManyEncoder = new ListManyEncoder();
    private final MkdirEncoder mkdirEncoder = new MkdirEncoder();
    private final SymlinkEncoder symlinkEncoder = new SymlinkEncoder();
    private final DeleteEncoder deleteEncoder = new DeleteEncoder();
    private final RmdirEncoder rmdirEncoder = new RmdirEncoder();
    private final RenameEncoder renameEncoder = new RenameEncoder();
    private final SetModeEncoder modeEncoder = new SetModeEncoder();
    private final SetOwnerEncoder ownerEncoder = new SetOwnerEncoder();
    private final SetTimesEncoder timesEncoder = new SetTimesEncoder();
    private final TruncateEncoder truncateEncoder = new TruncateEncoder();

    final CallKind<byte[], FileInfo> stat;
    final CallKind<byte[], ExportedDirectory> export;
    final CallKind<ListFrom, ListPage> list;
    final CallKind<ListMany, List<DirectoryAnswer>> listMany;
    final CallKind<Mkdir, FileInfo> mkdir;
    final CallKind<Symlink, FileInfo> symlink;
    final CallKind<Delete, Void> delete;
    final CallKind<byte[], Void> rmdir;
    final CallKind<Rename, Boolean> rename;
    final CallKind<Chmod, Void> chmod;
    final CallKind<Chown, Void> chown;
    final CallKind<Times, Void> setTimes;
    final CallKind<Truncate, Void> truncate;

    NamespaceCalls(FileReplies replies) {
        stat = CallKind.ofPath(
                "stat",
                REPEATABLE,
                StatEncoder.TEMPLATE_ID,
                StatEncoder.BLOCK_LENGTH,
                (path, out) -> statEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                EntryDecoder.TEMPLATE_ID,
                replies::entry);
        export = CallKind.ofPath(
                "export",
                REPEATABLE,
                ExportEncoder.TEMPLATE_ID,
                ExportEncoder.BLOCK_LENGTH,
                (path, out) -> exportEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .putPath(path, 0, path.length)
                        .limit(),
                ExportedDecoder.TEMPLATE_ID,
                (reply, path, utf8) -> {
                    exported.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
                    return new ExportedDirectory(
                            exported.number(), exported.address(), (int) exported.key(), (int) exported.slots());
                });
        list = new CallKind<>(
                "list",
                REPEATABLE,
                ListEncoder.TEMPLATE_ID,
                ListEncoder.BLOCK_LENGTH,
                each -> each.path.length + Short.BYTES + each.prefix.length + Short.BYTES + each.suffix.length,
                (each, out) -> listEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .cursorBirth(each.cursor.birth())
                        .cursorAt(each.cursor.at())
                        .cursorStart(each.cursor.start())
                        .entriesMax(each.entriesMax)
                        .bytesMax(0)
                        .detail(each.detail.code())
                        .behind(each.behind(out))
                        .putPath(each.path, 0, each.path.length)
                        .putPrefix(each.prefix, 0, each.prefix.length)
                        .putSuffix(each.suffix, 0, each.suffix.length)
                        .limit(),
                PageDecoder.TEMPLATE_ID,
                (reply, path, each) -> replies.page(reply));
        listMany = new CallKind<>(
                "list many",
                REPEATABLE,
                ListManyEncoder.TEMPLATE_ID,
                ListManyEncoder.BLOCK_LENGTH,
                each -> each.utf8.length,
                (each, out) -> listManyEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .cursorBirth(each.cursor.birth())
                        .cursorAt(each.cursor.at())
                        .cursorStart(each.cursor.start())
                        .entriesMax(each.entriesMax)
                        .bytesMax(0)
                        .detail(ListDetail.ALL.code())
                        .putPaths(each.utf8, 0, each.utf8.length)
                        .limit(),
                ListingsDecoder.TEMPLATE_ID,
                (reply, path, each) -> replies.listings(reply, each.paths));
        mkdir = new CallKind<>(
                "mkdir",
                NUMBERED,
                MkdirEncoder.TEMPLATE_ID,
                MkdirEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> {
                    mkdirEncoder
                            .wrap(out, Wire.HEADER_SIZE)
                            .baseId(Wire.ROOT_ID)
                            .mode(each.mode)
                            .unmaskedMode(each.unmaskedMode)
                            .flags()
                            .clear()
                            .createParents(each.parents);
                    return mkdirEncoder.putPath(each.path, 0, each.path.length).limit();
                },
                EntryDecoder.TEMPLATE_ID,
                replies::entry);
        symlink = new CallKind<>(
                "symlink",
                NUMBERED,
                SymlinkEncoder.TEMPLATE_ID,
                SymlinkEncoder.BLOCK_LENGTH,
                each -> each.path.length + each.target.length,
                (each, out) -> {
                    symlinkEncoder
                            .wrap(out, Wire.HEADER_SIZE)
                            .baseId(Wire.ROOT_ID)
                            .parentMode(each.options.parentMode())
                            .flags()
                            .clear()
                            .createParents(each.options.createParents());
                    return symlinkEncoder
                            .putPath(each.path, 0, each.path.length)
                            .putTarget(each.target, 0, each.target.length)
                            .limit();
                },
                EntryDecoder.TEMPLATE_ID,
                replies::entry);
        delete = new CallKind<>(
                "delete",
                NUMBERED,
                DeleteEncoder.TEMPLATE_ID,
                DeleteEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> deleteEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .emptyDirectory((short) (each.emptyDirectory ? 1 : 0))
                        .putPath(each.path, 0, each.path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        rmdir = CallKind.ofPath(
                "rmdir",
                NUMBERED,
                RmdirEncoder.TEMPLATE_ID,
                RmdirEncoder.BLOCK_LENGTH,
                (path, out) -> rmdirEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        rename = new CallKind<Rename, Boolean>(
                        "rename",
                        NUMBERED,
                        RenameEncoder.TEMPLATE_ID,
                        RenameEncoder.BLOCK_LENGTH,
                        each -> each.source.length + each.target.length,
                        (each, out) -> {
                            renameEncoder
                                    .wrap(out, Wire.HEADER_SIZE)
                                    .sourceBaseId(Wire.ROOT_ID)
                                    .targetBaseId(Wire.ROOT_ID)
                                    .flags()
                                    .clear()
                                    .replace(each.replace)
                                    .into(each.into);
                            return renameEncoder
                                    .putSource(each.source, 0, each.source.length)
                                    .putTarget(each.target, 0, each.target.length)
                                    .limit();
                        },
                        DoneDecoder.TEMPLATE_ID,
                        replies::isInside)
                .describedBy(
                        (path, each) -> "rename " + path + " to " + new String(each.target, StandardCharsets.UTF_8));
        chmod = new CallKind<>(
                "chmod",
                NUMBERED,
                SetModeEncoder.TEMPLATE_ID,
                SetModeEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> modeEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .mode(each.mode)
                        .putPath(each.path, 0, each.path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        chown = new CallKind<>(
                "chown",
                NUMBERED,
                SetOwnerEncoder.TEMPLATE_ID,
                SetOwnerEncoder.BLOCK_LENGTH,
                each -> each.path.length + each.owner.length + each.group.length,
                (each, out) -> ownerEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(each.path, 0, each.path.length)
                        .putOwner(each.owner, 0, each.owner.length)
                        .putGroup(each.group, 0, each.group.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        setTimes = new CallKind<>(
                "set times",
                NUMBERED,
                SetTimesEncoder.TEMPLATE_ID,
                SetTimesEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> timesEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .mtimeNanos(each.mtimeNanos)
                        .atimeNanos(each.atimeNanos)
                        .putPath(each.path, 0, each.path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        truncate = new CallKind<>(
                "truncate",
                NUMBERED,
                TruncateEncoder.TEMPLATE_ID,
                TruncateEncoder.BLOCK_LENGTH,
                each -> each.path.length,
                (each, out) -> truncateEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .size(each.size)
                        .putPath(each.path, 0, each.path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
    }

    /** The correlation id that a request went out with last. On the loop. */
    static final class Sent {
        private long id;
    }

    /**
     * What a listing asks for.
     *
     * @param sent is told how this request went out
     * @param before of the request for the page before, which may be under way still; null: the cursor counts
     */
    record ListFrom(
            byte[] path,
            ListingCursor cursor,
            int entriesMax,
            ListDetail detail,
            byte[] prefix,
            byte[] suffix,
            Sent sent,
            @Nullable Sent before) {
        static ListFrom of(String path, ListingCursor cursor, int entriesMax, ListDetail detail, NameFilter filter)
                throws HmfsException {
            CallArguments.checkEntries("list", path, entriesMax);
            if (!filter.fits()) {
                throw new HmfsException(
                        ResultCode.INVALID_ARGUMENT, "list " + path + ": no name is as long as " + filter);
            }
            return new ListFrom(
                    CallArguments.utf8Path("list", path),
                    cursor,
                    entriesMax,
                    detail,
                    filter.utf8Prefix(),
                    filter.utf8Suffix(),
                    new Sent(),
                    null);
        }

        ListFrom at(ListingCursor place) {
            return new ListFrom(path, place, entriesMax, detail, prefix, suffix, new Sent(), null);
        }

        /** For the page behind this one. */
        ListFrom following() {
            return new ListFrom(path, ListingCursor.START, entriesMax, detail, prefix, suffix, new Sent(), sent);
        }

        /** The request behind which this one, whose id is in the frame already, goes on. */
        private long behind(WireBuffer frame) {
            sent.id = frame.getLong(Wire.HEADER_SIZE, ListEncoder.BYTE_ORDER);
            return before == null ? 0 : before.id;
        }
    }

    record ListMany(List<String> paths, byte[] utf8, ListingCursor cursor, int entriesMax) {
        static ListMany of(List<String> paths, ListingCursor cursor, int entriesMax) throws HmfsException {
            if (paths.isEmpty() || paths.size() > HmfsClient.LIST_MANY_MAX) {
                throw new HmfsException(
                        ResultCode.INVALID_ARGUMENT,
                        "list " + paths.size() + " directories; one request is for 1 to " + HmfsClient.LIST_MANY_MAX);
            }
            CallArguments.checkEntries("list", paths.get(0), entriesMax);
            List<String> copy = List.copyOf(paths);
            return new ListMany(copy, utf8(copy), cursor, entriesMax);
        }

        /** A path that is too long goes out cut off, and is too long still: the server refuses it in its place. */
        private static byte[] utf8(List<String> paths) throws HmfsException {
            byte[][] each = new byte[paths.size()][];
            int bytes = 0;
            for (int i = 0; i < each.length; i++) {
                each[i] = paths.get(i).getBytes(StandardCharsets.UTF_8);
                if (each[i].length > Wire.PATH_MAX) {
                    each[i] = Arrays.copyOf(each[i], Wire.PATH_MAX + 1);
                } else {
                    CallArguments.utf8Path("list", paths.get(i));
                }
                bytes += Short.BYTES + each[i].length;
            }
            ByteBuffer all = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
            for (byte[] path : each) {
                all.putShort((short) path.length).put(path);
            }
            return all.array();
        }
    }

    record Mkdir(byte[] path, int mode, int unmaskedMode, boolean parents) {
        static Mkdir of(String path, int mode, int unmaskedMode, boolean parents) throws HmfsException {
            CallArguments.checkMode("mkdir", path, mode);
            CallArguments.checkMode("mkdir", path, unmaskedMode);
            return new Mkdir(CallArguments.utf8Path("mkdir", path), mode, unmaskedMode, parents);
        }
    }

    record Symlink(byte[] path, byte[] target, CreateOptions options) {
        static Symlink of(String path, String target, CreateOptions options) throws HmfsException {
            CallArguments.checkParentMode("symlink", path, options);
            byte[] utf8 = target.getBytes(StandardCharsets.UTF_8);
            if (utf8.length == 0 || utf8.length > TARGET_MAX || target.indexOf('\0') >= 0) {
                throw new HmfsException(
                        ResultCode.INVALID_ARGUMENT,
                        "symlink " + path + ": a target has 1 to " + TARGET_MAX + " bytes, none of them NUL; this one "
                                + utf8.length);
            }
            return new Symlink(CallArguments.utf8Path("symlink", path), utf8, options);
        }
    }

    record Delete(byte[] path, boolean emptyDirectory) {
        static Delete of(String path, boolean emptyDirectory) throws HmfsException {
            return new Delete(CallArguments.utf8Path("delete", path), emptyDirectory);
        }
    }

    record Rename(byte[] source, byte[] target, boolean replace, boolean into) {
        static Rename of(String source, String target, boolean replace, boolean into) throws HmfsException {
            byte[] to = CallArguments.utf8Path("rename to", target);
            return new Rename(CallArguments.utf8Path("rename", source), to, replace, into);
        }
    }

    record Chmod(byte[] path, int mode) {
        static Chmod of(String path, int mode) throws HmfsException {
            CallArguments.checkMode("chmod", path, mode);
            return new Chmod(CallArguments.utf8Path("chmod", path), mode);
        }
    }

    record Chown(byte[] path, byte[] owner, byte[] group) {
        /** Null keeps a name as it is. */
        static Chown of(String path, @Nullable String owner, @Nullable String group) throws HmfsException {
            byte[] ownerUtf8 = principal(path, owner);
            byte[] groupUtf8 = principal(path, group);
            return new Chown(CallArguments.utf8Path("chown", path), ownerUtf8, groupUtf8);
        }

        private static byte[] principal(String path, @Nullable String name) throws HmfsException {
            if (name == null) {
                return CallArguments.NO_BYTES;
            }
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            if (bytes.length == 0 || bytes.length > Wire.NAME_MAX) {
                throw new HmfsException(
                        ResultCode.INVALID_ARGUMENT,
                        "chown " + path + ": a name has 1 to " + Wire.NAME_MAX + " bytes, not " + bytes.length);
            }
            return bytes;
        }
    }

    record Times(byte[] path, long mtimeNanos, long atimeNanos) {
        /** In milliseconds since 1970; -1 keeps a time as it is. */
        static Times of(String path, long mtimeMillis, long atimeMillis) throws HmfsException {
            long mtimeNanos = nanos(path, mtimeMillis);
            long atimeNanos = nanos(path, atimeMillis);
            return new Times(CallArguments.utf8Path("set times", path), mtimeNanos, atimeNanos);
        }

        private static long nanos(String path, long millis) throws HmfsException {
            if (millis == -1) {
                return -1;
            }
            if (Math.abs(millis) > Long.MAX_VALUE / NANOS_PER_MILLI) {
                throw new HmfsException(
                        ResultCode.INVALID_ARGUMENT,
                        "set times " + path + ": " + millis + " ms is beyond the year 2262");
            }
            return millis * NANOS_PER_MILLI;
        }
    }

    record Truncate(byte[] path, long size) {
        static Truncate of(String path, long size) throws HmfsException {
            return new Truncate(CallArguments.utf8Path("truncate", path), size);
        }
    }
}
