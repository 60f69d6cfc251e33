package io.hmfs.server.admin;

/** A command cannot do what was asked; the message says in one line what is wrong and what to do. */
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** It was asked wrongly: a bad option, setting or value. Exit code 2. */
    public static CommandException usage(String message) {
        return new CommandException(2, message);
    }

    /** It was asked rightly and did not work. Exit code 1. */
    public static CommandException failure(String message) {
        return new CommandException(1, message);
    }

    int exitCode() {
        return exitCode;
    }
}
