package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.transport.netty.FuzzSession.Part;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: whatever a peer sends, the server neither fails nor leaks, answers each frame once, and does nothing that was not asked for.
 * Method: sessions from a seed, of valid frames of every kind and of what mutations make of them, on the server's own pipeline; what
 * must become of them says a model of the wire, and a second server that is given the requests among them alone.
 */
class FuzzTest {
    private static final long SESSIONS = Long.getLong("hmfs.fuzz.sessions", 1_500);

    static {
        System.setProperty(
                "io.netty.leakDetection.acquireAndReleaseOnly", "true"); // else each read makes a stack trace
    }

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
        Fuzz fuzz = new Fuzz(directory, log, FuzzCheck::new);
        assertNull(fuzz.runThird(Long.getLong("hmfs.seed", 1), SESSIONS));
        System.out.println(fuzz.done());
    }

    /** Each cut with a length word that tells so, then a request on the same connection. */
    @Test
    void aRequestThatIsCutOffAnywhereIsNone() throws IOException {
        try (FuzzCheck check = new FuzzCheck(directory, log)) {
            for (WireSchema.Message message : WireSchema.INSTANCE.requests()) {
                check.reset();
                FuzzRequests requests = new FuzzRequests(new Random(message.id()), check.rig());
                Part hello = whole(requests, WireSchema.HELLO);
                byte[] valid = requests.current(message);
                for (int length = 4; length < valid.length; length++) {
                    byte[] cut = FuzzMutations.cut(valid, length, true);
                    Part part = new Part(message.name(), valid, cut, 0, false, false);
                    List<Part> parts = message.id() == WireSchema.HELLO
                            ? List.of(part, whole(requests, 10))
                            : List.of(hello, part, whole(requests, 10));
                    String wrong = check.run(new FuzzSession(parts));
                    assertNull(wrong, message.name() + " cut off after " + length + " bytes");
                }
            }
            long malformed = check.takeMalformed();
            assertTrue(malformed > 900, malformed + " malformed");
        }
    }

    private static Part whole(FuzzRequests requests, int template) {
        WireSchema.Message message = WireSchema.INSTANCE.request(template);
        if (message == null) {
            throw new AssertionError("no message " + template);
        }
        byte[] frame = requests.frame(message);
        return new Part(message.name(), frame, frame, 0, false, false);
    }
}
