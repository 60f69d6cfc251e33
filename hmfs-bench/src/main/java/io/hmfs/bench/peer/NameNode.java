package io.hmfs.bench.peer;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * HDFS's NameNode as its makers ship it, in a JVM of its own on a new, empty image: its settings are the defaults, so an edit is on the
 * disk before its answer (hsync of the edit log, many edits to a sync). Empty files need no {@link DataNode}.
 */
public final class NameNode implements AutoCloseable {
    static final String MAIN = "org.apache.hadoop.hdfs.server.namenode.NameNode";
    private static final int START_SECONDS = 120;
    private static final int STOP_SECONDS = 30;

    private final Process process;
    private final int port;

    /** Formats and starts it, as the constructor does; it has symbolic links, which HDFS keeps switched off and has no setting for. */
    public static NameNode withLinks(String classPath, Path directory, List<String> flags, String... settings)
            throws IOException, InterruptedException {
        String ours = NameNode.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        return new NameNode(
                ownJava(), NameNodeWithLinks.class.getName(), classPath + ":" + ours, directory, flags, settings);
    }

    /**
     * Formats and starts it, and waits until it takes connections.
     *
     * @param classPath of HDFS, as {@code bin/lib/name-node} prints it
     * @param directory an empty one, where its image and edit log go
     * @param flags of its JVM
     * @param settings other than its defaults, by name and value
     */
    public NameNode(String classPath, Path directory, List<String> flags, String... settings)
            throws IOException, InterruptedException {
        this(ownJava(), MAIN, classPath, directory, flags, settings);
    }

    /** The same on another Java than that of this process: Hadoop before 3.4.3 does not run on JDK 24 and later. */
    public NameNode(Path javaHome, String classPath, Path directory, List<String> flags)
            throws IOException, InterruptedException {
        this(javaHome, MAIN, classPath, directory, flags, new String[0]);
    }

    private NameNode(
            Path javaHome, String main, String classPath, Path directory, List<String> flags, String[] settings)
            throws IOException, InterruptedException {
        port = freePort();
        Path conf = Files.createDirectory(directory.resolve("conf"));
        write(conf.resolve("core-site.xml"), "fs.defaultFS", "hdfs://127.0.0.1:" + port);
        write(
                conf.resolve("hdfs-site.xml"),
                with(
                        settings,
                        "dfs.namenode.name.dir",
                        directory.resolve("name").toUri().toString(),
                        "dfs.namenode.http-address",
                        "127.0.0.1:0"));
        Files.createDirectories(conf.resolve("webapps").resolve("hdfs")); // its pages, which are not in its jar
        logErrors(conf);
        Path out = directory.resolve("name-node.out");
        Process format = start(javaHome, MAIN, conf + ":" + classPath, out, flags, "-format", "-nonInteractive");
        if (format.waitFor() != 0) {
            throw new IOException("the NameNode could not be formatted: " + Files.readString(out));
        }
        process = start(javaHome, main, conf + ":" + classPath, out, flags);
        try {
            awaitConnections(out);
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** Some settings, and more of them. */
    static String[] with(String[] settings, String... more) {
        return Stream.concat(Arrays.stream(more), Arrays.stream(settings)).toArray(String[]::new);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Errors alone, to standard output. */
    static void logErrors(Path conf) throws IOException {
        Files.writeString(conf.resolve("log4j.properties"), """
                log4j.rootLogger=ERROR,out
                log4j.appender.out=org.apache.log4j.ConsoleAppender
                log4j.appender.out.layout=org.apache.log4j.SimpleLayout
                """);
    }

    /** A file of settings. */
    public static void write(Path file, String... namesAndValues) throws IOException {
        StringBuilder text = new StringBuilder("<configuration>\n");
        for (int i = 0; i < namesAndValues.length; i += 2) {
            text.append("<property><name>%s</name><value>%s</value></property>\n"
                    .formatted(namesAndValues[i], namesAndValues[i + 1]));
        }
        Files.writeString(file, text.append("</configuration>\n"));
    }

    /** The Java of this process. */
    static Path ownJava() {
        return Path.of(System.getProperty("java.home"));
    }

    static Process start(
            Path javaHome, String main, String classPath, Path out, List<String> flags, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin/java").toString());
        command.add("-XX:+IgnoreUnrecognizedVMOptions"); // JDK 17 knows some of these not yet
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("HADOOP_") || name.startsWith("HDFS_"));
        return builder.redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()))
                .start();
    }

    private void awaitConnections(Path out) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (process.isAlive() && System.nanoTime() < deadline) {
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (ConnectException e) {
                process.waitFor(100, TimeUnit.MILLISECONDS);
            }
        }
        throw new IOException("the NameNode did not start: " + Files.readString(out));
    }

    /** Its address for clients. */
    public String uri() {
        return "hdfs://127.0.0.1:" + port;
    }

    /** Where it listens, on the loopback address. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        end(process);
    }

    static void end(Process process) {
        process.destroy();
        try {
            process.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
