package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: rmdir removes an empty directory, and refuses what is not one. Method: a mapped pool, the refusals before the success, a
 * reopening.
 */
final class RmdirOpTest extends MappedPool {
    @Test
    void directoriesNestAndOnlyEmptyOnesGo() throws IOException {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        create(b, "f");
        assertEquals(Status.NOT_EMPTY, namespace.rmdir(ROOT, Name.of("a")));
        assertEquals(Status.NOT_EMPTY, namespace.rmdir(a, Name.of("b")));
        assertEquals(Status.IS_DIRECTORY, namespace.delete(a, Name.of("b"), out));
        assertEquals(Status.NOT_DIRECTORY, namespace.rmdir(b, Name.of("f")));
        assertEquals(Status.OK, namespace.delete(b, Name.of("f"), out));
        assertEquals(Status.NOT_FOUND, namespace.delete(b, Name.of("f"), out));
        assertEquals(Status.OK, namespace.rmdir(a, Name.of("b")));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.create(b, Name.of("g"), 0644, 0, 0, out));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.statDirectory(b, out));
        reopen();
        assertEquals(List.of(), list(a));
        assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("a")));
        assertEquals(List.of(), list(ROOT));
    }
}
