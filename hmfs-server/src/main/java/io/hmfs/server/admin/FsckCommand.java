package io.hmfs.server.admin;

import io.hmfs.core.Hmfs;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hmfs fsck}. */
@Command(
        name = "fsck",
        description = "Check a pool that no process has open, and repair it if asked to.",
        sortOptions = false,
        exitCodeOnInvalidInput = FsckCommand.WRONG_USAGE,
        exitCodeOnExecutionException = FsckCommand.NOT_CHECKED,
        footer = {
            "",
            "Exit code: 0 sound, 1 damage repaired, 4 damage left, 5 both, 8 not checked, 16 wrong usage.",
            "What a crash left half done is no damage: the next start of a server settles it.",
            "",
            "Examples:",
            "  hmfs fsck /mnt/pmem0/hmfs.pool             look, and change nothing",
            "  hmfs fsck /mnt/pmem0/hmfs.pool --repair    put right what can be; copy the pool before",
            "  hmfs fsck hmfs.pool --json                 for programs"
        })
final class FsckCommand implements Callable<Integer> {
    static final int REPAIRED = 1;
    static final int DAMAGED = 4;
    static final int NOT_CHECKED = 8;
    static final int WRONG_USAGE = 16;

    private static final int SHOWN_MAX = 50;

    @Parameters(paramLabel = "POOL", description = "The pool.")
    private Path pool = Path.of("");

    @Option(
            names = "--repair",
            description = "Put right what the pool itself tells how to; what belongs nowhere goes to /lost+found.")
    private boolean repair;

    @Option(names = "--json", description = "One JSON object, for programs.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        ProgressBar progress = ProgressBar.of("");
        CheckReport report = repair ? Hmfs.repair(pool, progress) : Hmfs.check(pool, progress);
        progress.end();
        System.out.print(json ? json(pool, report) : table(pool, report, repair));
        return exitCode(report);
    }

    static int exitCode(CheckReport report) {
        return (report.repaired() > 0 ? REPAIRED : 0) | (report.damage() > 0 ? DAMAGED : 0);
    }

    static String table(Path pool, CheckReport report, boolean repair) {
        StringBuilder out = new StringBuilder();
        row(out, "pool", pool + (report.wasClosed() ? ", closed cleanly" : ", not closed cleanly: checked as it is"));
        report.counted().forEach((what, count) -> row(out, what, String.format(Locale.ROOT, "%,d", count)));
        section(out, "damage", report, Finding.Severity.DAMAGE, Finding.Severity.LOST);
        section(out, "repaired", report, Finding.Severity.REPAIRED);
        section(out, "left by a crash, will be settled at the next start", report, Finding.Severity.PENDING);
        out.append(System.lineSeparator()).append(verdict(pool, report, repair)).append(System.lineSeparator());
        return out.toString();
    }

    private static void row(StringBuilder out, String name, String value) {
        out.append(String.format("%-20s %s%n", name, value));
    }

    private static void section(StringBuilder out, String title, CheckReport report, Finding.Severity... severities) {
        List<Finding> findings = report.findings().stream()
                .filter(finding -> List.of(severities).contains(finding.severity()))
                .toList();
        if (findings.isEmpty()) {
            return;
        }
        out.append(System.lineSeparator()).append(title).append(':').append(System.lineSeparator());
        for (Finding finding : findings.subList(0, Math.min(findings.size(), SHOWN_MAX))) {
            out.append(String.format(
                    "  0x%-10x %s%n    expected %s, found %s%n    %s%n",
                    finding.at(),
                    visible(finding.object()),
                    visible(finding.expected()),
                    visible(finding.found()),
                    finding.severity() == Finding.Severity.LOST
                            ? "cannot be repaired: " + finding.action()
                            : finding.action()));
        }
        if (findings.size() > SHOWN_MAX) {
            out.append("  and more; --json shows up to " + CheckReport.FINDINGS_MAX)
                    .append(System.lineSeparator());
        }
    }

    /** Names come from the pool: nothing in them may steer a terminal. */
    private static String visible(String text) {
        return text.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static String verdict(Path pool, CheckReport report, boolean repair) {
        String repaired = report.repaired() > 0 ? "repaired " + report.repaired() + ", " : "";
        String pending =
                report.pending() > 0 ? " (" + report.pending() + " left by a crash for the next start to settle)" : "";
        if (report.isSound()) {
            return repaired + "sound" + pending;
        }
        String hint = repair || report.lost() == report.damage()
                ? ""
                : "; copy the pool, then: hmfs fsck " + pool + " --repair";
        return repaired + "DAMAGED: " + report.damage() + " found, of which " + report.lost() + " cannot be repaired"
                + pending + hint;
    }

    static String json(Path pool, CheckReport report) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("pool", pool);
        values.put("exitCode", exitCode(report));
        values.put("sound", report.isSound());
        values.put("closedCleanly", report.wasClosed());
        values.put("damage", report.damage());
        values.put("cannotBeRepaired", report.lost());
        values.put("repaired", report.repaired());
        values.put("pending", report.pending());
        values.put("counted", new Json.Raw(Json.object(report.counted())));
        List<String> findings = new ArrayList<>();
        for (Finding finding : report.findings()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
            one.put("offset", finding.at());
            one.put("object", finding.object());
            one.put("expected", finding.expected());
            one.put("found", finding.found());
            one.put("action", finding.action());
            findings.add(Json.object(one));
        }
        values.put("findings", new Json.Raw("[" + String.join(",", findings) + "]"));
        return Json.object(values) + System.lineSeparator();
    }
}
