package io.hmfs.bench.load;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import java.io.IOException;

/** One round's engine: a new pool, its directories made, and the two timed loops. */
final class EngineSubject implements AutoCloseable {
    private static final int FILE_MODE = 0644;

    /** Names of one call of {@link #statAll} and {@link #createAll}. */
    private static final int BATCH = 32;

    private final ServerNamespace namespace;
    private final KeySet keys;
    private final long[] directories;
    private final Name name = new Name();
    private final StatBatch stats = new StatBatch(BATCH);
    private final CreateBatch creates = new CreateBatch(BATCH);
    private final Attributes attributes = new Attributes();

    private EngineSubject(ServerNamespace namespace, KeySet keys) {
        this.namespace = namespace;
        this.keys = keys;
        this.directories = new long[keys.directories()];
        directories[0] = Namespace.ROOT_ID;
        for (int i = 0; i < directories.length && directories.length > 1; i++) {
            check(namespace.mkdir(Namespace.ROOT_ID, Name.of("d" + i), 0755, 0, 0, attributes), i);
            directories[i] = attributes.id;
        }
    }

    static EngineSubject open(EngineOptions options, KeySet keys) throws IOException {
        Hmfs.format(options.pool(), new FormatOptions(PoolSize.of(options.files()), Backing.MAPPED, true));
        return new EngineSubject(Hmfs.openForServer(options.pool(), OpenOptions.process()), keys);
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

    /** Creates every file, in batches. */
    void createAll() {
        byte[] names = keys.names();
        int files = keys.order().length;
        for (int i = 0; i < files; ) {
            creates.clear();
            for (int last = Math.min(files, i + BATCH); i < last; i++) {
                name.set(names, i * KeySet.NAME_LENGTH, KeySet.NAME_LENGTH);
                creates.addFile(directories[i % directories.length], name, FILE_MODE, 0, 0);
            }
            namespace.createAll(creates);
            for (int number = 0; number < creates.size(); number++) {
                check(creates.status(number), i);
            }
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

    /** Looks every file up once, in the same order, in batches. */
    void statAll() {
        byte[] names = keys.lookUpNames();
        int[] order = keys.order();
        long ids = 0;
        for (int i = 0; i < order.length; ) {
            stats.clear();
            for (int last = Math.min(order.length, i + BATCH); i < last; i++) {
                name.set(names, i * KeySet.NAME_LENGTH, KeySet.NAME_LENGTH);
                stats.add(directories[order[i] % directories.length], name);
            }
            namespace.statAll(stats);
            for (int number = 0; number < stats.size(); number++) {
                check(stats.status(number), i);
                ids ^= stats.attributes(number).id;
            }
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
