package io.hmfs.server.data;

/**
 * An object has fewer bytes than its writer says that it had. That is the word of a client: it is the client's answer, and no damage that the
 * server has found.
 */
final class LostBytesException extends CorruptObjectException {
    private static final long serialVersionUID = 1L;

    LostBytesException(long from) {
        super(from, "the bytes from " + from + " on were lost, and more must not be written behind them");
    }
}
