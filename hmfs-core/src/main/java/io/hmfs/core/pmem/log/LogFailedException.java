package io.hmfs.core.pmem.log;

/** The log cannot be written any more; the message names the file and the cause. What it had acknowledged is safe. */
public final class LogFailedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    LogFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
