package io.hmfs.client;

import java.io.IOException;

/** The server refused or failed a request, or did not answer in time; the message names the operation and the path. */
public final class HmfsException extends IOException {
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

    /** What the server said of a call. */
    static HmfsException told(ResultCode code, String call, String message) {
        String text = message.isEmpty() ? code.text() : message;
        String told = code == ResultCode.UNRESOLVED_LINK ? code.text() + ": " + text : text;
        return new HmfsException(code, call + ": " + told, text);
    }

    /** What the server said, without the operation and the path. */
    public String reason() {
        return reason;
    }

    public ResultCode code() {
        return code;
    }
}
