package io.hmfs.client;

import io.hmfs.wire.Wire;
import java.nio.charset.StandardCharsets;

/** Checks of arguments that several kinds of calls have; on the caller's thread. */
final class CallArguments {
    static final byte[] NO_BYTES = {};

    private CallArguments() {}

    /** A path in UTF-8. INVALID_NAME unless it is absolute, NAME_TOO_LONG. */
    static byte[] utf8Path(String operation, String path) throws HmfsException {
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

    /** INVALID_ARGUMENT unless the mode is within 0 to 07777. */
    static void checkMode(String operation, String path, int mode) throws HmfsException {
        if (mode < 0 || mode > 07777) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT,
                    operation + " " + path + ": mode " + Integer.toOctalString(mode) + " is not within 0 to 7777");
        }
    }

    /** INVALID_ARGUMENT unless missing parents may have the mode, or inherit one. */
    static void checkParentMode(String operation, String path, CreateOptions options) throws HmfsException {
        if (options.parentMode() != CreateOptions.INHERITED) {
            checkMode(operation, path, options.parentMode());
        }
    }

    /** INVALID_ARGUMENT if a number of entries is below 0. */
    static void checkEntries(String operation, String path, int entriesMax) throws HmfsException {
        if (entriesMax < 0) {
            throw new HmfsException(
                    ResultCode.INVALID_ARGUMENT, operation + " " + path + ": " + entriesMax + " entries");
        }
    }
}
