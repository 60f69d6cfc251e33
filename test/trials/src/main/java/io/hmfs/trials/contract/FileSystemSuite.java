package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Hadoop's contract tests of filesystems, of the version that is asked for: those up to 3.4 are tests of JUnit 4, later ones of JUnit 5. */
final class FileSystemSuite {
    private static final String SUITE = "filesystem";
    private static final String PACKAGE = "io/hmfs/hadoop/";
    private static final String BASE = "HmfsContracts";
    private static final String ALONE = "HmfsPathHandleContract";
    private static final Pattern IMPORT = Pattern.compile("import org\\.apache\\.hadoop\\.fs\\.contract\\.(\\w+);");
    private static final String JUNIT = "org.junit.platform.console.ConsoleLauncher";

    /** Of those that ran one test class. */
    private record Count(int passed, int leftOut) {}

    private final Cases cases;
    private final Commands commands;
    private final Hadoop hadoop;
    private final boolean junit4;
    private final String uri;
    private final Path classes;
    private final Path reports;

    FileSystemSuite(Cases cases, Commands commands, Hadoop hadoop, boolean junit4, String uri, Path scratch)
            throws IOException {
        this.cases = cases;
        this.commands = commands;
        this.hadoop = hadoop;
        this.junit4 = junit4;
        this.uri = uri;
        this.classes = Files.createDirectories(scratch.resolve("classes"));
        this.reports = scratch.resolve("reports");
    }

    void all() throws InterruptedException {
        cases.run(SUITE, "Hadoop's contract tests", this::contracts);
    }

    private String contracts() throws Exception {
        Path sources = commands.home().resolve("hmfs-hadoop/src/test/java/" + PACKAGE);
        Path alone = junit4 ? commands.home().resolve("test/trials/contract/junit4") : sources;
        Path base = Files.createDirectories(reports).resolve(BASE + ".java");
        Files.writeString(base, bindable(Files.readString(sources.resolve(BASE + ".java"))));
        hadoop.compile(classes, base, alone.resolve(ALONE + ".java"));
        List<String> names = tests();
        List<String> arguments = new ArrayList<>(List.of(
                "execute", "--disable-banner", "--disable-ansi-colors", "--fail-if-no-tests", "--details=none"));
        arguments.add("--reports-dir=" + reports);
        names.forEach(name -> arguments.add("--select-class=" + name));
        Path claims = commands.home().resolve("hmfs-hadoop/src/test/resources");
        hadoop.with(classes + ":" + claims, reports.resolve("hadoop"))
                .runPlain(
                        "contracts",
                        List.of("-Xmx1g", "-Dhmfs.contract.address=" + uri),
                        JUNIT,
                        arguments.toArray(new String[0]));
        Map<String, Count> counts = counts();
        int passed = 0;
        int leftOut = 0;
        for (String name : names) {
            Count count = counts.getOrDefault(name, new Count(0, 0));
            Cases.require(count.passed > 0, "no test of " + name + " passed");
            passed += count.passed;
            leftOut += count.leftOut;
        }
        return "%d classes: %d tests passed, %d not claimed".formatted(names.size(), passed, leftOut);
    }

    /** The source without the classes that bind a contract test which this Hadoop does not have yet. */
    private String bindable(String source) throws IOException {
        String left = source;
        Matcher imported = IMPORT.matcher(source);
        while (imported.find()) {
            String test = imported.group(1);
            if (!hadoop.hasClass("org/apache/hadoop/fs/contract/" + test + ".class")) {
                left = left.replace(imported.group(), "")
                        .replaceFirst(
                                "(?ms)^    public static (?:final )?class \\w+ extends " + test + " \\{.*?^    }\\R",
                                "");
            }
        }
        return left;
    }

    /** The classes that bind a contract test. */
    private List<String> tests() throws IOException {
        try (Stream<Path> compiled = Files.list(classes.resolve(PACKAGE))) {
            return compiled.map(file -> file.getFileName().toString().replace(".class", ""))
                    .filter(name -> name.equals(ALONE) || name.startsWith(BASE + "$"))
                    .filter(name -> !name.equals(BASE + "$Contract"))
                    .map(name -> PACKAGE.replace('/', '.') + name)
                    .sorted()
                    .toList();
        }
    }

    /** By class, from JUnit's reports; a failure is its exit code already. */
    private Map<String, Count> counts() throws Exception {
        Map<String, Count> counts = new TreeMap<>();
        for (String engine : new String[] {"jupiter", "vintage"}) {
            NodeList tests = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(reports.resolve("TEST-junit-" + engine + ".xml").toFile())
                    .getElementsByTagName("testcase");
            for (int i = 0; i < tests.getLength(); i++) {
                Element test = (Element) tests.item(i);
                boolean leftOut = test.getElementsByTagName("skipped").getLength() > 0;
                counts.merge(
                        test.getAttribute("classname"),
                        leftOut ? new Count(0, 1) : new Count(1, 0),
                        (a, b) -> new Count(a.passed + b.passed, a.leftOut + b.leftOut));
            }
        }
        return counts;
    }
}
