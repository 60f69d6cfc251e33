package io.hmfs.trials.contract;

import io.hmfs.bench.peer.NameNode;
import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Hadoop's own programs, each in a JVM of its own, with HMFS as their default filesystem and jobs run by the local runner. */
public final class Hadoop {
    private static final int FETCH_SECONDS = 1200;
    private static final int RUN_SECONDS = 300;
    /** MapReduce, DistCp and HDFS. */
    static final String RUNTIME = "runtime";
    /** The client, and the contract tests of filesystems. */
    static final String CONTRACTS = "filesystem";
    /** The client alone, with a log. */
    static final String CLIENT = "client";

    /** These ask for {@code Subject.getSubject}, which JDK 24 and later refuse. */
    private static final Pattern WITH_GET_SUBJECT = Pattern.compile("3\\.3\\..*|3\\.4\\.[012]");

    private static final int WITHOUT_GET_SUBJECT = 24;

    private final Commands commands;
    private final Path conf;
    private final Path scratch;
    private final Path javaHome;
    private final String classPath;

    private Hadoop(Commands commands, Path scratch, Path javaHome, String classPath) throws IOException {
        this.commands = commands;
        this.scratch = Files.createDirectories(scratch);
        this.javaHome = javaHome;
        this.classPath = classPath;
        conf = Files.createDirectory(scratch.resolve("conf"));
    }

    /** Fetches them the first time: {@link #RUNTIME}, {@link #CONTRACTS} or {@link #CLIENT}, of the version that HMFS is built against, or another. */
    static Hadoop prepare(Commands commands, Path scratch, Path javaHome, String part, @Nullable String version)
            throws IOException, InterruptedException, StepException {
        List<String> script = new ArrayList<>();
        script.add(commands.home().resolve("bin/lib/contract-hadoop").toString());
        script.add(part);
        if (version != null) {
            script.add(version);
        }
        String path = commands.run("hadoop-fetch", commands.program(script), FETCH_SECONDS);
        return new Hadoop(commands, scratch, javaHome, path.strip());
    }

    /** Whether {@code what} cannot be run, for this version of Hadoop does not run on that Java; then it says so. */
    static boolean leftOut(String suite, String what, String version, Path javaHome) throws IOException {
        Properties release = new Properties();
        try (var in = Files.newInputStream(javaHome.resolve("release"))) {
            release.load(in);
        }
        String java = release.getProperty("JAVA_VERSION", "").replace("\"", "");
        if (Runtime.Version.parse(java).feature() < WITHOUT_GET_SUBJECT
                || !WITH_GET_SUBJECT.matcher(version).matches()) {
            return false;
        }
        System.out.printf(
                "%-10s left out. %s: Hadoop %s does not run on JDK %d and later%n",
                suite, what, version, WITHOUT_GET_SUBJECT);
        return true;
    }

    /** The same programs with more jars, and settings of their own. */
    Hadoop with(String jars, Path directory) throws IOException {
        return new Hadoop(commands, directory, javaHome, classPath + ":" + jars);
    }

    /** Of Hadoop, without HMFS. */
    String classPath() {
        return classPath;
    }

    /** Whether one of its jars has a class, named by its file. */
    boolean hasClass(String file) throws IOException {
        for (String jar : classPath.split(":", -1)) {
            if (jar.endsWith(".jar")) {
                try (ZipFile zip = new ZipFile(jar)) {
                    if (zip.getEntry(file) != null) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** The version that its own jars tell. */
    String version() throws IOException, StepException {
        for (String jar : classPath.split(":", -1)) {
            if (jar.endsWith(".jar")) {
                try (ZipFile zip = new ZipFile(jar)) {
                    ZipEntry told = zip.getEntry("common-version-info.properties");
                    if (told != null) {
                        Properties info = new Properties();
                        info.load(zip.getInputStream(told));
                        return info.getProperty("version", "");
                    }
                }
            }
        }
        throw new StepException("none of its jars tells a version of Hadoop: " + classPath);
    }

    /** Where its settings are. */
    Path conf() {
        return conf;
    }

    /** Says where the default filesystem is, and more settings by name and value; before the first {@link #run}. */
    void configure(String uri, String... more) throws IOException {
        List<String> settings = new ArrayList<>(List.of(
                "fs.defaultFS",
                uri,
                "fs.AbstractFileSystem.hmfs.impl",
                "io.hmfs.hadoop.HmfsFs",
                "hadoop.tmp.dir",
                scratch.resolve("tmp").toString()));
        settings.addAll(List.of(more));
        NameNode.write(conf.resolve("core-site.xml"), settings.toArray(new String[0]));
        NameNode.write(
                conf.resolve("mapred-site.xml"),
                "mapreduce.framework.name",
                "local",
                "mapreduce.local.map.tasks.maximum",
                "4");
        Files.writeString(conf.resolve("log4j.properties"), """
            log4j.rootLogger=INFO,err
            log4j.appender.err=org.apache.log4j.ConsoleAppender
            log4j.appender.err.target=System.err
            log4j.appender.err.layout=org.apache.log4j.PatternLayout
            log4j.appender.err.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
            """);
    }

    /** Runs a main class to its end; fails if its exit code is not 0. Returns what it printed and logged. */
    String run(String name, String main, String... arguments) throws IOException, InterruptedException, StepException {
        return runIn("1g", name, main, arguments);
    }

    /** The same with HMFS's jar behind all others on the class path. */
    String runBehind(String name, String main, String... arguments)
            throws IOException, InterruptedException, StepException {
        return launch(name, flags("1g"), conf + ":" + classPath + ":" + plugin(), main, arguments);
    }

    /** The same in a heap of this size. */
    String runIn(String heap, String name, String main, String... arguments)
            throws IOException, InterruptedException, StepException {
        return runPlain(name, flags(heap), main, arguments);
    }

    private static List<String> flags(String heap) {
        // Seconds of work: the optimising compiler would only take them from it. JDK 17 knows some of the others not
        // yet.
        return List.of(
                "-Xmx" + heap,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow");
    }

    /** The same with these flags of the JVM alone. */
    String runPlain(String name, List<String> flags, String main, String... arguments)
            throws IOException, InterruptedException, StepException {
        return launch(name, flags, conf + ":" + plugin() + ":" + classPath, main, arguments);
    }

    /** Runs a main class with nothing of Hadoop and HMFS but what is on this class path, in the directory {@code scratch}. */
    String runApart(String name, String path, String main, String... arguments)
            throws IOException, InterruptedException, StepException {
        return launch(name, flags("1g"), path, main, arguments);
    }

    private String launch(String name, List<String> flags, String path, String main, String... arguments)
            throws IOException, InterruptedException, StepException {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin/java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", path, main));
        command.addAll(List.of(arguments));
        ProcessBuilder program = commands.program(command).directory(scratch.toFile());
        program.environment().keySet().removeIf(each -> each.startsWith("HADOOP_") || each.startsWith("HDFS_"));
        String printed = commands.run(name, program, RUN_SECONDS);
        return printed + Files.readString(commands.log(name));
    }

    /** Compiles sources against it and HMFS's jar. */
    void compile(Path classes, Path... sources) throws IOException, InterruptedException, StepException {
        List<String> command = new ArrayList<>(List.of(
                javaHome.resolve("bin/javac").toString(),
                "-nowarn",
                "-d",
                classes.toString(),
                "-cp",
                plugin() + ":" + classPath));
        for (Path source : sources) {
            command.add(source.toString());
        }
        commands.run("javac", commands.program(command), RUN_SECONDS);
    }

    /** HMFS's jar, which is all of HMFS that these programs have. */
    Path plugin() throws IOException, StepException {
        return commands.pluginJar();
    }
}
