package io.hmfs.client;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The classes of servers that tests start by the hundred, each in a JVM of its own for a second or two. The first JVM that ends by
 * itself leaves an archive of what it has loaded, and the others start from that in half the processor time. A JVM archives no
 * classes that stand in directories, so each directory of the class path becomes a jar.
 */
public final class ChildClasses {
    /** In the directory of the module, where its tests run. */
    private static final Path KEPT = Path.of("target", "children").toAbsolutePath();

    private ChildClasses() {}

    /** What a JVM from 19 on is started with, to have the class path of this one. */
    public static List<String> flags() throws IOException {
        Files.createDirectories(KEPT);
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                .split(File.pathSeparator, -1)) {
            // An empty entry is the directory where the tests run, with all that they make.
            boolean directory = !entry.isEmpty() && Files.isDirectory(Path.of(entry));
            jars.add(directory ? jarOf(Path.of(entry)).toString() : entry);
        }
        String classPath = String.join(File.pathSeparator, jars);
        return List.of(
                "-XX:+AutoCreateSharedArchive",
                "-XX:SharedArchiveFile=" + KEPT.resolve(Long.toHexString(sum(classPath)) + ".jsa"),
                "-Xlog:cds*=off", // what it leaves out of the archive, and why
                "-cp",
                classPath);
    }

    /**
     * Of a directory whose files have changed the jar is made anew. It has another time then, and a JVM uses no archive of a jar that had
     * another one; nor does it make one in its place, so the archives go.
     */
    private static Path jarOf(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        StringBuilder held = new StringBuilder();
        for (Path file : files) {
            held.append(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file) + "\n");
        }
        long sum = sum(held.toString());
        Path jar = KEPT.resolve(Long.toHexString(sum(directory.toString())) + ".jar");
        // Two JVMs that make the same jar at once give it the same time, of those that each filesystem knows.
        FileTime time = FileTime.from(sum >>> 1, TimeUnit.SECONDS);
        if (Files.exists(jar) && Files.getLastModifiedTime(jar).equals(time)) {
            return jar;
        }
        try (DirectoryStream<Path> archives = Files.newDirectoryStream(KEPT, "*.jsa")) {
            for (Path archive : archives) {
                Files.deleteIfExists(archive);
            }
        }
        Path part = Files.createTempFile(KEPT, "part", null);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(part))) {
            out.setLevel(0); // read more often than written
            for (Path file : files) {
                out.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        Files.setLastModifiedTime(part, time);
        return Files.move(part, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private static long sum(String text) {
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        return sum.getValue();
    }
}
