package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ShippedSpark;
import io.hmfs.bench.process.SparkJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/** Spark as its makers ship it, whose users add HMFS's jar and the README's four lines and nothing else. */
final class ShippedSuite {
    private static final String SUITE = "shipped";
    private static final List<String> VERSIONS = List.of("3.4", "3.5", "4.0", "4.2");
    private static final Pattern WARNING = Pattern.compile("WARNING: .*|\\S+ \\S+ (WARN|ERROR|FATAL) .*");

    private final Cases cases;
    private final Commands commands;
    private final Path javaHome;
    private final FileSystem files;
    private final String uri;
    private final Path scratch;

    ShippedSuite(Cases cases, Commands commands, Path javaHome, FileSystem files, String uri, Path scratch) {
        this.cases = cases;
        this.commands = commands;
        this.javaHome = javaHome;
        this.files = files;
        this.uri = uri;
        this.scratch = scratch;
    }

    /** With one version of Spark, or with all that this Java can run. */
    void all(@Nullable String version) throws Exception {
        for (String each : version == null ? VERSIONS : List.of(version)) {
            one(each);
        }
    }

    private void one(String version) throws Exception {
        Path directory = Files.createDirectory(scratch.resolve(version));
        Commands own = new Commands(
                commands.home(), Files.createDirectory(commands.logs().resolve("spark-" + version)));
        ShippedSpark spark = ShippedSpark.prepare(own, directory, version, javaHome);
        if (Hadoop.leftOut(SUITE, "Spark " + version, spark.hadoop(), javaHome)) {
            return;
        }
        String suite = "spark-" + version;
        SparkJob jobs = SparkJob.of(spark, own, directory.resolve("scratch"));
        new SparkSuite(suite, cases, own, jobs, files, uri).tables();
        cases.run(suite, "no warning in their logs names HMFS", () -> unblamed(own.logs(), spark.hadoop()));
    }

    private String unblamed(Path logs, String hadoop) throws Exception {
        String work = String.valueOf(scratch.getParent()); // has hmfs in its name
        int lines = 0;
        try (Stream<Path> all = Files.list(logs)) {
            for (Path log : all.toList()) {
                for (String line : Files.readAllLines(log)) {
                    lines++;
                    boolean named =
                            line.replace(work, "").toLowerCase(Locale.ROOT).contains("hmfs");
                    Cases.require(!named || !WARNING.matcher(line).matches(), log.getFileName() + ": " + line);
                }
            }
        }
        return lines + " lines, Hadoop " + hadoop;
    }
}
