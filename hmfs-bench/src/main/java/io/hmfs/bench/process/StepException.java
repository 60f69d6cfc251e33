package io.hmfs.bench.process;

/** A step did not do what it must; the message is the reason. */
public final class StepException extends Exception {
    private static final long serialVersionUID = 1L;

    public StepException(String reason) {
        super(reason);
    }
}
