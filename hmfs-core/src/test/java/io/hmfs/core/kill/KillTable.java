package io.hmfs.core.kill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of docs/paper-map.md, between two marks, and the killers in the rows. */
final class KillTable {
    static final Path PAGE = Path.of("..", "docs", "paper-map.md");
    static final String BEGIN = "<!-- written by bin/dev kill -->\n";
    static final String END = "<!-- end -->\n";
    private static final String HEAD = "| taken out | where | paper | without it |\n|---|---|---|---|\n";

    private KillTable() {}

    /** Writes what is known: a row that was not run keeps what was known of it. */
    static void write(List<Mutation> rows, Map<String, String> results) throws IOException {
        StringBuilder table = new StringBuilder();
        String text = Files.readString(Mutation.ROWS);
        String section = "";
        int alive = 0;
        int unknown = 0;
        for (Mutation row : rows) {
            if (!row.section().equals(section) || table.isEmpty()) {
                section = row.section();
                table.append(table.isEmpty() ? "" : "\n")
                        .append("### ")
                        .append(section)
                        .append("\n\n")
                        .append(HEAD);
            }
            String verdict = results.getOrDefault(row.name(), row.killer());
            boolean isKnown = verdict.equals(KillRun.SURVIVES)
                    || (verdict.contains("Test") && !verdict.startsWith(KillRun.GUESS));
            alive += verdict.equals(KillRun.SURVIVES) ? 1 : 0;
            unknown += isKnown ? 0 : 1;
            table.append(line(row, isKnown ? verdict : "not run"));
            Matcher head = Pattern.compile("(?m)^## " + Pattern.quote(row.name()) + " \\|.*\n")
                    .matcher(text);
            text = head.replaceFirst(Matcher.quoteReplacement(row.head(verdict)));
        }
        table.append("\n" + rows.size() + " rows: " + (rows.size() - alive - unknown) + " killed, " + alive
                + " survive, " + unknown + " not run.\n");
        Files.writeString(Mutation.ROWS, text);
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(page.indexOf(END)));
    }

    private static String line(Mutation row, String verdict) {
        boolean isKilled = verdict.contains("Test");
        String shown = isKilled ? "`" + verdict + "`" : "**" + verdict + "**";
        String reason = verdict.equals(KillRun.SURVIVES) && !row.reason().isEmpty() ? ": " + row.reason() : "";
        return "| " + row.name() + " | `" + row.where() + "` | " + row.paper() + " | " + shown + reason + " |\n";
    }

    /** dir.ChildListTest of dir.ChildListTest.aMethod [3] a case. */
    static String testClass(String verdict) {
        String test = verdict.replace(KillRun.HANGS, "");
        return test.substring(0, test.indexOf("Test") + "Test".length());
    }
}
