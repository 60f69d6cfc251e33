package io.hmfs.client;

import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Makes the calls of the metadata operations: arguments are checked and turned into UTF-8 on the caller's thread. */
final class MetadataCalls {
    static final int FIXED_MAX = 128; // more than the header and the root block of any request
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final byte[] NO_BYTES = {};

    private final long clientId;

    MetadataCalls(long clientId) {
        this.clientId = clientId;
    }

    long clientId() {
        return clientId;
    }

    private static byte[] utf8Path(String operation, String path) throws HmfsException {
        if (path.isEmpty() || path.charAt(0) != '/') {
            throw new HmfsException(ResultCode.INVALID_NAME, operation + " \"" + path + "\": the path is not absolute");
        }
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Wire.PATH_MAX) {
            throw new HmfsException(
                    ResultCode.NAME_TOO_LONG,
                    operation + " " + path.substring(0, 64) + "…: the path has " + bytes.length + " bytes; at most "
                            + Wire.PATH_MAX);
        }
        return bytes;
    }

    static void checkMode(String operation, String path, int mode) throws HmfsException {
        if (mode < 0 || mode > 07777) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT,
                    operation + " " + path + ": mode " + Integer.toOctalString(mode) + " is not within 0 to 7777");
        }
    }

    /** A call about one path. */
    abstract static class PathCall<T> extends Call<T> {
        final byte[] utf8;

        PathCall(String operation, String path) throws HmfsException {
            super(operation, path);
            utf8 = utf8Path(operation, path);
        }

        @Override
        int bound() {
            return FIXED_MAX + utf8.length;
        }
    }

    abstract static class EntryCall extends PathCall<FileInfo> {
        EntryCall(String operation, String path) throws HmfsException {
            super(operation, path);
        }

        @Override
        FileInfo decode(Replies replies, WireBuffer in) throws IOException {
            return replies.entry(in, subject);
        }
    }

    /** A change that answers nothing. */
    abstract static class DoneCall extends PathCall<Void> {
        DoneCall(String operation, String path) throws HmfsException {
            super(operation, path);
        }

        @Override
        boolean isChange() {
            return true;
        }

        @Override
        Void decode(Replies replies, WireBuffer in) throws IOException {
            return replies.done(in);
        }
    }

    Call<FileInfo> stat(String path) throws HmfsException {
        return new EntryCall("stat", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.stat
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<FileInfo> mkdir(String path, int mode, int unmaskedMode, boolean parents) throws HmfsException {
        checkMode("mkdir", path, mode);
        checkMode("mkdir", path, unmaskedMode);
        return new EntryCall("mkdir", path) {
            @Override
            boolean isChange() {
                return true;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                MkdirEncoder mkdir = requests.mkdir
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .mode(mode)
                        .unmaskedMode(unmaskedMode);
                mkdir.flags().clear().createParents(parents);
                return mkdir.putPath(utf8, 0, utf8.length).limit();
            }
        };
    }

    Call<Void> delete(String path) throws HmfsException {
        return new DoneCall("delete", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.delete
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<Void> rmdir(String path) throws HmfsException {
        return new DoneCall("rmdir", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.rmdir
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<Void> rename(String source, String target, boolean replace) throws HmfsException {
        byte[] targetUtf8 = utf8Path("rename to", target);
        return new DoneCall("rename", source) {
            @Override
            int bound() {
                return super.bound() + targetUtf8.length;
            }

            @Override
            String describe() {
                return super.describe() + " to " + target;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                RenameEncoder rename = requests.rename
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .sourceBaseId(Wire.ROOT_ID)
                        .targetBaseId(Wire.ROOT_ID);
                rename.flags().clear().replace(replace);
                return rename.putSource(utf8, 0, utf8.length)
                        .putTarget(targetUtf8, 0, targetUtf8.length)
                        .limit();
            }
        };
    }

    Call<Void> chmod(String path, int mode) throws HmfsException {
        checkMode("chmod", path, mode);
        return new DoneCall("chmod", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.setMode
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .mode(mode)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<Void> chown(String path, @Nullable String owner, @Nullable String group) throws HmfsException {
        byte[] ownerUtf8 = principal(path, owner);
        byte[] groupUtf8 = principal(path, group);
        return new DoneCall("chown", path) {
            @Override
            int bound() {
                return super.bound() + ownerUtf8.length + groupUtf8.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.setOwner
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .putOwner(ownerUtf8, 0, ownerUtf8.length)
                        .putGroup(groupUtf8, 0, groupUtf8.length)
                        .limit();
            }
        };
    }

    private static byte[] principal(String path, @Nullable String name) throws HmfsException {
        if (name == null) {
            return NO_BYTES;
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > Wire.NAME_MAX) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT,
                    "chown " + path + ": a name has 1 to " + Wire.NAME_MAX + " bytes, not " + bytes.length);
        }
        return bytes;
    }

    Call<Void> setTimes(String path, long mtimeMillis, long atimeMillis) throws HmfsException {
        long mtimeNanos = nanos(path, mtimeMillis);
        long atimeNanos = nanos(path, atimeMillis);
        return new DoneCall("set times", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.setTimes
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .mtimeNanos(mtimeNanos)
                        .atimeNanos(atimeNanos)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    private static long nanos(String path, long millis) throws HmfsException {
        if (millis == -1) {
            return -1;
        }
        if (Math.abs(millis) > Long.MAX_VALUE / NANOS_PER_MILLI) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT, "set times " + path + ": " + millis + " ms is beyond the year 2262");
        }
        return millis * NANOS_PER_MILLI;
    }

    Call<Void> truncate(String path, long size) throws HmfsException {
        return new DoneCall("truncate", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.truncate
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(clientId)
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .size(size)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    static void checkEntries(String operation, String path, int entriesMax) throws HmfsException {
        if (entriesMax < 0) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT, operation + " " + path + ": " + entriesMax + " entries");
        }
    }

    Call<ListPage> list(String path, ListCursor cursor, int entriesMax) throws HmfsException {
        checkEntries("list", path, entriesMax);
        return new PathCall<>("list", path) {
            @Override
            ListPage decode(Replies replies, WireBuffer in) throws IOException {
                return replies.page(in);
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.list
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .cursorBirth(cursor.birth())
                        .cursorAt(cursor.at())
                        .cursorStart(cursor.start())
                        .entriesMax(entriesMax)
                        .bytesMax(0)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<ServerStatus> status() {
        return new Call<>("status", "") {
            @Override
            int bound() {
                return FIXED_MAX;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.status
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .limit();
            }

            @Override
            ServerStatus decode(Replies replies, WireBuffer in) throws IOException {
                return replies.status(in);
            }
        };
    }
}
