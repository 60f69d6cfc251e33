package io.hmfs.bench;

import io.hmfs.bench.hdfs.HdfsCommand;
import io.hmfs.bench.hdfs.ListCommand;
import io.hmfs.bench.load.EngineCommand;
import io.hmfs.bench.load.PoolsCommand;
import io.hmfs.bench.micro.MicroCommand;
import io.hmfs.bench.net.NetCommand;
import io.hmfs.bench.report.CompareCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hmfs bench}: measures HMFS beside its peers. Exit code 0 says that it measured, not that a target was reached. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        subcommands = {
            MicroCommand.class,
            EngineCommand.class,
            PoolsCommand.class,
            NetCommand.class,
            HdfsCommand.class,
            ListCommand.class,
            CompareCommand.class
        },
        description = "Measures HMFS, always beside a peer in the same run.",
        footer = {
            "",
            "Figures on a busy machine say little; ratios of one run say more. Results go to standard output, progress"
                    + " to standard error. With --json FILE a command also writes a file, in one shape for all.",
            "",
            "Trials, which end with a verdict instead of figures, have these names too: soak, spark-restarts,"
                    + " contract, acknowledged.",
            "",
            "Examples:",
            "  hmfs bench engine",
            "  hmfs bench net --json net.json",
            "  hmfs bench micro stat -prof gc",
            "  hmfs bench contract --help",
        })
public final class BenchCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Runs the command line and ends the JVM. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    public static CommandLine commandLine() {
        return over(new BenchCommand());
    }

    /** A command line named {@code hmfs bench}: expected problems are a line of their own, others show all their frames. */
    public static CommandLine over(Object command) {
        return new CommandLine(command)
                .setCommandName("hmfs bench")
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((problem, failed, _) -> {
                    if (problem instanceof RuntimeException) {
                        throw problem; // ours to mend, hence with all its frames
                    }
                    failed.getErr().println("hmfs bench: " + problem);
                    return 1;
                });
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "choose what to do: micro, engine, pools, net, hdfs, list or compare");
    }
}
