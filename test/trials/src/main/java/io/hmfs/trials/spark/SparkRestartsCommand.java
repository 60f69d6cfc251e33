package io.hmfs.trials.spark;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ServerProcess;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import io.hmfs.bench.process.TemporaryDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hmfs bench spark-restarts}: the quickstart's step by itself, as often as one likes. */
@Command(
        name = "spark-restarts",
        mixinStandardHelpOptions = true,
        description = "A Spark job of 200 small tasks while its server is stopped and started: no task may fail.",
        footer = {
            "",
            "Exit code 0: the job succeeded, each task at its first attempt, and all rows are there. With --kill tasks"
                    + " may be tried again: what was under way when a server was killed may be unknown.",
            "",
            "Examples:",
            "  hmfs bench spark-restarts --restarts 20",
            "  hmfs bench spark-restarts --spark-java /usr/lib/jvm/java-17-openjdk-amd64",
            "  hmfs bench spark-restarts --kill",
        })
public final class SparkRestartsCommand implements Callable<Integer> {
    private static final String POOL_SIZE = "128M";
    private static final int COMMAND_SECONDS = 60;

    @Option(
            names = "--restarts",
            defaultValue = "20",
            description = "How often, at most 200 times (default ${DEFAULT-VALUE}).")
    private int restarts;

    @Option(names = "--kill", description = "SIGKILL instead of SIGTERM.")
    private boolean kill;

    @Option(
            names = "--spark-java",
            paramLabel = "HOME",
            description = "JDK for Spark, 17 or newer (default: the one that runs this).")
    private Path sparkJava = Path.of(System.getProperty("java.home"));

    /** The server of the job. */
    private final class Server implements SparkOverRestarts.Servant {
        private final Commands commands;
        private final Path work;
        private ServerProcess process;

        Server(Commands commands, Path work) throws Exception {
            this.commands = commands;
            this.work = work;
            process = started(0);
        }

        private ServerProcess started(int port) throws Exception {
            return ServerProcess.start(commands, work.resolve("pool"), work.resolve("data"), port);
        }

        @Override
        public void stop() throws Exception {
            if (kill) {
                process.kill();
            } else {
                process.stop();
            }
        }

        @Override
        public void start() throws Exception {
            process = started(process.port());
            System.err.print(".");
        }
    }

    @Override
    public Integer call() throws Exception {
        Path work = Files.createTempDirectory("hmfs-spark-restarts-");
        @Nullable Server server = null;
        try {
            Commands commands = new Commands(
                    Path.of(System.getProperty("hmfs.home", ".")), Files.createDirectory(work.resolve("logs")));
            SparkJob spark = SparkJob.prepare(commands, work.resolve("spark"), sparkJava);
            commands.run(
                    "format",
                    commands.hmfs(
                            "format",
                            work.resolve("pool").toString(),
                            "--size",
                            POOL_SIZE,
                            "--persistence",
                            ServerProcess.PERSISTENCE),
                    COMMAND_SECONDS);
            server = new Server(commands, work);
            long start = System.nanoTime();
            SparkOverRestarts.Tasks tasks = new SparkOverRestarts(commands, spark)
                    .run(server.process.uri(), "/numbers.parquet", restarts, server);
            System.err.println();
            System.out.printf(
                    "%d files, %d restarts after %s, %d tasks, %d failed, at most %d attempts, %.1f s%n",
                    SparkOverRestarts.FILES,
                    restarts,
                    kill ? "SIGKILL" : "SIGTERM",
                    tasks.tasks(),
                    tasks.failed(),
                    tasks.attempts() + 1,
                    (System.nanoTime() - start) / 1e9);
            if (!kill) {
                SparkOverRestarts.requireFirstAttempts(tasks);
            }
            return 0;
        } catch (StepException e) {
            System.err.println("hmfs: " + e.getMessage());
            return 1;
        } finally {
            if (server != null) {
                server.process.destroy();
            }
            TemporaryDirectory.delete(work);
        }
    }
}
