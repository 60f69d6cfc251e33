package io.hmfs.client;

import java.io.IOException;

/** The server refused or failed a request, or did not answer in time; the message names the operation and the path. */
public sealed class HmfsException extends IOException permits HmfsException.Told {
    private static final long serialVersionUID = 1L;

    private final ResultCode code;
    private final String reason;

    public HmfsException(ResultCode code, String message) {
        this(code, message, message);
    }

    HmfsException(ResultCode code, String message, String reason) {
        super(message);
        this.code = code;
        this.reason = reason;
    }

    /** The failure of a call that a thread waits for. It has no stack, because that thread throws an exception with its own. */
    static final class Told extends HmfsException {
        private static final long serialVersionUID = 1L;

        private Told(ResultCode code, String message, String reason) {
            super(code, message, reason);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** What became of a call. {@code awaited}: by a thread that throws its own. */
    static HmfsException told(ResultCode code, String call, String message, boolean awaited) {
        String text = message.isEmpty() ? code.text() : message;
        String told = switch (code) {
            case UNRESOLVED_LINK -> code.text() + ": " + text;
            case CORRUPT -> code.text() + "; damaged is what begins at byte " + text + " of the file";
            default -> text;
        };
        String whole = call + ": " + told;
        return awaited ? new Told(code, whole, text) : new HmfsException(code, whole, text);
    }

    /** With {@link ResultCode#CORRUPT}: where the damaged bytes begin in the file; else, and if the server does not say it, -1. */
    public long damagedAt() {
        return code == ResultCode.CORRUPT && reason.matches("\\d{1,18}") ? Long.parseLong(reason) : -1;
    }

    /** What the server said, without the operation and the path. */
    public String reason() {
        return reason;
    }

    public ResultCode code() {
        return code;
    }
}
