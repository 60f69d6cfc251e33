package io.hmfs.core.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: the killing table is about the code and the tests as they are, the page has all of it, and it has all of the code that
 * matters to a crash: each write-back, fence, compare-and-swap and ordered store of the engine, and each sync of the log. Method: each
 * row's text is looked up in its file, and in the page, its killer among the tests; each line with such a call is looked up in the
 * rows, and in the list of those that have none for a reason.
 */
final class KillTableTest {
    private static final Path EXEMPT = Path.of("src", "test", "kill", "without-row.txt");
    private static final Pattern CALL = Pattern.compile(
            "\\b(pmem|memory|index|stripe)\\.(persist|persistRead|writeBack|fence|cas8|cas16|setRelease|getAndAdd)\\("
                    + "|\\.force\\(|LogFiles\\.sync\\(|control\\.write\\(");

    @Test
    void eachRowIsAboutTheCodeAsItIs() throws IOException {
        List<Mutation> rows = Mutation.all();
        assertTrue(rows.size() > 300, "rows: " + rows.size());
        assertEquals(rows.size(), rows.stream().map(Mutation::name).distinct().count(), "two rows have one name");
        for (Mutation row : rows) {
            String source = Files.readString(row.source());
            assertEquals(
                    1,
                    row.text().matcher(source).results().count(),
                    () -> row.name() + ": how often its text is in " + row.file());
            assertFalse(row.apply().equals(source), () -> row.name() + " changes nothing");
        }
    }

    @Test
    void thePageHasEachRow() throws IOException {
        String page = Files.readString(KillTable.PAGE);
        for (Mutation row : Mutation.all()) {
            assertTrue(
                    page.contains("\n| " + row.name() + " | `" + row.where() + "` | " + row.paper() + " | "),
                    () -> row + " is not in the page");
        }
    }

    /** A test that was moved or renamed would be looked for in vain, and all others run instead. */
    @Test
    void eachKillerIsATestThatThereIs() throws IOException {
        for (Mutation row : Mutation.all()) {
            String killer = row.killer().replace(KillRun.GUESS, "").replace(KillRun.HANGS, "");
            assertTrue(
                    killer.isEmpty()
                            || killer.equals(KillRun.SURVIVES)
                            || !KillRow.selectors(killer).isEmpty(),
                    () -> row.name() + ": there is no " + killer);
        }
    }

    @Test
    void eachStepThatMattersToACrashHasARow() throws IOException {
        List<Mutation> rows = Mutation.all();
        Set<String> exempt = exempt();
        Set<String> needed = new LinkedHashSet<>();
        List<String> without = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Mutation.SOURCES)) {
            for (Path file : (Iterable<Path>)
                    files.filter(f -> f.toString().endsWith(".java")).sorted()::iterator) {
                String name = Mutation.SOURCES.relativize(file).toString();
                String source = Files.readString(file);
                for (Matcher call = CALL.matcher(source); call.find(); ) {
                    int begin = source.lastIndexOf('\n', call.start()) + 1;
                    int end = source.indexOf('\n', call.start());
                    String line = source.substring(begin, end).strip();
                    if (exempt.contains(name + " | " + line) || exempt.contains(name + " | *")) {
                        needed.add(name + " | " + line);
                        needed.add(name + " | *");
                    } else if (!line.startsWith("*")
                            && rows.stream().noneMatch(row -> takesOut(row, name, source, line, begin, end))) {
                        without.add(name + " | " + line);
                    }
                }
            }
        }
        assertEquals(List.of(), without, "calls without a row: write one, or say in " + EXEMPT + " why none is needed");
        exempt.removeAll(needed);
        assertEquals(Set.of(), exempt, "reasons for what is not there");
    }

    /** Whether a row's text covers the line, and what stands in its place has it no more. */
    private static boolean takesOut(Mutation row, String file, String source, String line, int begin, int end) {
        if (!row.file().equals(file)) {
            return false;
        }
        Matcher place = row.text().matcher(source);
        return place.find()
                && place.start() < end
                && place.end() > begin
                && !flat(row.replacement()).contains(flat(line));
    }

    private static String flat(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    /** "file | line", or "file | *" for all of it; the reason stands behind. */
    private static Set<String> exempt() throws IOException {
        Set<String> exempt = new LinkedHashSet<>();
        for (String line : Files.readAllLines(EXEMPT)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] parts = line.split(" \\| ", -1);
                assertEquals(3, parts.length, line);
                assertFalse(parts[2].isBlank(), line);
                exempt.add(parts[0] + " | " + parts[1]);
            }
        }
        return exempt;
    }
}
