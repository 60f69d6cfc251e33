package io.hmfs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.server.transport.netty.NettySockets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: every benchmark runs to its end, reports what it must, and leaves nothing behind.
 * Method: each command with a load of a second or two, its JSON read back; the figures themselves are not looked at.
 */
class BenchCommandTest extends BenchRuns {
    @ParameterizedTest
    @ValueSource(strings = {"micro", "engine", "pools", "net", "hdfs", "list", "compare"})
    void helpShowsExamples(String command) {
        assertEquals(0, run(command, "--help"));
        assertTrue(out.toString().contains("hmfs bench " + command), out::toString);
    }

    @Test
    void withoutACommandItSaysWhichThereAre() {
        assertEquals(2, run());
        assertTrue(err.toString().contains("micro, engine, pools, net, hdfs, list or compare"), err::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "0gbit,1ms", "1gbit", "1gbit,0.2", "1gbit,1ms,2"})
    void aLinkThatCannotBeReadIsRefused(String link) {
        assertEquals(2, run("list", "--link", link));
        assertTrue(err.toString().contains("1gbit,0.2ms"), err::toString);
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
        assertTrue(names.contains("stat64 server processor/echo64 hmfs"), names::toString);
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
                        "create8 server processor hmfs",
                        "create8 server processor echo8",
                        "create8 server processor/echo8 hmfs",
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
                List.of(
                        "create1024 hmfs",
                        "create1024 echo1024",
                        "create1024/echo1024 hmfs",
                        "create1024 server processor hmfs",
                        "create1024 server processor echo1024",
                        "create1024 server processor/echo1024 hmfs"),
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
    void poolsComparesEachWithTheFirstAndLeavesNone() throws Exception {
        Path json = temporary.resolve("report.json");
        Path first = temporary.resolve("first");
        Path second = temporary.resolve("second");
        assertEquals(
                0,
                run(
                        "pools",
                        "--files",
                        "1000",
                        "--rounds",
                        "1",
                        "--json",
                        json.toString(),
                        first.toString(),
                        second.toString()),
                err::toString);
        List<String> found = new ArrayList<>();
        for (JsonNode result :
                new ObjectMapper().readTree(Files.readString(json)).get("results")) {
            found.add(result.get("name").asText() + " of "
                    + Path.of(result.get("subject").asText()).getFileName());
        }
        assertEquals(
                Stream.of("create", "stat", "delete")
                        .flatMap(name ->
                                Stream.of(name + " of first", name + " of second", name + "/" + first + " of second"))
                        .toList(),
                found);
        assertTrue(Files.notExists(first) && Files.notExists(second));
    }

    @Test
    void poolsLeavesNoneWhenOneCannotBeMade() {
        Path first = temporary.resolve("first");
        assertEquals(
                1,
                run(
                        "pools",
                        first.toString(),
                        temporary.resolve("missing/second").toString()));
        assertTrue(Files.notExists(first));
    }

    @Test
    void poolsOverwritesNothingUnasked() throws Exception {
        Path there = Files.writeString(temporary.resolve("there"), "mine");
        String free = temporary.resolve("free").toString();
        assertEquals(2, run("pools", free, there.toString()));
        assertTrue(err.toString().contains("there is there already"), err::toString);
        assertEquals("mine", Files.readString(there));
        assertEquals(2, run("pools", free, "/dev/null"));
        assertTrue(err.toString().contains("--overwrite"), err::toString);
        assertEquals(2, run("pools", "--rounds", "0", free, free + "2"));
        assertTrue(err.toString().contains("--rounds"), err::toString);
    }

    @Test
    void netRefusesWhatItDoesNotKnow() {
        assertEquals(2, run("net", "--ops", "fly"));
        assertTrue(err.toString().contains("--ops"), err::toString);
        assertEquals(2, run("net", "--persistence", "perhaps"));
        assertTrue(err.toString().contains("--persistence"), err::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Persist", "Index", "Stat", "Create", "Delete"})
    void microRunsEveryBenchmark(String name) throws Exception {
        List<String> names = measureMicro(name, "--forks", "0");
        assertTrue(names.size() >= 4, names::toString);
    }

    @Test
    void microRunsABenchmarkInAJvmOfItsOwn() throws Exception {
        List<String> names = measureMicro("Cas16");
        assertTrue(names.size() >= 4, names::toString);
    }

    private List<String> measureMicro(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("micro"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--iterations", "1", "--warm-up", "0", "--time", "20", "--files", "1000"));
        return measure(all.toArray(String[]::new));
    }
}
