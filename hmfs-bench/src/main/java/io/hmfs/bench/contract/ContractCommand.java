package io.hmfs.bench.contract;

import io.hmfs.bench.peer.DataNode;
import io.hmfs.bench.peer.NameNode;
import io.hmfs.bench.quickstart.Commands;
import io.hmfs.bench.quickstart.Quickstart;
import io.hmfs.bench.quickstart.ServerProcess;
import io.hmfs.bench.quickstart.SparkJob;
import io.hmfs.bench.quickstart.StepException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hmfs bench contract}. */
@Command(
        name = "contract",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs programs that others wrote over hmfs:// and looks at what they leave.",
        footer = {
            "",
            "Suites:",
            "  mapreduce   word counts, NNBenchWithoutMR and TestDFSIO of Hadoop's own tests, with the local runner",
            "  distcp      copies to and from a real HDFS, a NameNode and a DataNode, with checksums compared",
            "  spark       Parquet tables written, appended to, overwritten in part; 200 tasks; a job killed midway and run again",
            "",
            "The first run fetches Hadoop and Spark with Maven. The last line is \"N passed, N failed\"; exit code 0: none failed.",
            "",
            "Examples:",
            "  hmfs bench contract",
            "  hmfs bench contract mapreduce --java /usr/lib/jvm/java-17-openjdk-amd64",
            "  hmfs bench contract --quick",
        })
public final class ContractCommand implements Callable<Integer> {
    private static final String POOL_SIZE = "256M";
    private static final int COMMAND_SECONDS = 60;
    private static final List<String> FLAGS = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** What can be run alone. */
    enum Suite {
        MAPREDUCE,
        DISTCP,
        SPARK
    }

    @Parameters(
            paramLabel = "SUITE",
            arity = "0..*",
            description = "Those to run: ${COMPLETION-CANDIDATES} (default: all).")
    private @Nullable Set<Suite> suites;

    @Option(names = "--quick", description = "The part that bin/test runs: small loads, about a minute; without Spark.")
    private boolean quick;

    @Option(
            names = "--java",
            paramLabel = "HOME",
            description = "JDK of the programs, 17 or newer (default: the one that runs this).")
    private Path java = Path.of(System.getProperty("java.home"));

    @Option(names = "--keep", description = "Leave the logs, and say where.")
    private boolean keep;

    @Override
    public Integer call() throws Exception {
        Path work = Files.createTempDirectory("hmfs-contract-");
        Cases cases = new Cases(System.out);
        boolean passed = false;
        try {
            run(cases, work);
            passed = cases.report("Programs over hmfs://, on the Java at " + java);
        } catch (StepException e) {
            System.err.println("hmfs: " + e.getMessage());
        } finally {
            if (keep || !passed) {
                System.err.println("hmfs: the logs are in " + work.resolve("logs"));
            } else {
                Quickstart.delete(work);
            }
        }
        return passed ? 0 : 1;
    }

    private void run(Cases cases, Path work) throws Exception {
        Set<Suite> chosen = suites == null ? EnumSet.allOf(Suite.class) : suites;
        Commands commands = new Commands(
                Path.of(System.getProperty("hmfs.home", ".")), Files.createDirectory(work.resolve("logs")));
        Hadoop hadoop = Hadoop.prepare(commands, work.resolve("hadoop"), java);
        String pool = work.resolve("pool").toString();
        commands.run(
                "format",
                commands.hmfs("format", pool, "--size", POOL_SIZE, "--persistence", ServerProcess.PERSISTENCE),
                COMMAND_SECONDS);
        ServerProcess server = ServerProcess.start(commands, Path.of(pool), work.resolve("data"), 0);
        try (FileSystem hmfs = Cases.open(server.uri(), DistCpSuite.settings())) {
            hadoop.configure(server.uri());
            if (chosen.contains(Suite.MAPREDUCE)) {
                MapReduceSuite suite = new MapReduceSuite(cases, hadoop, hmfs);
                if (quick) {
                    suite.quick();
                } else {
                    suite.all();
                }
            }
            if (chosen.contains(Suite.DISTCP)) {
                distCp(cases, hadoop, hmfs, work);
            }
            if (chosen.contains(Suite.SPARK) && !quick) {
                SparkJob spark = SparkJob.prepare(commands, work.resolve("spark"), java);
                new SparkSuite(cases, commands, spark, hmfs, server.uri()).all();
            }
        } finally {
            server.destroy();
        }
    }

    private void distCp(Cases cases, Hadoop hadoop, FileSystem hmfs, Path work) throws Exception {
        Path name = Files.createDirectory(work.resolve("name-node"));
        Path data = Files.createDirectory(work.resolve("data-node"));
        try (NameNode nameNode = new NameNode(hadoop.classPath(), name, FLAGS);
                DataNode _ = new DataNode(hadoop.classPath(), nameNode, data, FLAGS);
                FileSystem hdfs = Cases.open(nameNode.uri(), DistCpSuite.settings())) {
            DistCpSuite suite = new DistCpSuite(cases, hadoop, hmfs, hdfs);
            if (quick) {
                suite.quick();
            } else {
                suite.all();
            }
        }
    }
}
