package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CallsTest {
    /** Where the reply was decoded says nothing, and a stack costs as much as the rest of a refused call. */
    @Test
    void aRefusalHasTheStackOfTheCallerAndNoOther() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, header, reply) -> new FailureEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .code(ResultCode.NOT_FOUND.code())
                .message("")
                .limit());
        try (HmfsClient client = transport.client()) {
            HmfsException thrown = assertThrows(HmfsException.class, () -> client.stat("/f"));
            assertEquals(ResultCode.NOT_FOUND, thrown.code());
            assertTrue(Arrays.stream(thrown.getStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(CallsTest.class.getName())));
            assertNull(thrown.getCause());
            Throwable told = Objects.requireNonNull(assertThrows(ExecutionException.class, client.statAsync("/f")::get)
                    .getCause());
            assertEquals(thrown.getMessage(), told.getMessage());
            assertTrue(told.getStackTrace().length > 0); // whoever takes this one has no other
        }
    }
}
