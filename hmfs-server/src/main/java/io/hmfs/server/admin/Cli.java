package io.hmfs.server.admin;

import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * How every command of HMFS speaks: results on standard output; an error is one line on standard error that begins with
 * {@code hmfs: }; exit code 0, 1 for a failure, 2 for wrong usage, unless the command has codes of its own. {@code HMFS_DEBUG=1} adds the stack trace.
 */
public final class Cli {
    static final int FAILURE = 1;
    static final int USAGE = 2;

    private Cli() {}

    /** A command line over annotated {@code command}, with the error handling of HMFS. */
    public static CommandLine over(Object command) {
        return over(new CommandLine(command));
    }

    /** The same with the commands that were added to it. */
    static CommandLine over(CommandLine line) {
        addHelp(line);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpWidth(100);
        line.setUsageHelpAutoWidth(false);
        line.setParameterExceptionHandler((e, args) -> wrongUsage(e));
        line.setExecutionExceptionHandler((e, failed, parsed) -> failed(failed, e));
        return line;
    }

    /** {@code --help}, the same in every command. */
    private static void addHelp(CommandLine line) {
        if (line.getCommandSpec().findOption("--help") == null) {
            line.getCommandSpec()
                    .addOption(OptionSpec.builder("-h", "--help")
                            .usageHelp(true)
                            .description("Show this help.")
                            .build());
        }
        line.getSubcommands().values().forEach(Cli::addHelp);
    }

    private static int wrongUsage(ParameterException e) {
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        String message = e instanceof UnmatchedArgumentException unmatched
                ? unknown(spec, unmatched.getUnmatched().getFirst())
                : decapitalized(firstLine(e));
        PrintWriter err = e.getCommandLine().getErr();
        err.println("hmfs: " + message + " (see " + spec.qualifiedName() + " --help)");
        trace(err, e);
        return spec.exitCodeOnInvalidInput();
    }

    private static String unknown(CommandSpec spec, String word) {
        if (word.startsWith("-")) {
            return "unknown option '" + word + "'"
                    + Closest.hint(word, spec.optionsMap().keySet());
        }
        return spec.subcommands().isEmpty()
                ? "unexpected argument '" + word + "'"
                : "unknown command '" + word + "'"
                        + Closest.hint(word, spec.subcommands().keySet());
    }

    private static int failed(CommandLine line, Exception e) {
        PrintWriter err = line.getErr();
        err.println("hmfs: " + describe(e));
        trace(err, e);
        return e instanceof CommandException command
                ? command.exitCode()
                : line.getCommandSpec().exitCodeOnExecutionException();
    }

    /** What went wrong, for people: file system exceptions carry no more than a path in their message. */
    public static String describe(Throwable e) {
        String message = firstLine(e);
        return switch (e) {
            case NoSuchFileException missing -> missing.getFile() + " does not exist";
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case FileAlreadyExistsException there -> there.getFile() + " already exists";
            case RuntimeException unexpected
            when !(unexpected instanceof CommandException) ->
                "unexpected " + unexpected.getClass().getSimpleName() + ": " + message + " (HMFS_DEBUG=1 shows where)";
            default -> message;
        };
    }

    private static String firstLine(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isBlank()
                ? e.getClass().getSimpleName()
                : message.strip().lines().findFirst().orElse(message);
    }

    private static String decapitalized(String text) {
        return Character.toLowerCase(text.charAt(0)) + text.substring(1);
    }

    private static void trace(PrintWriter err, Exception e) {
        if (isDebug()) {
            e.printStackTrace(err);
        }
    }

    /** Whether {@code HMFS_DEBUG} is set. */
    public static boolean isDebug() {
        String debug = System.getenv("HMFS_DEBUG");
        return debug != null && !debug.isEmpty();
    }
}
