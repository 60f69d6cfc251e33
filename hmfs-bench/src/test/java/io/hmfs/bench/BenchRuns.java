package io.hmfs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs benchmarks as a user would, and reads what they report. */
abstract class BenchRuns {
    @TempDir
    Path temporary;

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    int run(String... arguments) {
        CommandLine line = BenchCommand.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    /** Runs a benchmark with its pools in an empty directory; the names of its results. */
    List<String> measure(String... arguments) throws Exception {
        Path pools = Files.createDirectory(temporary.resolve("pools"));
        Path json = temporary.resolve("report.json");
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--pool-dir", pools.toString(), "--json", json.toString()));
        assertEquals(0, run(all.toArray(String[]::new)), err::toString);
        try (Stream<Path> left = Files.list(pools)) {
            assertEquals(List.of(), left.toList());
        }
        JsonNode report = new ObjectMapper().readTree(Files.readString(json));
        assertEquals(
                "hmfs bench " + String.join(" ", all.subList(0, all.size() - 2)),
                report.get("command").asText());
        if (arguments[0].equals("engine") && !List.of(arguments).contains("--heap-check")) {
            for (String counter : List.of("fencesPerCreate", "linesPerCreate", "fencesPerAppend", "indexLinesPerHit")) {
                assertTrue(report.get("counters").get(counter).asDouble() >= 1, counter);
            }
            assertTrue(report.get("counters").get("poolBytesPerFile").asDouble() > 0);
        }
        List<String> names = new ArrayList<>();
        for (JsonNode result : report.get("results")) {
            assertTrue(result.get("min").asDouble() <= result.get("median").asDouble(), result::toString);
            assertTrue(result.get("median").asDouble() <= result.get("max").asDouble(), result::toString);
            names.add(result.get("name").asText() + " " + result.get("subject").asText());
        }
        return names;
    }
}
