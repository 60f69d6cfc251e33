package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.NUMBERED;
import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.GetXattrsEncoder;
import io.hmfs.wire.ListXattrsEncoder;
import io.hmfs.wire.RemoveXattrEncoder;
import io.hmfs.wire.SetXattrEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.hmfs.wire.XattrsDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rows: extended attributes. */
@SuppressWarnings("ArrayRecordComponent") // arguments of a call are never compared
final class XattrCalls {
    private static final int VALUE_MAX = 64 << 10;
    private static final int NAMES_MAX = 65_534; // what the length of a text can say

    private final SetXattrEncoder setEncoder = new SetXattrEncoder();
    private final GetXattrsEncoder getEncoder = new GetXattrsEncoder();
    private final ListXattrsEncoder listEncoder = new ListXattrsEncoder();
    private final RemoveXattrEncoder removeEncoder = new RemoveXattrEncoder();
    private final XattrsDecoder xattrs = new XattrsDecoder();

    final CallKind<Setting, Void> set;
    final CallKind<Names, Map<String, byte[]>> get;
    final CallKind<byte[], Map<String, byte[]>> list;
    final CallKind<Names, Void> remove;

    XattrCalls(FileReplies replies) {
        set = new CallKind<Setting, Void>(
                        "set extended attribute of",
                        NUMBERED,
                        SetXattrEncoder.TEMPLATE_ID,
                        SetXattrEncoder.BLOCK_LENGTH,
                        each -> each.path.length + each.name.length + each.value.length,
                        (each, out) -> {
                            setEncoder
                                    .wrap(out, Wire.HEADER_SIZE)
                                    .baseId(Wire.ROOT_ID)
                                    .flags()
                                    .clear()
                                    .create(each.mode != XattrSetMode.REPLACE)
                                    .replace(each.mode != XattrSetMode.CREATE);
                            return setEncoder
                                    .putPath(each.path, 0, each.path.length)
                                    .putAttribute(each.name, 0, each.name.length)
                                    .putValue(each.value, 0, each.value.length)
                                    .limit();
                        },
                        DoneDecoder.TEMPLATE_ID,
                        replies::done)
                .describedBy((path, each) -> "set extended attribute " + text(each.name) + " of " + path);
        get = new CallKind<>(
                "get extended attributes of",
                REPEATABLE,
                GetXattrsEncoder.TEMPLATE_ID,
                GetXattrsEncoder.BLOCK_LENGTH,
                Names::bytes,
                (each, out) -> getEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(each.path, 0, each.path.length)
                        .putAttributes(each.names, 0, each.names.length)
                        .limit(),
                XattrsDecoder.TEMPLATE_ID,
                (reply, path, each) -> values(reply));
        list = CallKind.ofPath(
                "list extended attributes of",
                REPEATABLE,
                ListXattrsEncoder.TEMPLATE_ID,
                ListXattrsEncoder.BLOCK_LENGTH,
                (path, out) -> listEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                XattrsDecoder.TEMPLATE_ID,
                (reply, subject, path) -> values(reply));
        remove = new CallKind<Names, Void>(
                        "remove extended attribute of",
                        NUMBERED,
                        RemoveXattrEncoder.TEMPLATE_ID,
                        RemoveXattrEncoder.BLOCK_LENGTH,
                        Names::bytes,
                        (each, out) -> removeEncoder
                                .wrap(out, Wire.HEADER_SIZE)
                                .baseId(Wire.ROOT_ID)
                                .putPath(each.path, 0, each.path.length)
                                .putAttribute(each.names, 0, each.names.length)
                                .limit(),
                        DoneDecoder.TEMPLATE_ID,
                        replies::done)
                .describedBy((path, each) -> "remove extended attribute " + text(each.names) + " of " + path);
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private Map<String, byte[]> values(ReplyFrame reply) {
        WireBuffer in = reply.in();
        xattrs.wrap(in, Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        Map<String, byte[]> found = new LinkedHashMap<>();
        XattrsDecoder.AttributesDecoder each = xattrs.attributes();
        while (each.hasNext()) {
            String name = each.next().name();
            byte[] value = reply.room(xattrs.limit(), each.valueLength());
            each.getValue(value, 0, value.length);
            found.put(name, value);
        }
        return found;
    }

    private static byte[] utf8Name(String path, String attribute) throws HmfsException {
        byte[] bytes = attribute.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Wire.NAME_MAX) {
            throw new HmfsException(
                    ResultCode.NAME_TOO_LONG,
                    "extended attribute of " + path + ": its name has " + bytes.length + " bytes; at most "
                            + Wire.NAME_MAX);
        }
        if (attribute.isEmpty() || attribute.indexOf('\0') >= 0) {
            throw new HmfsException(
                    ResultCode.INVALID_NAME,
                    "extended attribute of " + path + ": its name is empty or has a NUL in it");
        }
        return bytes;
    }

    record Setting(byte[] path, byte[] name, byte[] value, XattrSetMode mode) {
        static Setting of(String path, String attribute, byte[] value, XattrSetMode mode) throws HmfsException {
            byte[] name = utf8Name(path, attribute);
            if (value.length > VALUE_MAX) {
                throw new HmfsException(
                        ResultCode.VALUE_TOO_LARGE,
                        "extended attribute " + attribute + " of " + path + ": its value has " + value.length
                                + " bytes; at most " + VALUE_MAX);
            }
            byte[] utf8 = CallArguments.utf8Path("set extended attribute " + attribute + " of", path);
            return new Setting(utf8, name, value, mode);
        }
    }

    /** A path and names of attributes, a NUL between each two. */
    record Names(byte[] path, byte[] names) {
        static Names one(String operation, String path, String attribute) throws HmfsException {
            byte[] name = utf8Name(path, attribute);
            return new Names(CallArguments.utf8Path(operation, path), name);
        }

        static Names of(String path, List<String> attributes) throws HmfsException {
            for (String attribute : attributes) {
                utf8Name(path, attribute);
            }
            byte[] names = String.join("\0", attributes).getBytes(StandardCharsets.UTF_8);
            if (names.length > NAMES_MAX) {
                throw new HmfsException(
                        ResultCode.INVALID_ARGUMENT,
                        "get extended attributes of " + path + ": " + attributes.size() + " names have " + names.length
                                + " bytes in all; at most " + NAMES_MAX);
            }
            return new Names(CallArguments.utf8Path("get extended attributes of", path), names);
        }

        private int bytes() {
            return path.length + names.length;
        }
    }
}
