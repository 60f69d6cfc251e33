package io.hmfs.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Goal: the JSON of a report has exactly the one shape and loses nothing; the table puts verdicts beside results.
 * Method: reports with awkward text and figures, read back by a parser that is not ours.
 */
class ReportTest {
    private static final Machine MACHINE = new Machine("A \"quoted\" \\ CPU\t1", 2, 1L << 40, "25", "Linux µ");

    private static Report report(Result... results) {
        Map<String, Number> counters = new LinkedHashMap<>();
        counters.put("files", 2_000_000L);
        counters.put("largest", Long.MAX_VALUE);
        return new Report(MACHINE, "0123456789ab-dirty", "hmfs bench engine --files 7", List.of(results), counters);
    }

    private static List<String> fields(JsonNode node) {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void theShapeIsTheOneThatEveryBenchmarkKeeps() throws Exception {
        JsonNode json =
                new ObjectMapper().readTree(ReportJson.of(report(new Result("stat", "hmfs", "ops/s", 2, 1, 3))));
        assertEquals(List.of("machine", "commit", "command", "results", "counters"), fields(json));
        assertEquals(List.of("cpu", "cores", "memoryBytes", "jdk", "kernel"), fields(json.get("machine")));
        assertEquals(
                List.of("name", "subject", "unit", "median", "min", "max"),
                fields(json.get("results").get(0)));
    }

    @Test
    void whatIsReadBackIsWhatWasWritten() throws Exception {
        JsonNode json = new ObjectMapper()
                .readTree(ReportJson.of(report(
                        new Result("stat", "hmfs", "ops/s", 1_234_567.25, 1e-9, 1e300),
                        new Result("stat/map", "hmfs", Result.RATIO, 0.4, 0, -0.5))));
        assertEquals(MACHINE.cpu(), json.get("machine").get("cpu").asText());
        assertEquals(MACHINE.kernel(), json.get("machine").get("kernel").asText());
        assertEquals(1L << 40, json.get("machine").get("memoryBytes").asLong());
        assertEquals("0123456789ab-dirty", json.get("commit").asText());
        assertEquals("hmfs bench engine --files 7", json.get("command").asText());
        JsonNode first = json.get("results").get(0);
        assertEquals("stat", first.get("name").asText());
        assertEquals(1_234_567.25, first.get("median").asDouble());
        assertEquals(1e-9, first.get("min").asDouble());
        assertEquals(1e300, first.get("max").asDouble());
        assertEquals("stat/map", json.get("results").get(1).get("name").asText());
        assertEquals(-0.5, json.get("results").get(1).get("max").asDouble());
        assertEquals(Long.MAX_VALUE, json.get("counters").get("largest").asLong());
    }

    @Test
    void aReportWithoutResultsIsStillJson() throws Exception {
        Report empty = new Report(MACHINE, "x", "y", List.of(), Map.of());
        JsonNode json = new ObjectMapper().readTree(ReportJson.of(empty));
        assertEquals(0, json.get("results").size());
        assertEquals(0, json.get("counters").size());
    }

    @Test
    void aFigureThatJsonCannotSayIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ReportJson.of(report(new Result("stat", "hmfs", "ops/s", Double.NaN, 0, 0))));
    }

    @Test
    void theTableSaysWhetherATargetIsReached() {
        String table = ReportTable.of(
                report(
                        new Result("create/map", "hmfs", Result.RATIO, 0.3, 0.1, 0.5),
                        new Result("stat/map", "hmfs", Result.RATIO, 0.3, 0.1, 0.5)),
                List.of(Target.atLeast("create/map", 0.25), Target.atLeast("stat/map", 0.4)));
        assertTrue(table.lines().anyMatch(line -> line.startsWith("create/map") && line.endsWith("0.25: reached")));
        assertTrue(table.lines().anyMatch(line -> line.startsWith("stat/map") && line.endsWith("0.4: MISSED")));
    }

    @Test
    void theMachineIsDescribedWithoutItsName() throws Exception {
        Machine here = Machine.here();
        assertTrue(here.cores() >= 1);
        assertTrue(here.memoryBytes() > 0);
        String host = java.net.InetAddress.getLocalHost().getHostName();
        if (host.length() > 4) { // a short one could stand in any text
            assertTrue(!here.toString().contains(host), here.toString());
        }
    }
}
