package io.hmfs.bench.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Spark as its makers ship it, with its own Hadoop client, started by its own scripts. What it knows of HMFS are the four lines that the
 * README has for {@code spark-defaults.conf}.
 */
public final class ShippedSpark {
    private static final int FETCH_SECONDS = 1800;
    private static final Pattern README_LINES =
            Pattern.compile("^`spark-defaults\\.conf`:\\s+```\\n(.*?)```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final String README_ADDRESS = "hmfs://127.0.0.1:8930";
    private static final Pattern README_JAR = Pattern.compile("/opt/hmfs/hmfs-hadoop-\\S+\\.jar");
    private static final Pattern HADOOP_JAR = Pattern.compile("hadoop-client-api-(.*)\\.jar");

    private final Commands commands;
    private final Path scratch;
    private final Path home;
    private final Path jobs;
    private final Path javaHome;

    private ShippedSpark(Commands commands, Path scratch, Path home, Path jobs, Path javaHome) {
        this.commands = commands;
        this.scratch = scratch;
        this.home = home;
        this.jobs = jobs;
        this.javaHome = javaHome;
    }

    /** Fetches it the first time; {@code version} as 3.5 or 3.5.9, {@code javaHome} null: the newest JDK that it runs on. */
    public static ShippedSpark prepare(Commands commands, Path scratch, String version, @Nullable Path javaHome)
            throws IOException, InterruptedException, StepException {
        String script = commands.home().resolve("bin/lib/spark-shipped").toString();
        List<String> lines = commands.run("spark-fetch", commands.program(List.of(script, version)), FETCH_SECONDS)
                .lines()
                .toList();
        return new ShippedSpark(
                commands,
                scratch,
                Path.of(lines.get(0)),
                Path.of(lines.get(1)),
                javaHome == null ? Path.of(lines.get(2)) : javaHome);
    }

    /** The version of the Hadoop client that it carries. */
    public String hadoop() throws IOException, StepException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(home.resolve("jars"))) {
            for (Path jar : jars) {
                Matcher named = HADOOP_JAR.matcher(jar.getFileName().toString());
                if (named.matches()) {
                    return named.group(1);
                }
            }
        }
        throw new StepException(home + " has no hadoop-client-api");
    }

    /** A job of {@code io.hmfs.spark}, not yet started. */
    ProcessBuilder job(String uri, List<String> settings, String job, List<String> arguments)
            throws IOException, StepException {
        List<String> rest = new ArrayList<>(List.of("--class", "io.hmfs.spark." + job, jobs.toString()));
        rest.addAll(arguments);
        return script(uri, "spark-submit", settings, rest);
    }

    /** One of its scripts, with settings of Spark as {@code name=value}; not yet started. */
    public ProcessBuilder script(String uri, String script, List<String> settings, List<String> arguments)
            throws IOException, StepException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve(script).toString());
        // Seconds of work: the optimising compiler would only take them from it.
        command.addAll(List.of("--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"));
        for (String setting : settings) {
            command.addAll(List.of("--conf", setting));
        }
        command.addAll(arguments);
        Path conf = Files.createDirectories(scratch.resolve("conf"));
        Files.writeString(conf.resolve("spark-defaults.conf"), readmeLines(uri));
        ProcessBuilder program = commands.program(command);
        program.environment().keySet().removeIf(ShippedSpark::isSetting);
        program.environment().put("SPARK_CONF_DIR", conf.toString());
        program.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        program.environment().put("JAVA_HOME", javaHome.toString());
        return program.directory(scratch.toFile());
    }

    /** What the user's environment says of another Spark or Hadoop must not leak into this one. */
    private static boolean isSetting(String variable) {
        return variable.startsWith("SPARK_")
                || variable.startsWith("PYSPARK_")
                || variable.startsWith("HADOOP_")
                || variable.startsWith("JAVA_");
    }

    /** The README's lines for this jar and this server. */
    private String readmeLines(String uri) throws IOException, StepException {
        Matcher lines = README_LINES.matcher(Files.readString(commands.home().resolve("README.md")));
        if (!lines.find()) {
            throw new StepException("README.md has no lines for spark-defaults.conf");
        }
        String jar =
                Matcher.quoteReplacement(commands.pluginJar().toAbsolutePath().toString());
        return README_JAR.matcher(lines.group(1)).replaceFirst(jar).replace(README_ADDRESS, uri);
    }
}
