package io.hmfs.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** How much threads yield the processor to others, as the system tells: 0 as a rule, more for those that yield. */
public final class Niceness {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final int FIELD = 16; // of stat (proc_pid_stat(5)), counted from the first behind the name

    private Niceness() {}

    public static int ofThisThread() throws IOException {
        return of(Path.of("/proc/thread-self"));
    }

    /** Of all threads of this process, by name. */
    static Map<String, Integer> ofThreads() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        try (Stream<Path> threads = Files.list(THREADS)) {
            for (Path thread : threads.toList()) {
                try {
                    found.put(Files.readString(thread.resolve("comm")).strip(), of(thread));
                } catch (IOException e) {
                    // it has ended meanwhile
                }
            }
        }
        return found;
    }

    private static int of(Path thread) throws IOException {
        String line = Files.readString(thread.resolve("stat"));
        return Integer.parseInt(line.substring(line.lastIndexOf(')') + 2).split(" ", -1)[FIELD]);
    }
}
