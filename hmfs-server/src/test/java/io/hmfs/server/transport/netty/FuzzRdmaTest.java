package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: whatever a peer does over RDMA, the server ends that connection if the wire says so and no other, gives all memory back,
 * writes to no other client's window, and does nothing that was not asked for.
 * Method: sessions from a seed, of frames as in FuzzTest and of messages, windows and ends of connections between them, on the
 * server's own RDMA loop over verbs in memory, beside a client that keeps the rules; a peer's accounts say what must become of each.
 */
@Timeout(900) // a run takes a minute; on a busy machine several
class FuzzRdmaTest {
    private static final long SESSIONS = Long.getLong("hmfs.fuzz.rdma.sessions", 1_000);
    private static final ResourceLeakDetector.Level BEFORE = ResourceLeakDetector.getLevel();

    private Path directory = Path.of("");

    private static LogWatch log = new LogWatch();

    @BeforeAll
    static void watch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    }

    @AfterAll
    static void unwatch() {
        ResourceLeakDetector.setLevel(BEFORE);
        log.close();
    }

    @BeforeEach
    void makePlace() throws IOException {
        directory = Fuzz.place();
    }

    @AfterEach
    void removePlace() throws IOException {
        Fuzz.remove(directory);
    }

    @Test
    void randomSessionsDoWhatTheWireSays() throws IOException {
        Fuzz fuzz = new Fuzz(directory, log, FuzzRdmaCheck::new);
        assertNull(fuzz.runThird(Long.getLong("hmfs.seed", 1), SESSIONS));
        System.out.println(fuzz.done());
    }
}
