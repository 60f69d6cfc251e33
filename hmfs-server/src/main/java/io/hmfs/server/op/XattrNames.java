package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Name;
import io.hmfs.server.request.Request;
import java.util.Map;

/** The rules of HDFS about the names of extended attributes: a name's namespace tells which users may use it. */
final class XattrNames {
    private static final String USER = "user.";
    private static final String TRUSTED = "trusted.";

    private XattrNames() {}

    /** Whether the mode of the object decides about attributes of this name. */
    static boolean isUsers(String attribute) {
        return attribute.startsWith(USER);
    }

    /** Adds an attribute unless the user may not use it: then it is not there. */
    static void addIfVisible(Request request, Map<String, byte[]> found, Name name, byte[] value) {
        String text = name.toString();
        if (text.startsWith(USER)
                || (text.startsWith(TRUSTED) && !request.access().isLimited())) {
            found.put(text, value);
        }
    }

    static void missing(Request request, String attribute) {
        request.reply().failure(ResultCode.NO_ATTRIBUTE, "no extended attribute " + attribute);
    }

    /** Whether the user may use attributes of such a name at all; if not, the reply says why. */
    static boolean mayUse(Request request, String attribute) {
        int dot = attribute.indexOf('.');
        String prefix = attribute.substring(0, Math.max(dot, 0));
        String denied = "User doesn't have permission for xattr: " + attribute;
        switch (prefix) {
            case "user" -> {}
            case "trusted" -> {
                if (request.access().isLimited()) {
                    request.reply().failure(ResultCode.ACCESS_DENIED, denied + " (trusted. is the superuser's)");
                    return false;
                }
            }
            case "security", "system" -> {
                request.reply().failure(ResultCode.ACCESS_DENIED, denied + " (no user may use " + prefix + ".)");
                return false;
            }
            case "raw" -> {
                request.reply()
                        .failure(
                                ResultCode.ACCESS_DENIED,
                                denied + " (raw. is below /.reserved/raw only, which this filesystem does not have)");
                return false;
            }
            default -> {
                request.reply()
                        .failure(
                                ResultCode.INVALID_ARGUMENT,
                                "an extended attribute's name begins with user. or trusted., not so: " + attribute);
                return false;
            }
        }
        if (attribute.length() == dot + 1) {
            request.reply()
                    .failure(ResultCode.INVALID_NAME, "an extended attribute's name is empty behind " + attribute);
            return false;
        }
        return true;
    }
}
