package io.hmfs.trials.contract;

import io.hmfs.bench.peer.NameNode;
import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * That one jar of HMFS runs with each Hadoop from the oldest on: a program has hadoop-client-api and hadoop-client-runtime of one version, HMFS's
 * jar before or behind them, and no setting but {@code fs.defaultFS}. It finds the interfaces that its Hadoop has, and its log has no warning.
 */
final class ClientSuite {
    private static final String SUITE = "client";
    private static final String PROGRAM = "ClientProgram";
    /** The oldest, those that Spark 3.4, 3.5 and 4 carry, and the last of each line. */
    private static final List<String> VERSIONS = List.of("3.3.1", "3.3.4", "3.3.6", "3.4.1", "3.4.3", "3.5.0");

    private static final Pattern WARNING = Pattern.compile("SLF4J: .*|\\S+ \\S+ (WARN|ERROR|FATAL) .*");
    /** Hadoop says on each start that it found no native library of its own. */
    private static final String OWN_WARNING = " NativeCodeLoader: ";

    private final Cases cases;
    private final Commands commands;
    private final Path javaHome;
    private final String uri;
    private final Path scratch;

    ClientSuite(Cases cases, Commands commands, Path javaHome, String uri, Path scratch) {
        this.cases = cases;
        this.commands = commands;
        this.javaHome = javaHome;
        this.uri = uri;
        this.scratch = scratch;
    }

    /** With one version of Hadoop, or with all that this Java can run. */
    void all(@Nullable String version) throws IOException, InterruptedException {
        for (String each : version == null ? VERSIONS : List.of(version)) {
            if (!Hadoop.leftOut(SUITE, "a client", each, javaHome)) {
                one(each);
            }
        }
    }

    private void one(String version) throws InterruptedException {
        cases.run(SUITE, "a program with the client of Hadoop " + version, () -> run(version));
    }

    private String run(String version) throws Exception {
        Path directory = Files.createDirectory(scratch.resolve(version));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        Hadoop client = Hadoop.prepare(commands, directory.resolve("hadoop"), javaHome, Hadoop.CLIENT, version);
        client.compile(classes, commands.home().resolve("test/trials/contract/client/" + PROGRAM + ".java"));
        Hadoop program = client.with(classes.toString(), directory.resolve("program"));
        program.configure(uri);
        NameNode.write(program.conf().resolve("core-site.xml"), "fs.defaultFS", uri);
        String seen = seen(program.run(SUITE + "-" + version, PROGRAM));
        String behind = seen(program.runBehind(SUITE + "-behind-" + version, PROGRAM));
        Cases.require(seen.equals(behind), "with HMFS's jar behind Hadoop's: " + behind + ", before them: " + seen);
        return seen;
    }

    /** The line that the program prints; fails on a warning in its log. */
    private static String seen(String printed) throws StepException {
        String seen = "";
        for (String line : printed.lines().toList()) {
            Cases.require(!WARNING.matcher(line).matches() || line.contains(OWN_WARNING), line);
            if (line.startsWith("Hadoop ")) {
                seen = line;
            }
        }
        return seen;
    }
}
