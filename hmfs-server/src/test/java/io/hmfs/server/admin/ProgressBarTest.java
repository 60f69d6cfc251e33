package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Goal: a person sees a bar, a log file a line, a script that asked for neither nothing. Method: what is printed, compared. */
final class ProgressBarTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aTerminalShowsABarThatGoesAwayAtTheEnd() {
        ProgressBar bar = new ProgressBar(out, true, "");
        bar.at("image", 1, 2);
        bar.end();
        assertEquals(
                "\r\033[K%-20s [%s%s] 50 %%\r\033[K".formatted("image", "#".repeat(15), " ".repeat(15)), printed());
    }

    @Test
    void whereTheTotalIsNotKnownTheCountIsShown() {
        new ProgressBar(out, true, "").at("log", 12_345, 0);
        assertEquals("\r\033[K%-20s [%s] 12,345".formatted("log", " ".repeat(30)), printed());
    }

    @Test
    void elsewhereATitleAndALineNowAndThen() {
        ProgressBar bar = new ProgressBar(out, false, "rebuilding p");
        for (int i = 0; i < 1000; i++) {
            bar.at("image", i, 1000);
        }
        bar.end();
        assertEquals(
                "hmfs: rebuilding p\nhmfs: image 0 %\n",
                printed().lines().limit(2).reduce("", (a, b) -> a + b + "\n"));
    }

    @Test
    void withoutATitleNothingIsPrintedElsewhere() {
        ProgressBar bar = new ProgressBar(out, false, "");
        bar.at("regions", 1, 2);
        bar.end();
        assertEquals("", printed());
    }
}
