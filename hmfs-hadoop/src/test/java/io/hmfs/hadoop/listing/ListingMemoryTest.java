package io.hmfs.hadoop.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.hadoop.ManyFiles;
import io.hmfs.hadoop.OwnDirectory;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a listing that is iterated over takes no more memory for a large directory than for a small one. Method: a
 * JVM whose heap holds Hadoop and a few pages, and not the entries of the directory: listStatus, which holds them
 * all, fails in it.
 */
@Tag("one-jdk")
class ListingMemoryTest extends OwnDirectory {
    private static final int ENTRIES = 200_000;
    private static final String HEAP = "-Xmx32m";
    private static final int OUT_OF_MEMORY = 3; // the exit code with ExitOnOutOfMemoryError

    /** Lists in that JVM. Arguments: how, and the directory. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws IOException {
            URI uri = URI.create(arguments[1]);
            Path path = new Path(uri);
            Configuration conf = new Configuration();
            FileSystem files = FileSystem.newInstance(uri, conf);
            RemoteIterator<? extends FileStatus> listing = switch (arguments[0]) {
                case "all" -> RemoteIterators.remoteIteratorFromArray(files.listStatus(path));
                case "pages" -> files.listStatusIterator(path);
                case "located" -> files.listLocatedStatus(path);
                case "tree" -> files.listFiles(path, true);
                case "context" -> FileContext.getFileContext(uri, conf).listStatus(path);
                default -> throw new IllegalArgumentException(arguments[0]);
            };
            long entries = 0;
            while (listing.hasNext()) {
                listing.next();
                entries++;
            }
            System.out.println(entries);
            files.close();
        }
    }

    private String lists(String how) throws Exception {
        Process process = new ProcessBuilder(
                        java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString(),
                        HEAP,
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName(),
                        how,
                        fs.makeQualified(directory).toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        return exit == 0 ? out.lines().reduce("", (first, last) -> last) : "exit " + exit;
    }

    @Test
    void iterating_takes_no_memory_for_each_entry() throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            names.add("file-" + i);
        }
        ManyFiles.make(fs, directory, names);
        for (String how : List.of("pages", "located", "tree", "context")) {
            assertEquals(Integer.toString(ENTRIES), lists(how), how);
        }
        assertEquals("exit " + OUT_OF_MEMORY, lists("all"), "the heap is small enough to tell");
    }
}
