package io.hmfs.client;

import io.hmfs.wire.SetXattrEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Makes the calls about extended attributes. */
final class XattrCalls {
    private static final int VALUE_MAX = 64 << 10;
    private static final int NAMES_MAX = 65_534; // what the length of a text can say

    private final MetadataCalls calls;

    XattrCalls(MetadataCalls calls) {
        this.calls = calls;
    }

    private abstract static class ReadCall extends MetadataCalls.PathCall<Map<String, byte[]>> {
        ReadCall(String operation, String path) throws HmfsException {
            super(operation, path);
        }

        @Override
        Map<String, byte[]> decode(Replies replies, WireBuffer in) throws IOException {
            return replies.xattrs(in);
        }
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

    Call<Void> set(String path, String attribute, byte[] value, XattrMode mode) throws HmfsException {
        byte[] name = utf8Name(path, attribute);
        if (value.length > VALUE_MAX) {
            throw new HmfsException(
                    ResultCode.VALUE_TOO_LARGE,
                    "extended attribute " + attribute + " of " + path + ": its value has " + value.length
                            + " bytes; at most " + VALUE_MAX);
        }
        return new MetadataCalls.DoneCall("set extended attribute " + attribute + " of", path) {
            @Override
            int bound() {
                return super.bound() + name.length + value.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                SetXattrEncoder set = requests.setXattr
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID);
                set.flags().clear().create(mode != XattrMode.REPLACE).replace(mode != XattrMode.CREATE);
                return set.putPath(utf8, 0, utf8.length)
                        .putAttribute(name, 0, name.length)
                        .putValue(value, 0, value.length)
                        .limit();
            }
        };
    }

    /** All that the user may see if no names are given. */
    Call<Map<String, byte[]>> get(String path, List<String> attributes) throws HmfsException {
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
        return new ReadCall("get extended attributes of", path) {
            @Override
            int bound() {
                return super.bound() + names.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.getXattrs
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .putAttributes(names, 0, names.length)
                        .limit();
            }
        };
    }

    Call<Map<String, byte[]>> list(String path) throws HmfsException {
        return new ReadCall("list extended attributes of", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.listXattrs
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<Void> remove(String path, String attribute) throws HmfsException {
        byte[] name = utf8Name(path, attribute);
        return new MetadataCalls.DoneCall("remove extended attribute " + attribute + " of", path) {
            @Override
            int bound() {
                return super.bound() + name.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.removeXattr
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .putAttribute(name, 0, name.length)
                        .limit();
            }
        };
    }
}
