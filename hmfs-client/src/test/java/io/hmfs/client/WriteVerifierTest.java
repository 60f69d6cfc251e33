package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

/** Goal: a commit shows a verifier that its server believes only if all bytes are in that server's machine. Method: answers, and what is taken. */
class WriteVerifierTest {
    @Test
    void answersOfOneMachineAreItsVerifier() {
        WriteVerifier verifier = new WriteVerifier();
        assertEquals(WriteVerifier.NONE, verifier.take());
        verifier.answered(7);
        verifier.answered(7);
        assertEquals(7, verifier.take());
        assertEquals(WriteVerifier.NONE, verifier.take(), "what was committed is on the disk");
        verifier.answered(8);
        assertEquals(8, verifier.take());
    }

    @Test
    void answersOfTwoMachinesAreNeithers() {
        WriteVerifier verifier = new WriteVerifier();
        verifier.answered(7);
        verifier.answered(8);
        verifier.answered(8);
        long taken = verifier.take();
        assertNotEquals(7, taken);
        assertNotEquals(8, taken);
        assertNotEquals(WriteVerifier.NONE, taken);
    }
}
