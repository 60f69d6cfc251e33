package io.hmfs.server.listing;

import io.hmfs.core.type.NameBatch;
import io.hmfs.server.lock.VersionStripes;

/**
 * The {@linkplain VersionStripes version} of each directory, which directories share by hash: raised by each change that a listing of it could show, of a
 * name or of what stands behind one. What a listing shows of a directory in it, its times, changes with <em>its</em> version.
 */
public final class DirectoryVersions {
    /** Directories of the same hash share a version: a change in one makes pages of the other invalid, which costs a listing. */
    static final int STRIPES = 1 << 14;

    private static final long HASH = 0x9E3779B97F4A7C15L;

    private final VersionStripes versions = new VersionStripes(STRIPES);

    private static int stripe(long directory) {
        return (int) ((directory * HASH) >>> 40) & (STRIPES - 1);
    }

    long version(long directory) {
        return versions.version(stripe(directory));
    }

    void begin(long directory) {
        versions.begin(stripe(directory));
    }

    void end(long directory) {
        versions.end(stripe(directory));
    }

    /** Begins the changes of a batch: once for names of one directory that follow each other. */
    void begin(NameBatch batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (isFirst(batch, i)) {
                begin(batch.directory(i));
            }
        }
    }

    void end(NameBatch batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (isFirst(batch, i)) {
                end(batch.directory(i));
            }
        }
    }

    private static boolean isFirst(NameBatch batch, int number) {
        return number == 0 || batch.directory(number) != batch.directory(number - 1);
    }
}
