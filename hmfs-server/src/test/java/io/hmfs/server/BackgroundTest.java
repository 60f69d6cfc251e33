package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.TreeSummary;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: while processors are busy, what goes on behind the requests, and long walks over trees, yield them to the requests. Method: the system is
 * asked for the niceness of a server's threads.
 */
class BackgroundTest extends UsersOfOneServer {
    /** More than a short walk has. */
    private static final int FILES = 2_100;

    /** The niceness of the server's threads, by name without numbers; the highest of each name. */
    private static Map<String, Integer> niceness() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        Niceness.ofThreads().forEach((name, niceness) -> {
            if (name.startsWith("hmfs-")) {
                found.merge(name.replaceAll("[-0-9]+$", ""), niceness, Math::max);
            }
        });
        return found;
    }

    @Test
    void whatGoesOnBehindTheRequestsYields() throws IOException {
        secretOfBob(); // a disk thread begins with the first request for it
        Map<String, Integer> found = niceness();
        for (String each : new String[] {"hmfs-reaper", "hmfs-trees", "hmfs-cuts", "hmfs-scrub", "hmfs-groups"}) {
            assertEquals(10, found.get(each), each);
        }
        for (String each : new String[] {"hmfs-loop", "hmfs-disk"}) {
            assertEquals(0, found.get(each), each);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLongWalkYieldsAndAShortOneNeedNot(boolean removes) throws IOException {
        admin.mkdir("/home/bob/short", 0777, false);
        admin.mkdir("/home/bob/long", 0777, false);
        bob.create("/home/bob/short/f", PLAIN);
        for (int i = 0; i < FILES; i++) {
            bob.create("/home/bob/long/" + i, PLAIN);
        }
        assertEquals(new TreeSummary(0, 1, 1), bob.trees().summary("/home/bob/short"));
        bob.trees().remove("/home/bob/short");
        assertEquals(null, niceness().get("hmfs-walk"));
        if (removes) {
            bob.trees().remove("/home/bob/long");
        } else {
            assertEquals(new TreeSummary(0, FILES, 1), bob.trees().summary("/home/bob/long"));
        }
        assertEquals(10, niceness().get("hmfs-walk"));
    }
}
