package io.hmfs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.server.transport.netty.NettySockets;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * Goal: every benchmark runs to its end, reports what it must, and leaves nothing behind.
 * Method: each command with a load of a second or two, its JSON read back; the figures themselves are not looked at.
 */
class BenchCommandTest {
    @TempDir
    private Path temporary;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = BenchCommand.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    /** Runs a benchmark with its pools in an empty directory; the names of its results. */
    private List<String> measure(String... arguments) throws Exception {
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

    @ParameterizedTest
    @ValueSource(strings = {"micro", "engine", "net", "hdfs", "list", "compare"})
    void helpShowsExamples(String command) {
        assertEquals(0, run(command, "--help"));
        assertTrue(out.toString().contains("hmfs bench " + command), out::toString);
    }

    @Test
    void withoutACommandItSaysWhichThereAre() {
        assertEquals(2, run());
        assertTrue(err.toString().contains("micro, engine, net, hdfs, list or compare"), err::toString);
    }

    @Test
    void engineMeasuresBothSidesAndTheirRatios() throws Exception {
        List<String> names = measure(
                "engine",
                "--files",
                "5000",
                "--rounds",
                "2",
                "--directories",
                "3",
                "--threads",
                "2",
                "--mode",
                "pmem",
                "--crash-open",
                "5000",
                "--clean-open",
                "5000");
        for (String name : List.of("create", "stat", "append", "mkdir", "rmdir", "rename", "delete")) {
            assertTrue(
                    names.containsAll(
                            List.of(name + " hmfs", name + " p50 hmfs", name + " p99 hmfs", name + " slowest hmfs")),
                    names::toString);
        }
        assertTrue(
                names.containsAll(List.of(
                        "list hmfs",
                        "stat/chase hmfs",
                        "create/create64k hmfs",
                        "createAll/createAll64k hmfs",
                        "sharedCreate/privateCreate hmfs",
                        "open, 5000 files hmfs",
                        "open to the end of the scan, 5000 files hmfs",
                        "open to the first create after a clean close, room for 5000 files hmfs",
                        "open to the first create after none, room for 5000 files hmfs",
                        "statCutOff/stat, newest hmfs")),
                names::toString);
        for (String name : List.of("create", "stat")) {
            assertTrue(names.containsAll(List.of(name + " hmfs", name + " map", name + "/map hmfs")), names::toString);
            assertTrue(names.containsAll(List.of(name + "All/map hmfs", name + "All cpu/map hmfs")), names::toString);
        }
    }

    @Test
    void heapCheckLooksFourTimes() throws Exception {
        List<String> names = measure("engine", "--heap-check", "--heap-files", "2000");
        assertTrue(
                names.containsAll(List.of(
                        "heap 200 files",
                        "heap 400 files",
                        "heap 1000 files",
                        "heap 2000 files",
                        "heap/200 files 2000 files")),
                names::toString);
    }

    private List<String> measureNet(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("net", "--files", "100", "--rounds", "1", "--warm-up", "0"));
        all.addAll(List.of("--millis", "50"));
        all.addAll(List.of(arguments));
        return measure(all.toArray(String[]::new));
    }

    @Test
    void netMeasuresBothSidesAndTheirRatios() throws Exception {
        List<String> names = measureNet();
        assertTrue(names.containsAll(List.of("stat64 hmfs", "stat64 echo64", "stat64/echo64 hmfs")), names::toString);
        for (String name : List.of("stat1", "stat1 p99", "stat1 blocking", "stat1 blocking p99")) {
            assertTrue(
                    names.containsAll(List.of(name + " hmfs", name + " echo1", name + "/echo1 hmfs")), names::toString);
        }
    }

    @Test
    void netMeasuresWhatItIsAskedForAndNothingElse() throws Exception {
        assertEquals(
                List.of(
                        "create8 hmfs",
                        "create8 echo8",
                        "create8/echo8 hmfs",
                        "depth10 depth10",
                        "depth10 depth1",
                        "depth10/depth1 depth10",
                        "depth10, 8 in flight depth10, 8 in flight",
                        "depth10, 8 in flight depth1, 8 in flight",
                        "depth10, 8 in flight/depth1, 8 in flight depth10, 8 in flight"),
                measureNet("--ops", "create,depth", "--in-flight", "8"));
    }

    @Test
    void netComparesBatchedCreatesWithOthersInModePmem() throws Exception {
        assertEquals(
                List.of("batched batched", "batched alone", "batched/alone batched"),
                measureNet("--ops", "batched", "--persistence", "pmem"));
    }

    @Test
    void netMeasuresALoggedServerAndRemovesItsLog() throws Exception {
        Path logs = Files.createDirectory(temporary.resolve("logs"));
        assertEquals(
                List.of("create1024 hmfs", "create1024 echo1024", "create1024/echo1024 hmfs"),
                measureNet(
                        "--ops",
                        "create",
                        "--persistence",
                        "logged",
                        "--in-flight",
                        "1024",
                        "--log-dir",
                        logs.toString()));
        try (Stream<Path> left = Files.list(logs)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void netMeasuresManyConnectionsBesideFewAndWhatEachHolds() throws Exception {
        assertEquals(
                List.of(
                        "conn200 conn200",
                        "conn200 conn16",
                        "conn200/conn16 conn200",
                        "conn200, as many in flight on each conn200",
                        "conn200, as many in flight on each conn16",
                        "conn200, as many in flight on each/conn16 conn200",
                        "echo20 echo20",
                        "echo20 echo16",
                        "echo20/echo16 echo20"),
                measureNet("--ops", "connections", "--connections", "200", "--transport", "nio"));
        JsonNode counters = new ObjectMapper()
                .readTree(Files.readString(temporary.resolve("report.json")))
                .get("counters");
        assertEquals(64, counters.get("requests in flight over them").asInt());
        assertTrue(counters.has("idle: heap per connection"), counters::toString);
    }

    @Test
    void netComparesTheSocketsThatThereAre() throws Exception {
        assumeTrue(NettySockets.obstacle(SocketKind.EPOLL) == null, "no epoll here");
        List<String> names = measureNet("--ops", "transports");
        for (String name : List.of("stat64 by sockets", "stat64 by sockets, 16 connections", "stat1 by sockets")) {
            assertTrue(
                    names.containsAll(List.of(name + " nio", name + " epoll", name + "/epoll nio")), names::toString);
            assertEquals(
                    NettySockets.obstacle(SocketKind.IO_URING) == null,
                    names.contains(name + " io_uring"),
                    names::toString);
        }
    }

    @Test
    void netRefusesWhatItDoesNotKnow() {
        assertEquals(2, run("net", "--ops", "fly"));
        assertTrue(err.toString().contains("--ops"), err::toString);
        assertEquals(2, run("net", "--persistence", "perhaps"));
        assertTrue(err.toString().contains("--persistence"), err::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cas16", "Persist", "Index", "Stat", "Create", "Delete"})
    void microRunsEveryBenchmark(String name) throws Exception {
        List<String> names =
                measure("micro", name, "--iterations", "1", "--warm-up", "0", "--time", "20", "--files", "1000");
        assertTrue(names.size() >= 4, names::toString);
    }
}
