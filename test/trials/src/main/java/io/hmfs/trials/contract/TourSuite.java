package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ShippedSpark;
import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/** The tour of docs/hadoop.md, as it stands there: its blocks are run one after the other, and must print what the page says. */
final class TourSuite {
    private static final String SUITE = "tour";
    private static final int RUN_SECONDS = 600;
    private static final List<String> VERSIONS = List.of("3.5", "4.2");
    /** The address on the page. */
    private static final String ADDRESS = "hmfs://127.0.0.1:8930";
    /** Where the warehouse of the page is. */
    private static final String WAREHOUSE = "/user/hive/warehouse";

    private static final int TAIL = 1500;
    private static final String HIVE = "HiveWarehouse";
    /** With which Hive 4.0 was built. */
    private static final String HIVE_HADOOP = "3.3.6";

    private final Cases cases;
    private final Commands commands;
    private final Path javaHome;
    private final FileSystem files;
    private final String uri;
    private final Path scratch;
    private final String page;

    TourSuite(Cases cases, Commands commands, Path javaHome, FileSystem files, String uri, Path scratch)
            throws IOException {
        this.cases = cases;
        this.commands = commands;
        this.javaHome = javaHome;
        this.files = files;
        this.uri = uri;
        this.scratch = scratch;
        page = Files.readString(commands.home().resolve("docs/hadoop.md"));
    }

    /** With one version of Spark, or with each of the default ones that this Java can run. */
    void all(@Nullable String version) throws Exception {
        shell();
        hive();
        for (String each : version == null ? VERSIONS : List.of(version)) {
            spark(each);
        }
    }

    private void shell() throws Exception {
        Hadoop client = Hadoop.prepare(commands, scratch.resolve("hadoop"), javaHome, Hadoop.CLIENT, null);
        client.configure(uri);
        Files.writeString(scratch.resolve("hadoop/words.txt"), "one two three\n");
        cases.run(SUITE, "hadoop fs", () -> {
            String printed = "";
            for (String line : block("hadoop fs", "sh").lines().toList()) {
                List<String> words = List.of(line.split(" ", -1));
                Cases.requireEqual(List.of("hadoop", "fs"), words.subList(0, 2), "the command");
                printed = client.run(
                        "tour-shell",
                        "org.apache.hadoop.fs.FsShell",
                        words.subList(2, words.size()).toArray(new String[0]));
            }
            return requireLine("hadoop fs", printed);
        });
    }

    /** Hive's metastore in the process of its client; another process drops what the first has made. */
    private void hive() throws Exception {
        if (Hadoop.leftOut(SUITE, "Hive's metastore", HIVE_HADOOP, javaHome)) {
            return;
        }
        Path directory = Files.createDirectory(scratch.resolve("hive"));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        Hadoop hive = Hadoop.prepare(commands, directory.resolve("hadoop"), javaHome, "hive", HIVE_HADOOP);
        hive.compile(classes, commands.home().resolve("test/trials/contract/hive/" + HIVE + ".java"));
        Hadoop program = hive.with(classes.toString(), directory.resolve("program"));
        program.configure(uri);
        Files.writeString(program.conf().resolve("metastore-site.xml"), block("Hive's metastore", "xml"));
        cases.run(SUITE, "Hive's metastore, its warehouse on HMFS", () -> {
            String seen = requireLine("Hive's metastore", program.run("hive-make", HIVE, "make"));
            requireThere("/tour.db/words/day=monday");
            program.run("hive-drop", HIVE, "drop");
            Cases.require(!files.exists(path(WAREHOUSE + "/tour.db/words")), "a dropped table is in the warehouse");
            requireThere("/tour.db");
            return seen;
        });
    }

    private void spark(String version) throws Exception {
        Path directory = Files.createDirectory(scratch.resolve(version));
        ShippedSpark spark = ShippedSpark.prepare(commands, directory, version, javaHome);
        if (Hadoop.leftOut(SUITE, "Spark " + version, spark.hadoop(), javaHome)) {
            return;
        }
        String name = ", Spark " + version;
        cases.run(SUITE, "PySpark" + name, () -> {
            Path script = Files.writeString(directory.resolve("tour.py"), block("PySpark", "python"));
            return run(spark, "spark-submit", List.of(), List.of(script.toString()), "PySpark");
        });
        cases.run(SUITE, "spark-shell" + name, () -> {
            Path script = Files.writeString(directory.resolve("tour.scala"), block("spark-shell", "scala"));
            return run(spark, "spark-shell", List.of(), List.of("-i", script.toString()), "spark-shell");
        });
        cases.run(SUITE, "spark-sql, tables in a warehouse on HMFS" + name, () -> {
            files.delete(path(WAREHOUSE), true);
            Path script = Files.writeString(directory.resolve("tour.sql"), block("spark-sql", "sql"));
            List<String> warehouse = List.of("spark.sql.warehouse.dir=" + uri + WAREHOUSE);
            String seen = run(spark, "spark-sql", warehouse, List.of("-f", script.toString()), "spark-sql");
            requireThere("/tour/name=one");
            return seen;
        });
    }

    private String run(ShippedSpark spark, String script, List<String> settings, List<String> arguments, String heading)
            throws Exception {
        List<String> all = new ArrayList<>(settings);
        all.addAll(List.of("spark.master=local[2]", "spark.ui.enabled=false", "spark.sql.shuffle.partitions=4"));
        return requireLine(heading, commands.run(script, spark.script(uri, script, all, arguments), RUN_SECONDS));
    }

    private void requireThere(String table) throws IOException, StepException {
        Cases.require(files.exists(path(WAREHOUSE + table)), "the table is not in the warehouse");
    }

    /** What the page says that it prints must be a line of its own. */
    private String requireLine(String heading, String printed) throws StepException {
        String expected = block(heading, "text").strip();
        Cases.require(
                printed.lines().map(String::strip).anyMatch(expected::equals),
                "no line '" + expected + "' in: " + printed.substring(Math.max(0, printed.length() - TAIL)));
        return expected;
    }

    /** The block of this language below the tour's heading. */
    private String block(String heading, String language) throws StepException {
        String place = "\n### " + heading + "\n";
        int at = page.indexOf(place);
        Cases.require(at >= 0, "docs/hadoop.md has no heading " + heading);
        int end = page.indexOf("\n##", at + place.length());
        Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(page.substring(at, end < 0 ? page.length() : end));
        Cases.require(block.find(), "docs/hadoop.md has no block '" + language + "' below " + heading);
        return block.group(1).replace(ADDRESS, uri);
    }

    private static org.apache.hadoop.fs.Path path(String name) {
        return new org.apache.hadoop.fs.Path(name);
    }
}
