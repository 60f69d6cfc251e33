package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whatever hostile users do, all at once, the server lives within its memory, and the others get right answers and nothing of theirs
 * is read or changed. Method: all attacks of {@link SiegeAttack} beside two users for a few seconds; how long these wait is for
 * {@code bin/dev siege} to judge.
 */
@Timeout(300)
class SiegeTest {
    @TempDir
    private Path directory;

    @Test
    void neighboursOfEnemiesAreServed() throws Exception {
        try (Siege siege = new Siege(directory, 1, ServerChild.Jvm.SHORT)) {
            Siege.Verdict verdict = siege.run(500, 10_000);
            assertNull(verdict.wrong(), verdict::enemies);
            assertTrue(verdict.besieged() > 0, verdict::enemies);
        }
    }
}
