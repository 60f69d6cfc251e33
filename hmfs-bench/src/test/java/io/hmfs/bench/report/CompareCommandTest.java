package io.hmfs.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.bench.BenchCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Goal: what got slower in every turn is told, and noise is not. Method: reports of made-up figures, written as benchmarks write them. */
class CompareCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = BenchCommand.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    private Path report(String file, String unit, double figure, double fences) throws IOException {
        Report report = new Report(
                Machine.here(),
                "c",
                "hmfs bench engine",
                List.of(new Result("stat", "hmfs", unit, figure, figure, figure)),
                Map.of("fencesPerCreate", fences));
        return Files.writeString(directory.resolve(file), ReportJson.of(report));
    }

    private int compare(String unit, double[] before, double[] after, double fencesAfter) throws IOException {
        List<String> files = new ArrayList<>();
        for (int i = 0; i < before.length; i++) {
            files.add(report("b" + i, unit, before[i], 2).toString());
        }
        List<String> others = new ArrayList<>();
        for (int i = 0; i < after.length; i++) {
            others.add(report("a" + i, unit, after[i], fencesAfter).toString());
        }
        return run("compare", "--before", String.join(",", files), "--after", String.join(",", others));
    }

    @Test
    void aTimeThatIsLongerInEveryTurnIsSlower() throws IOException {
        assertEquals(3, compare("ns", new double[] {100, 200, 100}, new double[] {110, 230, 120}, 2), err::toString);
        assertTrue(out.toString().contains("SLOWER"), out::toString);
        assertTrue(out.toString().contains("1 slower, 0 faster, in 3 turns"), out::toString);
    }

    @Test
    void aRateThatIsHigherInEveryTurnIsFaster() throws IOException {
        assertEquals(0, compare("ops/s", new double[] {100, 200, 100}, new double[] {110, 230, 120}, 2), err::toString);
        assertTrue(out.toString().contains("0 slower, 1 faster, in 3 turns"), out::toString);
    }

    @Test
    void aRateThatIsLowerInEveryTurnIsSlower() throws IOException {
        assertEquals(3, compare("ops/s", new double[] {100, 200, 100}, new double[] {90, 180, 80}, 2), err::toString);
    }

    @Test
    void whatIsBetterOnceIsNoise() throws IOException {
        assertEquals(0, compare("ns", new double[] {100, 200, 100}, new double[] {150, 199, 150}, 2), err::toString);
        assertTrue(out.toString().contains("0 slower, 0 faster"), out::toString);
    }

    @Test
    void whatDiffersByLittleIsNoise() throws IOException {
        assertEquals(0, compare("ns", new double[] {100, 200, 100}, new double[] {101, 204, 103}, 2), err::toString);
    }

    @Test
    void oneMoreFenceIsSlower() throws IOException {
        assertEquals(3, compare("ns", new double[] {100, 100}, new double[] {100, 100}, 3), err::toString);
        assertTrue(out.toString().contains("fencesPerCreate"), out::toString);
    }

    @Test
    void eachTurnHasTwoReports() throws IOException {
        assertEquals(2, compare("ns", new double[] {100, 100}, new double[] {100}, 2));
        assertTrue(err.toString().contains("--before names 2 reports and --after 1"), err::toString);
    }

    @Test
    void anotherFileIsNoReport() throws IOException {
        Path other = Files.writeString(directory.resolve("o"), "{}");
        assertEquals(1, run("compare", "--before", other.toString(), "--after", other.toString()));
        assertTrue(err.toString().contains("is no report"), err::toString);
    }
}
