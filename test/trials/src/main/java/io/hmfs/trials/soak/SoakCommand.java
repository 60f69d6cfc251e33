package io.hmfs.trials.soak;

import io.hmfs.bench.process.PoolDirectory;
import io.hmfs.bench.process.TemporaryDirectory;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.ReportOptions;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Series;
import io.hmfs.bench.report.Target;
import io.hmfs.server.admin.Quantities;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hmfs bench soak}: whether a server under a steady mix takes more and more of anything. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = "A server in mode logged under a steady mix: are its heap, buffers, descriptors and pool flat?",
        footer = {
            "",
            "Two clients make, look at, write, read, rename, replace and remove files, so that their number stays; 20"
                    + " others a second come and go, four of five break off in the middle of a frame. Once a second the"
                    + " gauges are looked at from outside: the server's /metrics and /proc. The first third of the time is"
                    + " for the server to warm up; flat means that the median of the last third is within a tolerance of"
                    + " that of the second. The live heap is looked at nine times, after a full collection that is asked"
                    + " for.",
            "Before the time runs, 1,100 clients come and go at once, which fills the server's memory of them, and"
                    + " each file that stays gets data. Pauses of that are shown and not judged.",
            "Pauses are from the log of the JVM, without these collections. On a busy machine a pause is longer than"
                    + " its work: the verdict is on its work, which is at most the processor time that its threads had.",
            "Exit code 0: all flat, and no pause of more than 20 ms of work; 1: not so.",
            "",
            "Examples:",
            "  hmfs bench soak",
            "  hmfs bench soak --duration 1h --json soak.json",
        })
public final class SoakCommand implements Callable<Integer> {
    private static final double PAUSE_MAX_MILLIS = 20;
    private static final int BAR = 40;
    private static final int CHART = 60;
    private static final double MINUTE = 60;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Spec
    private @Nullable CommandSpec command;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "How long, for example 90s or 10m (default ${DEFAULT-VALUE}).")
    private String duration = "10m";

    @Option(
            names = "--pool-size",
            paramLabel = "SIZE",
            defaultValue = "256M",
            description = "Size of the pool (default ${DEFAULT-VALUE}).")
    private String poolSize = "256M";

    @Option(
            names = "--pool-dir",
            paramLabel = "DIR",
            description = "Where the pool is made (default /dev/shm, or the directory for temporary files).")
    private @Nullable Path poolDirectory;

    @Option(
            names = "--log-dir",
            paramLabel = "DIR",
            description = "Where log and data are made (default: the directory for temporary files).")
    private @Nullable Path logDirectory;

    private double lastMinute;

    @Override
    public Integer call() throws IOException, InterruptedException {
        double seconds = Quantities.millis("--duration", duration) / 1e3;
        long size = Quantities.bytes("--pool-size", poolSize);
        Path pools = poolDirectory == null ? PoolDirectory.standard() : poolDirectory;
        Path logs = logDirectory == null ? Path.of(System.getProperty("java.io.tmpdir")) : logDirectory;
        try (TemporaryDirectory pool = new TemporaryDirectory(pools);
                TemporaryDirectory log = new TemporaryDirectory(logs);
                SoakServer server = new SoakServer(pool.path(), log.path(), size)) {
            System.err.println("bench soak: filling what the server keeps by design");
            SoakRun run = new SoakRun(server);
            Samples samples = run.run(seconds, now -> progress(now, seconds));
            Pauses pauses = server.pauses();
            Outcome outcome = outcome(run, samples, seconds, pauses, server.messages());
            report.publish(outcome);
            show(samples, pauses, run.beganAt());
            return verdict(outcome);
        }
    }

    /** A bar on a terminal, else a line a minute. */
    private void progress(double now, double seconds) {
        boolean isTerminal = Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .isPresent();
        String passed = Quantities.duration((long) (now * 1e3)) + " of " + Quantities.duration((long) (seconds * 1e3));
        if (isTerminal) {
            int filled = (int) (BAR * now / seconds);
            System.err.printf("\r\033[K[%s%s] %s", "#".repeat(filled), " ".repeat(BAR - filled), passed);
            if (now >= seconds) {
                System.err.print("\r\033[K");
            }
        } else if (now - lastMinute >= MINUTE) {
            lastMinute = now;
            System.err.println("bench soak: " + passed);
        }
    }

    /** The figures, with what each of them has to be. */
    static Outcome outcome(SoakRun run, Samples samples, double seconds, Pauses pauses, List<String> messages) {
        List<Result> results = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        judge(samples, seconds, results, targets);
        judge(pauses.after(run.beganAt()), results, targets);
        Map<String, Number> counters = new LinkedHashMap<>();
        counters.put("cycles of the mix, some 150 requests each", run.cycles());
        counters.put("connections that came and went", run.visits());
        counters.put("pauses for collections", (long) pauses.all().size());
        counters.put("pauses over 20 ms by the clock", (long)
                pauses.over(PAUSE_MAX_MILLIS).size());
        counters.put("longest other safepoint, ms", pauses.longestOther().millis());
        counters.put("lines that the server logged", (long) messages.size());
        return new Outcome(results, counters, targets);
    }

    /** Each gauge's last two thirds. */
    static void judge(Samples samples, double seconds, List<Result> results, List<Target> targets) {
        for (Gauge gauge : Gauge.values()) {
            Result second = third(samples, gauge, "second", seconds / 3, 2 * seconds / 3);
            Result last = third(samples, gauge, "last", 2 * seconds / 3, seconds);
            results.add(second);
            results.add(last);
            if (gauge.isJudged()) {
                targets.add(Target.atMost(last.name(), rounded(gauge.most(second.median()))));
            }
        }
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }

    private static Result third(Samples samples, Gauge gauge, String which, double from, double to) {
        return new Series(
                        gauge.label() + ", " + which + " third",
                        "server",
                        gauge.unit(),
                        samples.within(gauge, from, to))
                .result();
    }

    private static void judge(List<Pauses.Pause> pauses, List<Result> results, List<Target> targets) {
        if (pauses.isEmpty()) {
            return;
        }
        List<Double> millis = pauses.stream().map(Pauses.Pause::millis).toList();
        results.add(new Series("pause", "server", "ms", millis).result());
        double longest =
                pauses.stream().mapToDouble(Pauses.Pause::workMillis).max().orElseThrow();
        Result work = new Series("longest pause, its work", "server", "ms", List.of(longest)).result();
        results.add(work);
        targets.add(Target.atMost(work.name(), PAUSE_MAX_MILLIS));
    }

    private void show(Samples samples, Pauses pauses, double beganAt) {
        PrintWriter out = out();
        out.println();
        for (Gauge gauge : Gauge.values()) {
            List<Double> all = samples.all(gauge);
            out.printf(
                    Locale.ROOT,
                    "%-16s %10.1f to %10.1f %-4s %s%n",
                    gauge.label(),
                    Collections.min(all),
                    Collections.max(all),
                    gauge.unit(),
                    Sparkline.of(all, CHART));
        }
        for (Pauses.Pause pause : pauses.over(PAUSE_MAX_MILLIS)) {
            out.printf(
                    Locale.ROOT,
                    "pause of %.1f ms, at most %.1f of them work, at %.1f s%s: %s%n",
                    pause.millis(),
                    pause.workMillis(),
                    pause.atSeconds() - beganAt,
                    pause.atSeconds() > beganAt ? "" : ", before the time began",
                    pause.kind());
        }
        out.println();
        out.flush();
    }

    private PrintWriter out() {
        if (command == null) {
            throw new IllegalStateException("not part of a command");
        }
        return command.commandLine().getOut();
    }

    /** Says whether all is as it should be; the exit code. */
    private int verdict(Outcome outcome) {
        List<String> missed = missed(outcome);
        out().println(missed.isEmpty() ? "flat" : "NOT flat: " + String.join("; ", missed));
        out().flush();
        return missed.isEmpty() ? 0 : 1;
    }

    /** The names of what is above its bound. */
    static List<String> missed(Outcome outcome) {
        return outcome.targets().stream()
                .filter(target -> outcome.results().stream()
                        .anyMatch(result -> result.name().equals(target.result()) && !target.isMet(result.median())))
                .map(Target::result)
                .toList();
    }
}
