package io.hmfs.client;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The classes of servers that tests start by the hundred, each in a JVM of its own for a second or two. The first JVM that ends by
 * itself leaves an archive of what it has loaded, and the others start from that in half the processor time. A JVM archives no
 * classes that stand in directories, so each directory of the class path becomes a jar, named after the files in it: what was
 * compiled anew gets another jar, and so another archive.
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
        CRC32 name = new CRC32();
        name.update(classPath.getBytes(StandardCharsets.UTF_8));
        return List.of(
                "-XX:+AutoCreateSharedArchive",
                "-XX:SharedArchiveFile=" + KEPT.resolve(Long.toHexString(name.getValue()) + ".jsa"),
                "-Xlog:cds*=off", // what it leaves out of the archive, and why
                "-cp",
                classPath);
    }

    private static Path jarOf(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        CRC32 name = new CRC32();
        for (Path file : files) {
            name.update((file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file) + "\n")
                    .getBytes(StandardCharsets.UTF_8));
        }
        Path jar = KEPT.resolve(Long.toHexString(name.getValue()) + ".jar");
        if (Files.exists(jar)) {
            return jar;
        }
        Path part = Files.createTempFile(KEPT, "part", null);
        try {
            try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(part))) {
                out.setLevel(0); // read more often than written
                for (Path file : files) {
                    out.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
                    Files.copy(file, out);
                }
            }
            Files.createLink(jar, part);
        } catch (FileAlreadyExistsException e) {
            return jar; // another JVM's, which must stay: its archive knows the time when it was written
        } finally {
            Files.delete(part);
        }
        return jar;
    }
}
