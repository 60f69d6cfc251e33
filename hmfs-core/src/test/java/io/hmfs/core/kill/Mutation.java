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
 * @param section the heading above it in the table
 * @param name the step, and what of it
 * @param where the method, as the table shows it
 * @param paper the section it comes from
 * @param killer the test that failed without it last time, to be tried first; empty if none is known
 * @param reason why nothing notices, and why it stays; empty for nearly all
 * @param file below the main sources of io.hmfs.core
 */
record Mutation(
        String section,
        String name,
        String where,
        String paper,
        String killer,
        String reason,
        String file,
        String old,
        String replacement) {
    static final Path ROWS = Path.of("src", "test", "kill", "rows.txt");
    static final Path SOURCES = Path.of("src", "main", "java", "io", "hmfs", "core");
    private static final Pattern ROW = Pattern.compile(
            "^# == ([^\n]*)$|^## ([^\n]*)\n(\\S+)\n<<<\n(.*?)\n===\n(.*?)\n?>>>$", Pattern.MULTILINE | Pattern.DOTALL);

    static List<Mutation> all() throws IOException {
        List<Mutation> all = new ArrayList<>();
        String section = "";
        for (Matcher row = ROW.matcher(Files.readString(ROWS)); row.find(); ) {
            if (row.group(1) != null) {
                section = row.group(1).strip();
                continue;
            }
            String[] head = row.group(2).split("\\|", -1);
            all.add(new Mutation(
                    section,
                    head[0].strip(),
                    head[1].strip(),
                    head[2].strip(),
                    head[3].strip(),
                    head.length > 4 ? head[4].strip() : "",
                    row.group(3),
                    row.group(4),
                    row.group(5)));
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
    Pattern text() {
        StringBuilder pattern = new StringBuilder();
        for (String word : old.strip().split("\\s+", -1)) {
            pattern.append(pattern.isEmpty() ? "" : "\\s+").append(Pattern.quote(word));
        }
        return Pattern.compile(pattern.toString());
    }

    /** Its first line in the list of rows, with this killer. */
    String head(String killed) {
        return "## " + name + " | " + where + " | " + paper + " | " + killed + (reason.isEmpty() ? "" : " | " + reason)
                + "\n";
    }
}
