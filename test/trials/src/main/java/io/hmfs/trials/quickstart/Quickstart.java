package io.hmfs.trials.quickstart;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.StepException;
import io.hmfs.bench.process.TemporaryDirectory;
import io.hmfs.server.admin.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hmfs quickstart}. */
@Command(
        name = "hmfs quickstart",
        description = {
            "Try everything in a temporary directory: make a pool, start a server, put the Java runtime's own files"
                    + " with FsShell, read them back, rename, delete, run Spark jobs, one of them while the server is"
                    + " restarted, kill the server, and compare everything again.",
            "As root on Debian it installs PMDK's libraries if they are missing; without them the pool is a mapped"
                    + " file.",
            "The mode is process: what is answered survives the server, which is killed, not the machine."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  hmfs quickstart",
            "  hmfs quickstart --no-spark",
            "  hmfs quickstart --spark 3.5                 on JDK 17, which that needs",
            "  hmfs quickstart --keep --dir /data/try      and go on with the server that is left running"
        })
public final class Quickstart implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--no-spark", description = "Leave Spark out, and so its download.")
    private boolean noSpark;

    @Option(
            names = "--keep",
            description = "Leave the server running and the files in place, and print how to use them.")
    private boolean keep;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where pool, data and copies go: empty or new, 500 MB free (default: a temporary directory).")
    private @Nullable Path directory;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "Size of the pool (default: ${DEFAULT-VALUE}).",
            defaultValue = "512M")
    private String size = "512M";

    @Option(
            names = "--spark",
            paramLabel = "VERSION",
            description =
                    "Spark as its makers ship it, PyPI's pyspark, started by spark-submit with the README's lines:"
                            + " 3.4, 3.5, 4.0, 4.2, or a whole version; needs Python (default: the jars of 4.2.0 from Maven"
                            + " Central).")
    private @Nullable String sparkVersion;

    @Option(
            names = "--spark-java",
            paramLabel = "HOME",
            description = "JDK for Spark, 17 or newer (default: the newest one found that it runs on).")
    private @Nullable Path sparkJava;

    private Quickstart() {}

    public static void main(String[] args) {
        System.exit(Cli.over(new Quickstart()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        if (noSpark && sparkVersion != null) {
            throw new ParameterException(
                    spec.commandLine(), "--no-spark leaves Spark out and --spark names one: give one of them");
        }
        Path work = workDirectory();
        Files.createDirectories(work.resolve("logs"));
        String home = System.getProperty("hmfs.home", ".");
        Commands commands = new Commands(Path.of(home), work.resolve("logs"));
        Steps steps = new Steps(System.out);
        QuickstartRun run = new QuickstartRun(
                commands, steps, work, size, noSpark ? null : new QuickstartRun.SparkChoice(sparkVersion, sparkJava));
        Thread cleanUp = new Thread(() -> abandon(run, work), "quickstart-clean-up");
        Runtime.getRuntime().addShutdownHook(cleanUp);
        System.out.println("hmfs quickstart in " + work);
        boolean done = false;
        try {
            run.all();
            done = true;
        } catch (Exception e) {
            steps.printTable();
            System.out.flush();
            System.err.println("hmfs: the quickstart failed in step " + steps.current() + ": " + reason(e)
                    + System.lineSeparator() + "hmfs: what it left, logs included, is in " + work);
            if (Cli.isDebug()) {
                e.printStackTrace();
            }
        }
        Runtime.getRuntime().removeShutdownHook(cleanUp);
        if (!done) {
            run.destroy();
            return 1;
        }
        if (keep) {
            steps.printTable();
            run.printUse(System.out);
            return 0;
        }
        run.stop();
        TemporaryDirectory.delete(work);
        steps.printTable();
        return 0;
    }

    private Path workDirectory() throws IOException {
        if (directory == null) {
            return Files.createTempDirectory("hmfs-quickstart-");
        }
        Path chosen = directory.toAbsolutePath();
        if (Files.exists(chosen)) {
            try (Stream<Path> entries = Files.list(chosen)) {
                if (entries.findAny().isPresent()) {
                    throw new IOException(chosen + " is not empty; name another directory");
                }
            }
        }
        return Files.createDirectories(chosen);
    }

    private static String reason(Exception e) {
        return e instanceof StepException step ? String.valueOf(step.getMessage()) : e.toString();
    }

    /** After Ctrl-C. */
    private static void abandon(QuickstartRun run, Path work) {
        run.destroy();
        try {
            TemporaryDirectory.delete(work);
        } catch (IOException e) {
            System.err.println("hmfs: could not remove " + work + ": " + Cli.describe(e));
        }
    }
}
