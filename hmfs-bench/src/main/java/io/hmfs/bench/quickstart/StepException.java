package io.hmfs.bench.quickstart;

/** A step did not do what it must; the message is the reason. */
final class StepException extends Exception {
    private static final long serialVersionUID = 1L;

    StepException(String reason) {
        super(reason);
    }
}
