package io.hmfs.bench;

import io.hmfs.bench.contract.ContractCommand;
import io.hmfs.bench.quickstart.SparkRestartsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hmfs bench}: measures HMFS beside its peers. Exit code 0 says that it measured, not that a target was reached; but for soak, spark-restarts and contract, whose verdict it is. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        subcommands = {
            MicroCommand.class,
            EngineCommand.class,
            NetCommand.class,
            HdfsCommand.class,
            SoakCommand.class,
            SparkRestartsCommand.class,
            ContractCommand.class
        },
        description = "Measures HMFS, always beside a peer in the same run.",
        footer = {
            "",
            "Figures on a busy machine say little; ratios of one run say more. Results go to standard output, progress to"
                    + " standard error. With --json FILE a command also writes a file, in one shape for all.",
            "",
            "Examples:",
            "  hmfs bench engine",
            "  hmfs bench net --json net.json",
            "  hmfs bench micro stat -prof gc",
        })
public final class BenchCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Runs the command line and ends the JVM. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new BenchCommand())
                .setCommandName("hmfs bench")
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((problem, command, _) -> {
                    if (problem instanceof RuntimeException) {
                        throw problem; // ours to mend, hence with all its frames
                    }
                    command.getErr().println("hmfs bench: " + problem);
                    return 1;
                });
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "choose what to measure: micro, engine, net, hdfs, soak, spark-restarts or contract");
    }
}
