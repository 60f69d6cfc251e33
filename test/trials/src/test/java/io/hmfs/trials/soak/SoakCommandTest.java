package io.hmfs.trials.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hmfs.bench.BenchCommand;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Target;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import picocli.CommandLine;

/**
 * Goal: a soak sees what grows and nothing else, its mix leaves as many files as it found, and it runs to its end.
 * Method: samples made up for each gauge; the mix on a server of this process; the command for three seconds, in
 * which a server may well not be flat: its figures are looked at, and its verdict is not.
 */
class SoakCommandTest {
    private static final double SECONDS = 90;

    @TempDir
    private Path temporary = Path.of("");

    /** Samples where this gauge grows by a tenth and 20 each third, and the others go up and down. */
    private static Samples samples(Gauge growing) {
        Samples samples = new Samples();
        for (int second = 1; second <= SECONDS; second++) {
            for (Gauge gauge : Gauge.values()) {
                double noise = second % 9 == 0 ? 70 : 0; // a peak is no growth
                int third = (second - 1) / 30;
                samples.add(gauge, second, 100 + noise + (gauge == growing ? 30.0 * third : 0));
            }
        }
        return samples;
    }

    private static List<String> missed(Samples samples) {
        List<Result> results = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        SoakCommand.judge(samples, SECONDS, results, targets);
        return SoakCommand.missed(new Outcome(results, Map.of(), targets));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "HEAP")
    void whatGrowsIsNotFlat(Gauge gauge) {
        assertEquals(List.of(gauge.label() + ", last third"), missed(samples(gauge)));
    }

    @Test
    void whatOnlyGoesUpAndDownIsFlat() {
        assertEquals(List.of(), missed(samples(Gauge.HEAP)));
    }

    @Test
    void theMixLeavesAsManyFilesAsItFound() throws Exception {
        Path pool = temporary.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        try (HmfsServer server = HmfsServer.start(ServerConfig.builder(pool)
                        .set(ServerSetting.PORT, 0)
                        .set(ServerSetting.PERSISTENCE, Persistence.PROCESS)
                        .build());
                SteadyLoad load = new SteadyLoad(server.address().getPort(), "/d")) {
            Guests guests = new Guests(server.address().getPort());
            for (int i = 0; i < 20; i++) {
                load.cycle();
                guests.visit();
                assertEquals(SteadyLoad.RESIDENTS, load.count());
            }
        }
    }

    @Test
    void theCommandRunsToItsEndAndLeavesNothing() throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = BenchCommand.over(new SoakCommand());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        Path directory = Files.createDirectory(temporary.resolve("made"));
        Path json = temporary.resolve("report.json");
        String made = directory.toString();
        int code = line.execute("--duration", "3s", "--pool-dir", made, "--log-dir", made, "--json", json.toString());
        assertTrue(code == 0 || code == 1, err::toString);
        assertEquals("", err.toString());
        Map<String, Double> least = new TreeMap<>();
        for (JsonNode result :
                new ObjectMapper().readTree(Files.readString(json)).get("results")) {
            least.put(result.get("name").asText(), result.get("min").asDouble());
        }
        for (Gauge gauge : Gauge.values()) {
            assertTrue(out.toString().contains("\n" + gauge.label() + ", last third"), out::toString);
            for (String third : List.of(", second third", ", last third")) {
                Double value = least.get(gauge.label() + third);
                assertTrue(value != null && value > 0, gauge + third + ": " + least);
            }
        }
        assertTrue(
                out.toString().lines().toList().getLast().matches(code == 0 ? "flat" : "NOT flat: .*"), out::toString);
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(List.of(), left.toList());
        }
    }
}
