package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a verifier lasts as long as the machine's memory. Method: files like the one in which the system tells which start it is. */
class MachineStartTest {
    @TempDir
    private Path directory;

    private long verifier(String text) throws IOException {
        Path file = directory.resolve("boot_id");
        Files.writeString(file, text);
        return MachineStart.verifier(file);
    }

    @Test
    void aStartOfTheMachineHasItsVerifier() throws IOException {
        long first = verifier("0fb2ed29-2c3c-4c5b-8b5c-1d5d3d3a7f01\n");
        assertEquals(first, verifier("0fb2ed29-2c3c-4c5b-8b5c-1d5d3d3a7f01\n"));
        assertNotEquals(first, verifier("1fb2ed29-2c3c-4c5b-8b5c-1d5d3d3a7f01\n"));
        assertNotEquals(first, verifier("0fb2ed29-2c3c-4c5b-8b5c-1d5d3d3a7f05\n"));
        assertTrue(first > 0);
        assertEquals(MachineStart.verifier(), MachineStart.verifier());
    }

    @Test
    void whereItIsNotKnownNothingIsBelievedAfterAStart() throws IOException {
        assertNotEquals(verifier("unknown"), verifier("unknown"));
        assertTrue(MachineStart.verifier(directory.resolve("nothing")) > 0);
    }
}
