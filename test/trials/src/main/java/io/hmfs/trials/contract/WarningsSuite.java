package io.hmfs.trials.contract;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** That a JVM has nothing to say about HMFS's jar: no use of {@code sun.misc.Unsafe}, no native code that has to be allowed. */
final class WarningsSuite {
    private static final String SUITE = "warnings";
    private static final String SHELL = "org.apache.hadoop.fs.FsShell";
    /** Hadoop's own look-up of groups loads a native library, and of such calls a JVM tells the first one only. */
    private static final String GROUPS =
            "-Dhadoop.security.group.mapping=org.apache.hadoop.security.ShellBasedUnixGroupsMapping";

    private final Cases cases;
    private final Hadoop hadoop;
    private final Path scratch;

    WarningsSuite(Cases cases, Hadoop hadoop, Path scratch) {
        this.cases = cases;
        this.hadoop = hadoop;
        this.scratch = scratch;
    }

    void all() throws InterruptedException {
        cases.run(SUITE, "Hadoop's shell in a JVM without flags", () -> shell("default", List.of()));
        cases.run(
                SUITE,
                "the same, each use of Unsafe told",
                () -> shell(
                        "debug", List.of("-XX:+IgnoreUnrecognizedVMOptions", "--sun-misc-unsafe-memory-access=debug")));
    }

    private String shell(String name, List<String> flags) throws Exception {
        Path file = Files.writeString(scratch.resolve("warnings-" + name), "what was put\n");
        String top = "/warnings-" + name;
        run(name, flags, "-mkdir", "-p", top);
        run(name, flags, "-put", file.toString(), top + "/file");
        String read = run(name, flags, "-cat", top + "/file");
        Cases.require(read.contains("what was put"), "-cat printed " + read);
        run(name, flags, "-rm", "-r", "-skipTrash", top);
        return "no warning of the JVM";
    }

    private String run(String name, List<String> flags, String... arguments)
            throws IOException, InterruptedException, StepException {
        String[] all = new String[arguments.length + 1];
        all[0] = GROUPS;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        String printed = hadoop.runPlain("warnings-" + name, flags, SHELL, all);
        for (String line : printed.lines().toList()) {
            Cases.require(!line.startsWith("WARNING:"), arguments[0] + ": " + line);
        }
        return printed;
    }

    /** The same for a log of a JVM that has other jars too: no line blames HMFS. */
    static void requireNoBlame(Path log, Path plugin) throws IOException, StepException {
        String jar = String.valueOf(plugin.getFileName());
        for (String line : Files.readAllLines(log)) {
            boolean blamed = line.contains(jar) || line.contains("io.hmfs.");
            Cases.require(!line.startsWith("WARNING:") || !blamed, line);
        }
    }
}
