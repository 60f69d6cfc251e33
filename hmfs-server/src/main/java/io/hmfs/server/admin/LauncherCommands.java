package io.hmfs.server.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Commands that {@code bin/hmfs} starts with other class paths; here they have their place in the help. */
final class LauncherCommands {
    private LauncherCommands() {}

    abstract static class Elsewhere implements Callable<Integer> {
        @Parameters(hidden = true, description = "Passed on.")
        private List<String> arguments = new ArrayList<>();

        @Override
        public Integer call() {
            throw CommandException.failure(
                    "this command needs another class path: start it with bin/hmfs " + String.join(" ", arguments));
        }
    }

    @Command(
            name = "fs",
            description = "Hadoop's FsShell on a server, with many files under way.",
            customSynopsis = "hmfs fs [--server HOST:PORT] -COMMAND [ARG...]",
            footer = {
                "",
                "      --server=HOST:PORT   The server; else HMFS_SERVER, else 127.0.0.1:8930. Comes first.",
                "",
                "Everything else goes to FsShell. HADOOP_CONF_DIR is read if set.",
                "Copies of several files have 16 threads; -t N after the command says how many.",
                "Examples:",
                "  hmfs fs -ls /",
                "  hmfs fs -mkdir -p /data/in",
                "  hmfs fs -put report.csv /data/in",
                "  hmfs fs -cat /data/in/report.csv",
                "  hmfs fs -help put            what FsShell says about put"
            })
    static final class Fs extends Elsewhere {}

    @Command(name = "quickstart", description = "Try everything in a temporary directory, Spark included.")
    static final class QuickstartHelp extends Elsewhere {}

    @Command(name = "bench", description = "Benchmarks: micro, engine, net.")
    static final class Bench extends Elsewhere {}
}
