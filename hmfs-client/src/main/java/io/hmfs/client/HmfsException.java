package io.hmfs.client;

import java.io.IOException;

/** The server refused or failed a request, or did not answer in time; the message names the operation and the path. */
public final class HmfsException extends IOException {
    private static final long serialVersionUID = 1L;

    private final ResultCode code;

    public HmfsException(ResultCode code, String message) {
        super(message);
        this.code = code;
    }

    public ResultCode code() {
        return code;
    }
}
