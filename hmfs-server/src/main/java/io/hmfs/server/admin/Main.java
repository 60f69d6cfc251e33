package io.hmfs.server.admin;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** Entry of {@code bin/hmfs}. */
@Command(
        name = "hmfs",
        description = "Metadata service for Hadoop-compatible filesystems on persistent memory.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            FormatCommand.class,
            FsckCommand.class,
            ServerCommand.class,
            StatusCommand.class,
            TopCommand.class,
            SafeModeCommand.class,
            QuotaCommand.class,
            GcCommand.class,
            ScrubCommand.class,
            LauncherCommands.Fs.class,
            LauncherCommands.QuickstartHelp.class,
            LauncherCommands.Bench.class,
            VersionCommand.class,
            HelpCommand.class
        },
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

    private Main() {}

    public static void main(String[] args) {
        int code = commandLine().execute(args);
        System.exit(code);
    }

    /** All commands, for running and for tests. */
    static CommandLine commandLine() {
        return Cli.over(new Main());
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
