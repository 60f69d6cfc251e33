package io.hmfs.core.kill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The table of docs/paper-map.md, between two marks, and the killers in the rows. */
final class KillTable {
    static final Path PAGE = Path.of("..", "docs", "paper-map.md");
    static final String BEGIN = "<!-- written by bin/dev kill -->\n";
    static final String END = "<!-- end -->\n";

    private KillTable() {}

    /** Writes what is known: a row that was not run keeps what was known of it. */
    static void write(List<Mutation> rows, Map<String, String> results) throws IOException {
        StringBuilder table = new StringBuilder("| taken out | where | paper | without it |\n|---|---|---|---|\n");
        String text = Files.readString(Mutation.ROWS);
        int alive = 0;
        int unknown = 0;
        for (Mutation row : rows) {
            String verdict = results.getOrDefault(row.name(), row.killer());
            boolean isKilled = verdict.contains("Test");
            alive += verdict.equals(KillRun.SURVIVES) ? 1 : 0;
            unknown += verdict.isEmpty() ? 1 : 0;
            table.append("| " + row.name() + " | `" + row.where() + "` | " + row.paper() + " | ")
                    .append(isKilled ? "`" + verdict + "`" : "**" + (verdict.isEmpty() ? "not run" : verdict) + "**")
                    .append(" |\n");
            text = text.replace(head(row, row.killer()), head(row, isKilled ? testClass(verdict) : verdict));
        }
        table.append("\n" + alive + " of " + rows.size() + " rows survive, " + unknown + " were not run.\n");
        Files.writeString(Mutation.ROWS, text);
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(page.indexOf(END)));
    }

    private static String head(Mutation row, String killer) {
        return "## " + row.name() + " | " + row.where() + " | " + row.paper() + " | " + killer + "\n";
    }

    /** dir.ChildListTest of dir.ChildListTest.aMethod. */
    private static String testClass(String verdict) {
        return verdict.substring(0, verdict.indexOf("Test") + "Test".length());
    }
}
