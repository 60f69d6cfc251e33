package io.hmfs.bench.load;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;

/** One round's engine: a new pool, its directories made, and the two timed loops. */
final class EngineSubject implements AutoCloseable {
    private static final int FILE_MODE = 0644;

    private final Namespace namespace;
    private final KeySet keys;
    private final long[] directories;
    private final Name name = new Name();
    private final Attributes attributes = new Attributes();

    private EngineSubject(Namespace namespace, KeySet keys) {
        this.namespace = namespace;
        this.keys = keys;
        this.directories = new long[keys.directories()];
        directories[0] = Namespace.ROOT_ID;
        for (int i = 0; i < directories.length && directories.length > 1; i++) {
            check(namespace.mkdir(Namespace.ROOT_ID, Name.of("d" + i), 0755, 0, 0, attributes), i);
            directories[i] = attributes.id;
        }
    }

    static EngineSubject open(EngineLoad.Options options, KeySet keys) throws IOException {
        Hmfs.format(options.pool(), new FormatOptions(PoolSize.of(options.files()), Backing.MAPPED, true));
        return new EngineSubject(Hmfs.open(options.pool(), OpenOptions.process()), keys);
    }

    long capacity() {
        return namespace.poolStatus().capacity();
    }

    /** Creates every file. */
    void create() {
        byte[] names = keys.names();
        int files = keys.order().length;
        for (int i = 0; i < files; i++) {
            name.set(names, i * KeySet.NAME_LENGTH, KeySet.NAME_LENGTH);
            check(namespace.create(directories[i % directories.length], name, FILE_MODE, 0, 0, attributes), i);
        }
    }

    /** Looks every file up once, in random order. */
    void stat() {
        byte[] names = keys.lookUpNames();
        int[] order = keys.order();
        long ids = 0;
        for (int i = 0; i < order.length; i++) {
            name.set(names, i * KeySet.NAME_LENGTH, KeySet.NAME_LENGTH);
            check(namespace.stat(directories[order[i] % directories.length], name, attributes), i);
            ids ^= attributes.id;
        }
        if (ids == -1) {
            throw new IllegalStateException("no such id was given"); // keeps the loop's results alive
        }
    }

    private static void check(Status status, int step) {
        if (status != Status.OK) {
            throw new IllegalStateException("step " + step + " was answered " + status);
        }
    }

    @Override
    public void close() {
        namespace.close();
    }
}
