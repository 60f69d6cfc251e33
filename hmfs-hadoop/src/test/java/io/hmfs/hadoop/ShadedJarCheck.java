package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the one jar brings nothing that could clash with a cluster's own classes, and needs nothing but Hadoop's
 * client.
 * Method: its table of contents is read, and commands of FsShell run in a JVM with that jar, hadoop-client-api and -runtime,
 * and a core-site.xml that names the server.
 */
class ShadedJarCheck {
    private static final Path JAR = Path.of(System.getProperty("hmfs.test.jar", "no -Dhmfs.test.jar"));

    private static final Path THIN = Path.of(JAR.toString().replaceFirst("\\.jar$", "-thin.jar"));

    /** What the thin jar needs: the client's classes, or its jar, and Netty's. */
    private static final Pattern CLIENT =
            Pattern.compile("classes|hmfs-client-.*\\.jar|netty-(buffer|common)-[0-9].*\\.jar|lz4-java-.*\\.jar");

    /** What hadoop-client-runtime brings along besides itself, and nothing else. */
    private static final Pattern HADOOP = Pattern.compile(
            "(hadoop-client-api|hadoop-client-runtime|slf4j-api|commons-logging|snappy-java|jsr305|reload4j)-[0-9].*\\.jar");

    @Test
    void everything_in_the_jar_is_below_io_hmfs_or_says_how_to_find_it() throws IOException {
        TreeSet<String> outside = new TreeSet<>();
        int classes = 0;
        int relocated = 0;
        try (JarFile jar = new JarFile(JAR.toFile())) {
            for (var entries = jar.entries(); entries.hasMoreElements(); ) {
                var entry = entries.nextElement();
                if (entry.isDirectory()) {
                    continue;
                }
                classes += entry.getName().endsWith(".class") ? 1 : 0;
                relocated += entry.getName().startsWith("io/hmfs/shaded/io/netty/") ? 1 : 0;
                if (!entry.getName().startsWith("io/hmfs/")) {
                    outside.add(entry.getName());
                }
            }
            assertEquals(
                    "io.hmfs.hadoop.HmfsFileSystem",
                    new String(
                                    jar.getInputStream(
                                                    jar.getEntry("META-INF/services/org.apache.hadoop.fs.FileSystem"))
                                            .readAllBytes(),
                                    StandardCharsets.UTF_8)
                            .trim());
        }
        outside.removeIf(name -> name.startsWith("META-INF/maven/io.hmfs/"));
        assertEquals(
                new TreeSet<>(List.of(
                        "META-INF/MANIFEST.MF",
                        "META-INF/services/io.hmfs.client.gc.ObjectStoreProvider",
                        "META-INF/services/org.apache.hadoop.fs.FileSystem",
                        "hmfs-classes-3.3.6.xml",
                        "hmfs-classes-3.4.1.xml",
                        "hmfs-classes.xml",
                        "hmfs-default.xml")),
                outside);
        assertTrue(classes > 500 && relocated > 500, classes + " classes, " + relocated + " relocated");
    }

    @Test
    void no_class_speaks_of_a_name_that_was_not_relocated() throws IOException {
        Pattern leftover = Pattern.compile("(?<!io/hmfs/shaded/)(io/netty/|net/jpountz/)|org/agrona/");
        List<String> found = new ArrayList<>();
        try (JarFile jar = new JarFile(JAR.toFile())) {
            for (var entries = jar.entries(); entries.hasMoreElements(); ) {
                var entry = entries.nextElement();
                if (entry.getName().endsWith(".class")) {
                    String text = new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.ISO_8859_1);
                    if (leftover.matcher(text).find()) {
                        found.add(entry.getName());
                    }
                }
            }
        }
        assertEquals(List.of(), found);
    }

    @Test
    void the_shell_runs_with_nothing_but_this_jar_and_hadoops_client(@TempDir Path local) throws Exception {
        putsAndGets(local, List.of(JAR));
    }

    @Test
    void the_shell_runs_with_the_thin_jar_the_client_netty_and_hadoops_client(@TempDir Path local) throws Exception {
        try (JarFile jar = new JarFile(THIN.toFile())) {
            List<String> others = jar.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.endsWith(".class") && !name.startsWith("io/hmfs/hadoop/"))
                    .toList();
            assertEquals(List.of(), others);
        }
        List<Path> jars = new ArrayList<>(List.of(THIN));
        jars.addAll(onClassPath(
                entry -> CLIENT.matcher(entry.getFileName().toString()).matches()
                        && !entry.toString().contains("hmfs-hadoop")));
        putsAndGets(local, jars);
    }

    private static void putsAndGets(Path local, List<Path> jars) throws Exception {
        byte[] data = OwnDirectory.bytes(1, 1_500_000);
        Path source = Files.write(local.resolve("source"), data);
        String remote = "/jar-" + System.nanoTime();
        Files.writeString(
                local.resolve("core-site.xml"),
                "<configuration><property><name>fs.defaultFS</name><value>"
                        + TestServerProcess.shared().uri() + "</value></property></configuration>");
        List<String> many = new ArrayList<>(List.of("-touchz"));
        for (int i = 0; i < 50; i++) { // a listing that is compressed
            many.add(remote + "-d/file-" + i);
        }
        shell(local, jars, List.of(List.of("-put", source.toString(), remote)));
        String said = shell(
                local,
                jars,
                List.of(
                        List.of("-get", remote, local.resolve("copy").toString()),
                        List.of("-rm", "-skipTrash", remote),
                        List.of("-mkdir", remote + "-d"),
                        many,
                        List.of("-ls", remote + "-d"),
                        List.of("-rm", "-r", "-skipTrash", remote + "-d")));
        assertTrue(said.contains("Found 50 items"), said);
        assertEquals(-1, Files.mismatch(source, local.resolve("copy")));
    }

    private static List<Path> onClassPath(Predicate<Path> wanted) {
        return Arrays.stream(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                        .split(File.pathSeparator))
                .map(Path::of)
                .filter(wanted)
                .toList();
    }

    /** In one JVM; returns what it said. Its class path has besides these jars and Hadoop's one class of the tests, which hands it the commands. */
    private static String shell(Path local, List<Path> jars, List<List<String>> commands) throws Exception {
        String name = ShellLines.class.getName();
        Path own = local.resolve(name.replace('.', '/') + ".class");
        Files.createDirectories(own.getParent());
        try (InputStream in = ShellLines.class.getResourceAsStream("ShellLines.class")) {
            Files.copy(in, own, StandardCopyOption.REPLACE_EXISTING);
        }
        List<Path> classPath = new ArrayList<>(List.of(local));
        classPath.addAll(jars);
        classPath.addAll(onClassPath(
                entry -> HADOOP.matcher(entry.getFileName().toString()).matches()));
        Path lines = Files.write(
                local.resolve("commands"),
                commands.stream().map(each -> String.join("\t", each)).toList());
        Path log = local.resolve("shell.log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                        name)
                .redirectInput(lines.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the shell hangs");
        String said = Files.readString(log);
        assertEquals(0, process.exitValue(), said);
        return said;
    }
}
