package io.hmfs.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts other programs, with their output in a log file. */
public final class Commands {
    /** What may stand beside a module's jar. */
    private static final List<String> OTHERS = List.of("-tests.jar", "-sources.jar", "-thin.jar");

    private static final int TAIL_LINES = 15;

    private final Path home;
    private final Path logs;

    /**
     * @param home top of the HMFS tree, with {@code bin/hmfs}
     * @param logs directory for the logs
     */
    public Commands(Path home, Path logs) {
        this.home = home;
        this.logs = logs;
    }

    public Path home() {
        return home;
    }

    /** The directory of the logs. */
    public Path logs() {
        return logs;
    }

    /** The log of the program called {@code name}. */
    public Path log(String name) {
        return logs.resolve(name + ".log");
    }

    /** The shaded Hadoop plugin. */
    public Path pluginJar() throws IOException, StepException {
        Path target = home.resolve("hmfs-hadoop/target");
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "hmfs-hadoop*.jar")) {
            for (Path jar : jars) {
                String name = jar.getFileName().toString();
                if (OTHERS.stream().noneMatch(name::endsWith)) {
                    return jar;
                }
            }
        }
        throw new StepException(target + " holds no hmfs-hadoop jar");
    }

    /** {@code bin/hmfs} with arguments, not yet started; it runs on the Java that runs this. */
    public ProcessBuilder hmfs(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin/hmfs").toString());
        command.addAll(List.of(arguments));
        return program(command);
    }

    /** Any program, not yet started. */
    public ProcessBuilder program(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("HMFS_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().keySet().removeIf(Commands::isSetting);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        return builder;
    }

    /** Settings of a server that the user may have in the environment must not leak into this one. */
    private static boolean isSetting(String variable) {
        return variable.startsWith("HMFS_")
                && !variable.equals("HMFS_JAVA_HOME")
                && !variable.equals("HMFS_JDK_DIRS")
                && !variable.equals("HMFS_DEBUG");
    }

    /** Runs it to its end and returns its standard output; fails with the end of its log if it fails or takes too long. */
    public String run(String name, ProcessBuilder builder, int timeoutSeconds)
            throws IOException, InterruptedException, StepException {
        Path out = logs.resolve(name + ".out");
        Path log = log(name);
        Process process = builder.redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        try {
            if (!process.waitFor(timeoutSeconds, TimeUnit.SECONDS)) {
                throw new StepException(name + " did not end within " + timeoutSeconds + " s" + tail(log));
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new StepException(name + " ended with exit code " + process.exitValue() + tail(out) + tail(log));
        }
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    /** The last lines of a log, each on a line of its own, for messages. */
    public static String tail(Path log) throws IOException {
        if (!Files.exists(log)) {
            return "";
        }
        List<String> lines;
        try (var all = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            lines = all.toList();
        }
        StringBuilder tail = new StringBuilder();
        for (String line : lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size())) {
            tail.append(System.lineSeparator()).append("    ").append(line);
        }
        return tail.toString();
    }
}
