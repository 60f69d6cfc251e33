package io.hmfs.core.kill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One row of the killing table: a thing that is taken out of a source file.
 *
 * @param name the step, and what of it
 * @param where the method, as the table shows it
 * @param paper the section it comes from
 * @param killer the test that failed without it last time, to be tried first; empty if none is known
 * @param file below the main sources of io.hmfs.core
 */
record Mutation(String name, String where, String paper, String killer, String file, String old, String replacement) {
    static final Path ROWS = Path.of("src", "test", "kill", "rows.txt");
    private static final Path SOURCES = Path.of("src", "main", "java", "io", "hmfs", "core");
    private static final Pattern ROW =
            Pattern.compile("^## ([^\n]*)\n(\\S+)\n<<<\n(.*?)\n===\n(.*?)\n?>>>$", Pattern.MULTILINE | Pattern.DOTALL);

    static List<Mutation> all() throws IOException {
        List<Mutation> all = new ArrayList<>();
        for (Matcher row = ROW.matcher(Files.readString(ROWS)); row.find(); ) {
            String[] head = row.group(1).split("\\|", -1);
            all.add(new Mutation(
                    head[0].strip(),
                    head[1].strip(),
                    head[2].strip(),
                    head[3].strip(),
                    row.group(2),
                    row.group(3),
                    row.group(4)));
        }
        return all;
    }

    Path source() {
        return SOURCES.resolve(file);
    }

    /** The file with the thing taken out, at its first place; empty if the text is not there. */
    String apply() throws IOException {
        String source = Files.readString(source());
        Matcher place = text().matcher(source);
        return place.find() ? source.substring(0, place.start()) + replacement + source.substring(place.end()) : "";
    }

    /** Any space between words stands for any other: formatting does not count. */
    private Pattern text() {
        StringBuilder pattern = new StringBuilder();
        for (String word : old.strip().split("\\s+", -1)) {
            pattern.append(pattern.isEmpty() ? "" : "\\s+").append(Pattern.quote(word));
        }
        return Pattern.compile(pattern.toString());
    }
}
