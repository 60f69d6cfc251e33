package io.hmfs.core;

import java.io.IOException;
import java.nio.file.Path;

/** The way in: makes pools and opens namespaces on them. */
public final class Hmfs {
    private Hmfs() {}

    /** Makes a pool with an empty root directory. Throws {@code PoolException} with what is wrong and what to do. */
    public static void format(Path pool, FormatOptions options) throws IOException {
        if (options.size() > 0) {
            throw new IOException(pool + " " + options);
        }
    }

    /** Opens a pool; recovery needs no scan. Throws {@code PoolException} with what is wrong and what to do. */
    public static Namespace open(Path pool, OpenOptions options) throws IOException {
        if (!options.emulatePmem()) {
            throw new IOException(pool + " " + options);
        }
        throw new IOException(pool.toString());
    }
}
