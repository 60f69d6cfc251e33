package io.hmfs.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: the benchmarks of the engine run to their end, report what they must, and leave nothing behind.
 * Method: as {@link BenchCommandTest}, which would take as long again with them.
 */
final class EngineBenchTest extends BenchRuns {
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
}
