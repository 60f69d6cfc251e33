package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A pool in a mapped file for tests of one operation: each test has a new one, and may open it again. */
abstract class MappedPool {
    static final long ROOT = Namespace.ROOT_ID;

    @TempDir
    Path directory;

    Namespace namespace;
    final Attributes out = new Attributes();
    private Path pool;

    @BeforeEach
    void open() throws IOException {
        pool = directory.resolve("mapped");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.open(pool, OpenOptions.process());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    void reopen() throws IOException {
        namespace.close();
        namespace = Hmfs.open(pool, OpenOptions.process());
    }

    long mkdir(long parent, String name) {
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    long create(long parent, String name) {
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 0, 0, out));
        return out.id;
    }

    Status stat(long parent, String name) {
        return namespace.stat(parent, Name.of(name), out);
    }

    List<String> list(long parent) {
        List<String> names = new ArrayList<>();
        ListCursor cursor = new ListCursor();
        assertEquals(Status.OK, namespace.list(parent, cursor, (name, _) -> names.add(name.toString())));
        assertTrue(cursor.atEnd());
        return names;
    }
}
