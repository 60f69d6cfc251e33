package io.hmfs.trials;

import io.hmfs.bench.BenchCommand;
import io.hmfs.trials.acknowledged.AcknowledgedCommand;
import io.hmfs.trials.contract.ContractCommand;
import io.hmfs.trials.differ.DifferCommand;
import io.hmfs.trials.soak.SoakCommand;
import io.hmfs.trials.spark.SparkRestartsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hmfs bench soak}, {@code spark-restarts}, {@code contract}, {@code differ} and {@code acknowledged}: exit code 0 says that the trial passed. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        subcommands = {
            SoakCommand.class,
            SparkRestartsCommand.class,
            ContractCommand.class,
            DifferCommand.class,
            AcknowledgedCommand.class
        },
        description = "Trials of whole systems over HMFS, each with a verdict.")
public final class TrialsCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Runs the command line and ends the JVM. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return BenchCommand.over(new TrialsCommand());
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "choose a trial: soak, spark-restarts, contract, differ or acknowledged");
    }
}
