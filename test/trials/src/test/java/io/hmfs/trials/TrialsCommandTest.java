package io.hmfs.trials;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Goal: each trial can be found and tells how it is used. Method: the command line, with its output captured. */
class TrialsCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = TrialsCommand.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"soak", "spark-restarts", "contract", "differ", "acknowledged"})
    void helpShowsExamples(String trial) {
        assertEquals(0, run(trial, "--help"));
        assertTrue(out.toString().contains("hmfs bench " + trial), out::toString);
    }

    @Test
    void withoutATrialItSaysWhichThereAre() {
        assertEquals(2, run());
        assertTrue(err.toString().contains("soak, spark-restarts, contract, differ or acknowledged"), err::toString);
    }
}
