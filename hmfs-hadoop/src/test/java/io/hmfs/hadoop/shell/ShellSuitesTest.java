package io.hmfs.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.cli.util.ComparatorBase;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: HDFS's users find every command of the shell as they know it, to the letter of its output.
 * Method: the cases of HDFS's own command line suites, of Hadoop's and some of ours, on a server of their own,
 * compared by Hadoop's comparators; hdfs:// is read as hmfs://. Commands of dfsadmin that any filesystem may have are
 * {@link AdminCommands}. Cases that cannot end as in HDFS are run too, and must not.
 */
class ShellSuitesTest {
    /** Unpacked by the build. */
    private static final Path SUITES = Path.of("target", "shell-suites").toAbsolutePath();

    /** Ours. */
    private static final String MORE = "testMoreConf.xml";

    private static final List<String> ALL = List.of(
            "testHDFSConf.xml",
            "testXAttrConf.xml",
            "testDeleteConf.xml",
            "testAclCLI.xml",
            "testAclCLIWithPosixAclInheritance.xml",
            "testConf.xml",
            MORE);

    private static final Differences DIFFERENCES = new Differences();
    private static final Pattern ARGUMENT = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    @SuppressWarnings("NullAway.Init")
    private static TestServerProcess server;

    /** The files that the cases put, and where they get others to. */
    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path scratch;

    @BeforeAll
    static void start() throws IOException {
        for (String each : List.of("data15bytes", "data30bytes", "data60bytes", "data120bytes", "data1k")) {
            Files.copy(SUITES.resolve(each), scratch.resolve(each));
        }
        server = TestServerProcess.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Configuration configuration() {
        Configuration conf = new Configuration();
        conf.set("fs.defaultFS", server.uri().toString());
        return conf;
    }

    @TestFactory
    Stream<DynamicTest> hdfs() throws IOException {
        return suite("testHDFSConf.xml", configuration());
    }

    @TestFactory
    Stream<DynamicTest> xattrs() throws IOException {
        return suite("testXAttrConf.xml", configuration());
    }

    @TestFactory
    Stream<DynamicTest> safe_delete() throws IOException {
        Configuration conf = configuration();
        conf.setLong("hadoop.shell.safely.delete.limit.num.files", 5);
        return suite("testDeleteConf.xml", conf);
    }

    @TestFactory
    Stream<DynamicTest> acls() throws IOException {
        return suite("testAclCLI.xml", configuration());
    }

    /** A configuration with HDFS's default, by which the umask counts for nothing below a default ACL. */
    @TestFactory
    Stream<DynamicTest> inherited_acls() throws IOException {
        return suite("testAclCLIWithPosixAclInheritance.xml", configuration());
    }

    /** Hadoop's own: the help of every command. */
    @TestFactory
    Stream<DynamicTest> hadoop() throws IOException {
        return suite("testConf.xml", configuration());
    }

    @TestFactory
    Stream<DynamicTest> more() throws IOException {
        return suite(MORE, configuration());
    }

    /** What a case is about is its last command, whose output is compared, or the one before, whose work that shows. */
    @Test
    void no_command_of_the_shell_is_without_a_case() throws IOException {
        Set<String> missing = new TreeSet<>(Commands.names());
        for (String suite : ALL) {
            for (ShellCase each : ShellCase.read(file(suite))) {
                List<ShellCase.Command> commands = each.commands();
                if (each.isForAll() && DIFFERENCES.reason(suite, each.number()) == null) {
                    commands.subList(Math.max(0, commands.size() - 2), commands.size())
                            .forEach(command -> missing.remove(command.name()));
                }
            }
        }
        assertEquals(Set.of(), missing, "write a case into src/test/resources/shell/" + MORE);
    }

    /** The commands that the shell has. */
    private static final class Commands extends FsShell {
        static Collection<String> names() throws IOException {
            Commands shell = new Commands();
            shell.setConf(configuration());
            shell.init();
            return Stream.of(shell.commandFactory.getNames())
                    .map(name -> name.replaceFirst("^-", ""))
                    .toList();
        }
    }

    private static Path file(String suite) {
        return suite.equals(MORE) ? Path.of("src", "test", "resources", "shell", MORE) : SUITES.resolve(suite);
    }

    /** On an empty filesystem; one case may build on what those before it have left. */
    private static Stream<DynamicTest> suite(String name, Configuration conf) throws IOException {
        FileSystem files = FileSystem.get(server.uri(), conf);
        for (FileStatus each : files.listStatus(new org.apache.hadoop.fs.Path("/"))) {
            files.delete(each.getPath(), true);
        }
        return ShellCase.read(file(name)).stream()
                .filter(ShellCase::isForAll)
                .map(each -> each.with(ShellSuitesTest::expanded))
                .map(each -> dynamicTest(each.number() + " " + each.description(), () -> {
                    String reason = DIFFERENCES.reason(name, each.number());
                    if (reason == null) {
                        run(each, conf);
                    } else {
                        assertThrows(
                                AssertionError.class,
                                () -> run(each, conf),
                                "passes, and is in differences.txt because " + reason);
                    }
                }));
    }

    private static String expanded(String text) {
        return text.replace("NAMENODE", server.uri().toString())
                .replace("CLITEST_DATA", scratch.toUri().toString().replaceAll("/$", ""))
                .replace("USERNAME", System.getProperty("user.name"))
                .replace("#LF#", System.lineSeparator())
                .replace("hdfs:/", "hmfs:/")
                .replace("hdfs:\\/", "hmfs:\\/");
    }

    private static void run(ShellCase test, Configuration conf) throws Exception {
        try {
            ShellRun last = new ShellRun(0, "");
            for (ShellCase.Command command : test.commands()) {
                awaitNextMillisecond();
                last = execute(command, conf);
            }
            ShellRun ended = last;
            assertAll(test.expected().stream().map(each -> () -> compare(each, ended.output(), ended.code())));
        } finally {
            for (ShellCase.Command command : test.cleanup()) {
                execute(command, conf);
            }
        }
    }

    /**
     * Times are shown and sorted by milliseconds: what one command makes is to be older than what the next one does.
     */
    private static void awaitNextMillisecond() {
        long now = System.currentTimeMillis();
        while (System.currentTimeMillis() == now) {
            Thread.onSpinWait();
        }
    }

    private static void compare(ShellCase.Expectation expected, String output, int code) throws Exception {
        ComparatorBase comparator = Class.forName("org.apache.hadoop.cli.util." + expected.comparator())
                .asSubclass(ComparatorBase.class)
                .getDeclaredConstructor()
                .newInstance();
        assertTrue(
                comparator.compare(output, expected.output()),
                () -> expected.comparator() + " of\n" + expected.output() + "\nfound\n" + output);
        if (expected.exitCode() != -1) {
            assertEquals(expected.exitCode(), code, output);
        }
    }

    private static ShellRun execute(ShellCase.Command command, Configuration conf) throws Exception {
        Tool tool = command.tool().equals("command") ? new HmfsShell() : new AdminCommands(conf);
        return ShellRun.of(tool, conf, arguments(command.line()));
    }

    private static String[] arguments(String line) {
        List<String> arguments = new ArrayList<>();
        for (Matcher each = ARGUMENT.matcher(line); each.find(); ) {
            String quoted = each.group(1) != null ? each.group(1) : each.group(2);
            arguments.add(quoted != null ? quoted : each.group(3));
        }
        return arguments.toArray(new String[0]);
    }
}
