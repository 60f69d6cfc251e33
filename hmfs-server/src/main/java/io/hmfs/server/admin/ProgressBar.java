package io.hmfs.server.admin;

import io.hmfs.core.type.Progress;
import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;

/** How far a long piece of work has come, on standard error: a bar on a terminal, elsewhere nothing, or a line now and then. */
final class ProgressBar implements Progress {
    private static final int WIDTH = 30;
    private static final long BAR_NANOS = 200_000_000L;
    private static final long LINE_NANOS = 5_000_000_000L;

    private final PrintStream out;
    private final boolean isTerminal;
    private final String title;
    private long lastNanos;
    private boolean shown;

    /** {@code title}: what is under way; with none, nothing is shown but on a terminal. */
    ProgressBar(PrintStream out, boolean isTerminal, String title) {
        this.out = out;
        this.isTerminal = isTerminal;
        this.title = title;
    }

    /** On standard error. */
    static ProgressBar of(String title) {
        return new ProgressBar(System.err, isTerminal(), title);
    }

    static boolean isTerminal() {
        return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    }

    @Override
    public void at(String pass, long done, long total) {
        if (!isTerminal && title.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        if (!shown && !title.isEmpty()) {
            out.println("hmfs: " + title);
        } else if (shown && now - lastNanos < (isTerminal ? BAR_NANOS : LINE_NANOS)) {
            return;
        }
        shown = true;
        lastNanos = now;
        out.print(isTerminal ? "\r\033[K" + bar(pass, done, total) : "hmfs: " + pass + " " + part(done, total) + "\n");
        out.flush();
    }

    private static String bar(String pass, long done, long total) {
        int filled = total == 0 ? 0 : (int) (WIDTH * Math.min(done, total) / total);
        return String.format(
                Locale.ROOT,
                "%-20s [%s%s] %s",
                pass,
                "#".repeat(filled),
                " ".repeat(WIDTH - filled),
                part(done, total));
    }

    private static String part(long done, long total) {
        return total == 0 ? String.format(Locale.ROOT, "%,d", done) : 100 * Math.min(done, total) / total + " %";
    }

    /** Takes the bar away. */
    void end() {
        if (shown && isTerminal) {
            out.print("\r\033[K");
            out.flush();
        }
        shown = false;
    }
}
