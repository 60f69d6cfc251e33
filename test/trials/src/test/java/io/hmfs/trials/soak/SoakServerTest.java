package io.hmfs.trials.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.server.admin.Exposition;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Goal: a metric that a server does not have is named, and is no zero that stays flat. Method: a text of metrics made up. */
class SoakServerTest {
    private static final Exposition TOLD = Exposition.parse("""
        # HELP bytes Of each kind.
        # TYPE bytes gauge
        bytes{id="a"} 3
        bytes{id="b"} 4
        """);

    private static void assertMissing(String name, String id) {
        IOException missing = assertThrows(
                IOException.class, () -> SoakServer.sum(TOLD, name, labels -> id.equals(labels.get("id"))));
        assertEquals("the server's metrics have no " + name, missing.getMessage());
    }

    @Test
    void whatIsThereIsSummed() throws IOException {
        assertEquals(7, SoakServer.sum(TOLD, "bytes", _ -> true));
        assertEquals(4, SoakServer.sum(TOLD, "bytes", labels -> "b".equals(labels.get("id"))));
    }

    @Test
    void whatIsNotThereIsNamed() {
        assertMissing("others", "a");
        assertMissing("bytes", "c");
    }
}
