package io.hmfs.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the jobs of {@code test/spark} in a Spark of its own, with {@code hmfs://} as its default filesystem. */
public final class SparkJob {
    private static final int FETCH_SECONDS = 1200;
    private static final int RUN_SECONDS = 240;

    /** Packages that Spark opens by reflection; the list of its JavaModuleOptions, which {@code spark-submit} would give. */
    private static final List<String> OPENS = List.of(
            "java.base/java.lang",
            "java.base/java.lang.invoke",
            "java.base/java.lang.reflect",
            "java.base/java.io",
            "java.base/java.net",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/jdk.internal.ref",
            "java.base/sun.nio.ch",
            "java.base/sun.nio.cs",
            "java.base/sun.security.action",
            "java.base/sun.util.calendar",
            "java.security.jgss/sun.security.krb5");

    private final Commands commands;
    private final Path scratch;
    private final Launcher launcher;

    /** How a Spark is started. */
    interface Launcher {
        /** A job of {@code io.hmfs.spark}, not yet started, with settings of Spark as {@code name=value}. */
        ProcessBuilder program(String uri, List<String> settings, String job, List<String> arguments)
                throws IOException, StepException;
    }

    private SparkJob(Commands commands, Path scratch, Launcher launcher) {
        this.commands = commands;
        this.scratch = scratch;
        this.launcher = launcher;
    }

    /** Builds the jobs, fetching Spark the first time. */
    public static SparkJob prepare(Commands commands, Path scratch, Path javaHome) throws Exception {
        return prepare(commands, scratch, javaHome, List.of());
    }

    /** The same with Iceberg, the newest Spark that this is made for, Delta's kernel, DistCp, and a version of Hadoop's client; null: HMFS's. */
    public static SparkJob withTools(Commands commands, Path scratch, Path javaHome, @Nullable String hadoop)
            throws Exception {
        return prepare(commands, scratch, javaHome, hadoop == null ? List.of("tools") : List.of("tools", hadoop));
    }

    /** The jobs in a Spark as its makers ship it. */
    public static SparkJob of(ShippedSpark spark, Commands commands, Path scratch) {
        return new SparkJob(commands, scratch, spark::job);
    }

    private static SparkJob prepare(Commands commands, Path scratch, Path javaHome, List<String> kind)
            throws Exception {
        List<String> script = new ArrayList<>(
                List.of(commands.home().resolve("bin/lib/spark-job").toString()));
        script.addAll(kind);
        String classPath = commands.run("spark-fetch", commands.program(script), FETCH_SECONDS)
                .strip();
        String all = commands.pluginJar() + ":" + classPath;
        return new SparkJob(
                commands,
                scratch,
                (uri, settings, job, arguments) ->
                        commands.program(java(javaHome, all, uri, settings, job, arguments)));
    }

    /** Counts the words of the inputs into a Parquet table; returns what the job printed. */
    public String count(String uri, String table, List<String> inputs) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("count", table));
        arguments.addAll(inputs);
        return run(uri, arguments);
    }

    /** Reads a table that {@link #count} wrote. */
    public String read(String uri, String table) throws Exception {
        return run(uri, List.of("read", table));
    }

    private String run(String uri, List<String> arguments) throws Exception {
        return commands.run("spark", program(uri, "local[2]", "WordCount", arguments), RUN_SECONDS);
    }

    /** Changes a table, {@code append} or {@code overwrite}; returns what the job printed. */
    public String tables(String uri, String change, String table) throws Exception {
        return commands.run("spark", program(uri, "local[2]", "Tables", List.of(change, table)), RUN_SECONDS);
    }

    /** The job of many tasks, not yet started. Spark tries a failed task again, so that one is no more than counted. */
    public ProcessBuilder manyTasks(String uri, String directory, int files, int rows, int stops)
            throws IOException, StepException {
        return program(uri, "local[2,4]", "ManyTasks", List.of(directory, "" + files, "" + rows, "" + stops))
                .redirectInput(ProcessBuilder.Redirect.PIPE);
    }

    /**
     * Jobs one after the other, as its standard input says: Commits, Plans or TimedTools; with these settings of filesystems by name and value. Not yet
     * started.
     */
    public ProcessBuilder jobs(String what, String uri, List<String> settings) throws IOException, StepException {
        List<String> properties = new ArrayList<>();
        for (int i = 0; i < settings.size(); i += 2) {
            properties.add("spark.hadoop." + settings.get(i) + "=" + settings.get(i + 1));
        }
        return program(uri, "local[2]", what, List.of(), properties).redirectInput(ProcessBuilder.Redirect.PIPE);
    }

    /** SQL on an Iceberg table in the catalog {@code hmfs}; not yet started. */
    public ProcessBuilder appends(String uri, List<String> arguments) throws IOException, StepException {
        return program(
                uri,
                "local[2]",
                "Appends",
                arguments,
                List.of(
                        "spark.sql.catalog.hmfs=org.apache.iceberg.spark.SparkCatalog",
                        "spark.sql.catalog.hmfs.type=hadoop",
                        "spark.sql.catalog.hmfs.warehouse=" + warehouse(uri)));
    }

    /** The same by Iceberg's catalog alone. */
    public ProcessBuilder tableCommits(String uri, String what, List<String> arguments)
            throws IOException, StepException {
        List<String> all = new ArrayList<>(List.of(what, warehouse(uri)));
        all.addAll(arguments);
        return program(uri, "local", "TableCommits", all);
    }

    private static String warehouse(String uri) {
        return uri + "/iceberg";
    }

    private ProcessBuilder program(String uri, String master, String job, List<String> arguments)
            throws IOException, StepException {
        return program(uri, master, job, arguments, List.of());
    }

    private ProcessBuilder program(
            String uri, String master, String job, List<String> arguments, List<String> properties)
            throws IOException, StepException {
        List<String> settings = new ArrayList<>(List.of(
                "spark.master=" + master,
                "spark.ui.enabled=false",
                "spark.driver.host=127.0.0.1",
                "spark.driver.bindAddress=127.0.0.1",
                "spark.sql.shuffle.partitions=4",
                "spark.sql.adaptive.enabled=false", // which would make one part of them
                "spark.local.dir=" + scratch,
                "spark.sql.warehouse.dir=" + scratch.resolve("warehouse")));
        settings.addAll(properties);
        Files.createDirectories(scratch);
        return launcher.program(uri, settings, job, arguments).directory(scratch.toFile());
    }

    private static List<String> java(
            Path home, String classPath, String uri, List<String> settings, String job, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin/java").toString());
        // Seconds of work: the optimising compiler would only take them from it.
        command.addAll(List.of("-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        // JDK 17 knows some of these not yet.
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("--sun-misc-unsafe-memory-access=allow"));
        for (String opened : OPENS) {
            command.add("--add-opens=" + opened + "=ALL-UNNAMED");
        }
        command.add("-Djdk.reflect.useDirectMethodHandle=false");
        command.add("-Dio.netty.tryReflectionSetAccessible=true");
        command.add("-Dspark.hadoop.fs.defaultFS=" + uri);
        for (String setting : settings) {
            command.add("-D" + setting);
        }
        command.addAll(List.of("-cp", classPath, "io.hmfs.spark." + job));
        command.addAll(arguments);
        return command;
    }
}
