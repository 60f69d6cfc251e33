package io.hmfs.trials.contract;

import io.hmfs.bench.peer.DataNode;
import io.hmfs.bench.peer.NameNode;
import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ServerProcess;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import io.hmfs.bench.process.TemporaryDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
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
            "  client      a program with hadoop-client-api and hadoop-client-runtime of each Hadoop from 3.3.1 on, or of"
                    + " the one that --hadoop says: no warning in its log",
            "  mapreduce   word counts, NNBenchWithoutMR and TestDFSIO of Hadoop's own tests, with the local runner",
            "  distcp      copies to and from a real HDFS, a NameNode and a DataNode, with checksums compared; and"
                    + " that HDFS as data store",
            "  warnings    Hadoop's shell in a JVM without flags, which must have nothing to say about HMFS's jar",
            "  filesystem  Hadoop's own contract tests of filesystems, of the Hadoop that --hadoop says",
            "  spark       Parquet tables written, appended to, overwritten in part; 200 tasks; a job killed midway"
                    + " and run again",
            "  shipped     Spark 3.4, 3.5, 4.0 and 4.2 as their makers ship them (PyPI's pyspark, with its own Hadoop"
                    + " client), with HMFS's jar and the README's lines alone",
            "  tour        the tour of docs/hadoop.md, as it stands there, with Spark 3.5 and 4.2 from PyPI",
            "  tools       avro-tools, orc-tools and parquet-cli: a file of each format written and read back",
            "  recovery    HBase's recovery of a lease, Flink's recoverable writer over hdfs:// and viewfs:// that are"
                    + " mapped onto HMFS",
            "  iceberg     two Sparks that append to one table of Iceberg's HadoopCatalog at once, also while the"
                    + " server is killed",
            "  s3          Hadoop's shell over an HMFS whose data lies on an S3 server, versitygw, reached by S3A; Go"
                    + " builds it",
            "  rados       an HMFS whose data lies in a Ceph cluster of one monitor and one OSD; needs ceph-mon and"
                    + " ceph-osd",
            "",
            "The first run fetches Hadoop, Spark, Iceberg and S3A with Maven, and pyspark with pip. The last line is \"N passed, N failed\";"
                    + " exit code 0: none failed.",
            "",
            "Examples:",
            "  hmfs bench contract",
            "  hmfs bench contract client --java /usr/lib/jvm/java-17-openjdk-amd64",
            "  hmfs bench contract mapreduce --java /usr/lib/jvm/java-17-openjdk-amd64",
            "  hmfs bench contract filesystem --hadoop 3.4.3",
            "  hmfs bench contract --quick",
        })
public final class ContractCommand implements Callable<Integer> {
    private static final String POOL_SIZE = "256M";
    private static final int COMMAND_SECONDS = 60;
    private static final int FETCH_SECONDS = 1200;
    private static final List<String> FLAGS = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** What can be run alone. */
    enum Suite {
        CLIENT,
        MAPREDUCE,
        DISTCP,
        WARNINGS,
        FILESYSTEM,
        SPARK,
        SHIPPED,
        TOUR,
        TOOLS,
        RECOVERY,
        ICEBERG,
        S3,
        RADOS
    }

    @Parameters(
            paramLabel = "SUITE",
            arity = "0..*",
            description =
                    "Those to run: client, mapreduce, distcp, warnings, filesystem, spark, shipped, tour, tools, recovery, iceberg, s3, rados (default: all).")
    private @Nullable Set<Suite> suites;

    @Option(
            names = "--quick",
            description = "The part that bin/test runs, of client, mapreduce, distcp and warnings: small loads, about a"
                    + " minute.")
    private boolean quick;

    @Option(
            names = "--java",
            paramLabel = "HOME",
            description = "JDK of the programs, 17 or newer (default: the one that runs this).")
    private Path java = Path.of(System.getProperty("java.home"));

    @Option(
            names = "--hadoop",
            paramLabel = "VERSION",
            description =
                    "Hadoop of client, mapreduce, distcp and its HDFS, warnings, filesystem, recovery and iceberg (default: the one that"
                            + " HMFS is built against).")
    private @Nullable String hadoopVersion;

    @Option(
            names = "--spark",
            paramLabel = "VERSION",
            description =
                    "Spark of shipped and tour: 3.4, 3.5, 4.0, 4.2, or a whole version (default: these four, and for tour"
                            + " 3.5 and 4.2).")
    private @Nullable String sparkVersion;

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
                TemporaryDirectory.delete(work);
            }
        }
        return passed ? 0 : 1;
    }

    private void run(Cases cases, Path work) throws Exception {
        Set<Suite> chosen = suites == null ? EnumSet.allOf(Suite.class) : suites;
        Commands commands = new Commands(
                Path.of(System.getProperty("hmfs.home", ".")), Files.createDirectory(work.resolve("logs")));
        if (chosen.contains(Suite.CLIENT)) {
            withServer(commands, work.resolve("client"), (_, uri, directory) -> {
                new ClientSuite(cases, commands, java, uri, directory).all(hadoopVersion);
            });
        }
        if (chosen.contains(Suite.SHIPPED) && !quick) {
            withServer(commands, work.resolve("shipped"), (hmfs, uri, directory) -> {
                new ShippedSuite(cases, commands, java, hmfs, uri, directory).all(sparkVersion);
            });
        }
        if (chosen.contains(Suite.TOUR) && !quick) {
            withServer(commands, work.resolve("tour"), (hmfs, uri, directory) -> {
                new TourSuite(cases, commands, java, hmfs, uri, directory).all(sparkVersion);
            });
        }
        if (chosen.contains(Suite.TOOLS) && !quick) {
            withServer(commands, work.resolve("tools"), (hmfs, uri, directory) -> {
                new ToolsSuite(cases, commands, java, hmfs, uri, directory).all();
            });
        }
        if (chosen.contains(Suite.RECOVERY) && !quick) {
            withServer(commands, work.resolve("recovery"), (hmfs, uri, directory) -> {
                new RecoverySuite(cases, commands, java, hmfs, uri, directory).all(hadoopVersion);
            });
        }
        if (EnumSet.of(Suite.CLIENT, Suite.SHIPPED, Suite.TOUR, Suite.TOOLS, Suite.RECOVERY)
                .containsAll(chosen)) {
            return;
        }
        Hadoop hadoop = Hadoop.prepare(commands, work.resolve("hadoop"), java, Hadoop.RUNTIME, hadoopVersion);
        if (chosen.contains(Suite.S3) && !quick) {
            s3(cases, commands, hadoop, work);
        }
        if (chosen.contains(Suite.RADOS) && !quick) {
            rados(cases, commands, hadoop, work, suites != null);
        }
        if (chosen.contains(Suite.ICEBERG) && !quick) {
            iceberg(cases, commands, work);
        }
        if (Collections.disjoint(
                chosen, EnumSet.of(Suite.MAPREDUCE, Suite.DISTCP, Suite.WARNINGS, Suite.FILESYSTEM, Suite.SPARK))) {
            return;
        }
        Path pool = format(commands, work.resolve("pool"));
        ServerProcess server = ServerProcess.start(commands, pool, work.resolve("data"), 0);
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
                distCp(cases, commands, hadoop, hmfs, work);
            }
            if (chosen.contains(Suite.WARNINGS)) {
                new WarningsSuite(cases, hadoop, work).all();
            }
            if (chosen.contains(Suite.FILESYSTEM) && !quick) {
                fileSystem(cases, commands, server.uri(), work);
            }
            if (chosen.contains(Suite.SPARK) && !quick) {
                SparkJob spark = SparkJob.prepare(commands, work.resolve("spark"), java);
                new SparkSuite("spark", cases, commands, spark, hmfs, server.uri()).all();
            }
        } finally {
            server.destroy();
        }
    }

    private static Path format(Commands commands, Path pool) throws Exception {
        commands.run(
                "format",
                commands.hmfs(
                        "format", pool.toString(), "--size", POOL_SIZE, "--persistence", ServerProcess.PERSISTENCE),
                COMMAND_SECONDS);
        return pool;
    }

    /** A suite with a server of its own. */
    private interface Served {
        void run(FileSystem hmfs, String uri, Path directory) throws Exception;
    }

    private static void withServer(Commands commands, Path work, Served suite) throws Exception {
        Path directory = Files.createDirectory(work);
        Path pool = format(commands, directory.resolve("pool"));
        ServerProcess server = ServerProcess.start(commands, pool, directory.resolve("data"), 0);
        try (FileSystem hmfs = Cases.open(server.uri())) {
            suite.run(hmfs, server.uri(), directory);
        } finally {
            server.destroy();
        }
    }

    private void fileSystem(Cases cases, Commands commands, String uri, Path work) throws Exception {
        Path directory = Files.createDirectory(work.resolve("filesystem"));
        Hadoop client = Hadoop.prepare(commands, directory.resolve("hadoop"), java, Hadoop.CONTRACTS, hadoopVersion);
        boolean junit4 = hadoopVersion != null && !hadoopVersion.startsWith("3.5.");
        new FileSystemSuite(cases, commands, client, junit4, uri, directory).all();
    }

    private void iceberg(Cases cases, Commands commands, Path work) throws Exception {
        Path directory = Files.createDirectory(work.resolve("iceberg"));
        SparkJob spark = SparkJob.withTools(commands, directory.resolve("spark"), java, hadoopVersion);
        Path pool = format(commands, directory.resolve("pool"));
        IcebergSuite suite = new IcebergSuite(cases, commands, spark, pool, directory.resolve("data"));
        try {
            suite.all();
        } finally {
            suite.destroy();
        }
    }

    private static void s3(Cases cases, Commands commands, Hadoop hadoop, Path work) throws Exception {
        Path script = commands.home().resolve("bin/lib/contract-s3");
        List<String> fetched = commands.run("s3-fetch", commands.program(List.of(script.toString())), FETCH_SECONDS)
                .lines()
                .toList();
        Path directory = Files.createDirectory(work.resolve("s3"));
        Path pool = format(commands, directory.resolve("pool"));
        try (S3Server s3 =
                new S3Server(Path.of(fetched.get(0)), directory.resolve("objects"), commands.log("versitygw"))) {
            ServerProcess server = ServerProcess.start(
                    commands, pool, 0, "--data-store", s3.uri(), "--block-size", "" + S3Suite.BLOCK);
            try {
                Hadoop programs = hadoop.with(fetched.get(1), directory.resolve("hadoop"));
                programs.configure(server.uri(), s3.settings());
                new S3Suite(cases, programs, s3, directory).all();
            } finally {
                server.destroy();
            }
        }
    }

    private static void rados(Cases cases, Commands commands, Hadoop hadoop, Path work, boolean wanted)
            throws Exception {
        List<String> missing = CephCluster.missing();
        if (!missing.isEmpty()) {
            String what = "Ceph's programs are not installed: " + String.join(", ", missing)
                    + "; Debian's packages ceph-mon and ceph-osd have them";
            if (wanted) {
                throw new StepException(what);
            }
            System.out.println("rados      left out. " + what);
            return;
        }
        Path directory = Files.createDirectory(work.resolve("rados"));
        Path pool = format(commands, directory.resolve("pool"));
        try (CephCluster ceph = new CephCluster(commands, directory.resolve("ceph"))) {
            ServerProcess server = ServerProcess.start(
                    commands, pool, 0, "--data-store", RadosSuite.store(), "--block-size", "" + RadosSuite.BLOCK);
            try (FileSystem hmfs = Cases.open(server.uri(), RadosSuite.settings(ceph))) {
                Hadoop programs = hadoop.with(System.getProperty("java.class.path"), directory.resolve("hadoop"));
                programs.configure(server.uri(), RadosSuite.settings(ceph));
                new RadosSuite(cases, commands, programs, ceph, server.uri(), hmfs, directory).all();
            } finally {
                server.destroy();
            }
        }
    }

    private void distCp(Cases cases, Commands commands, Hadoop hadoop, FileSystem hmfs, Path work) throws Exception {
        Path name = Files.createDirectory(work.resolve("name-node"));
        Path data = Files.createDirectory(work.resolve("data-node"));
        try (NameNode nameNode = new NameNode(java, hadoop.classPath(), name, FLAGS);
                DataNode _ = new DataNode(java, hadoop.classPath(), nameNode, data, FLAGS);
                FileSystem hdfs = Cases.open(nameNode.uri(), DistCpSuite.settings())) {
            DistCpSuite suite = new DistCpSuite(cases, hadoop, hmfs, hdfs);
            if (quick) {
                suite.quick();
            } else {
                suite.all();
                hdfsStore(cases, commands, hdfs, work);
            }
        }
    }

    private static void hdfsStore(Cases cases, Commands commands, FileSystem hdfs, Path work) throws Exception {
        Path directory = Files.createDirectory(work.resolve("hdfs-store"));
        org.apache.hadoop.fs.Path root = hdfs.makeQualified(new org.apache.hadoop.fs.Path("/hmfs"));
        ServerProcess server = ServerProcess.start(
                commands,
                format(commands, directory.resolve("pool")),
                0,
                "--data-store",
                root.toString(),
                "--block-size",
                "" + HdfsStoreSuite.BLOCK);
        try {
            new HdfsStoreSuite(cases, server.uri(), hdfs, root).all();
        } finally {
            server.destroy();
        }
    }
}
