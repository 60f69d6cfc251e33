package io.hmfs.server.admin;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** Entry of {@code bin/hmfs}. */
@Command(
        name = "hmfs",
        description = "Metadata service for Hadoop-compatible filesystems on persistent memory.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "First steps:",
            "  hmfs quickstart                        try everything in a temporary directory",
            "  hmfs format /data/pool --size 4G       make a pool",
            "  hmfs server --pool /data/pool          serve it",
            "  hmfs fs -ls /                          use it",
            "",
            "Errors are one line; HMFS_DEBUG=1 adds stack traces."
        })
public final class Main implements Callable<Integer> {
    @CommandLine.Option(names = "--version", hidden = true, description = "The same as the command version.")
    private boolean version;

    /** In the order in which the help shows them. */
    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("format", FormatCommand.class);
        COMMANDS.put("fsck", FsckCommand.class);
        COMMANDS.put("server", ServerCommand.class);
        COMMANDS.put("status", StatusCommand.class);
        COMMANDS.put("top", TopCommand.class);
        COMMANDS.put("safemode", SafeModeCommand.class);
        COMMANDS.put("quota", QuotaCommand.class);
        COMMANDS.put("gc", GcCommand.class);
        COMMANDS.put("scrub", ScrubCommand.class);
        COMMANDS.put("fs", LauncherCommands.Fs.class);
        COMMANDS.put("quickstart", LauncherCommands.QuickstartHelp.class);
        COMMANDS.put("bench", LauncherCommands.Bench.class);
        COMMANDS.put("version", VersionCommand.class);
        COMMANDS.put("help", HelpCommand.class);
    }

    private Main() {}

    public static void main(String[] args) {
        int code = commandLine(args).execute(args);
        System.exit(code);
    }

    /** All commands. */
    static CommandLine commandLine() {
        return Cli.over(over(COMMANDS.values()));
    }

    /** The command that the arguments begin with, or all: picocli reads the annotations of each that it knows, which takes longer than most commands do. */
    static CommandLine commandLine(String[] args) {
        Class<?> one = args.length == 0 || args[0].equals("help") ? null : COMMANDS.get(args[0]);
        return one == null ? commandLine() : Cli.over(over(List.of(one)));
    }

    private static CommandLine over(Collection<Class<?>> commands) {
        CommandLine line = new CommandLine(new Main());
        commands.forEach(command ->
                line.addSubcommand(new CommandLine(command))); // as a class it would not get the flags of its model
        return line;
    }

    @Override
    public Integer call() {
        if (version) {
            return new VersionCommand().call();
        }
        commandLine().usage(System.err);
        return Cli.USAGE;
    }
}
