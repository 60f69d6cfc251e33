package io.hmfs.server.path;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.server.metrics.WorkerMeter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Directories that one thread has resolved, by their paths from the root (Mantle §5.1; what differs: ADR 0101). What is found here
 * is true in the instant of the look-up, whatever other threads do: {@link PathValidation#stands}. One place for each path, and the last one that comes takes
 * it. A place is made when it is first needed, and kept.
 */
public final class PrefixCache {
    /** A power of two. */
    public static final int PLACES = 1024;

    /** Bytes of the longest path that is kept. */
    public static final int PATH_MAX = 256;

    /** Bytes that must be readable behind a path. */
    static final int SLACK = Long.BYTES;

    private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(PLACES);
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private final NameVersions changes;
    private final WorkerMeter meter;
    private final @Nullable Place[] places = new @Nullable Place[PLACES];

    /** A directory that was resolved. */
    static final class Place {
        private final byte[] path = new byte[PATH_MAX];
        private int length = NOTHING;
        private long id;
        private int mode;
        private int uid;
        private int gid;
        private long[] acl = Acl.NONE;

        final PathValidation validation = new PathValidation();

        private static final int NOTHING = -1;

        /** Fills in the id, and what a permission check asks for. */
        void describe(Attributes out) {
            out.id = id;
            out.type = FileType.DIRECTORY;
            out.mode = mode;
            out.uid = uid;
            out.gid = gid;
            out.hasAcl = acl.length > 0;
            out.acl = acl;
        }

        private boolean is(byte[] other, int begin, int end) {
            return length == end - begin && Arrays.equals(path, 0, length, other, begin, end);
        }
    }

    public PrefixCache(NameVersions changes, WorkerMeter meter) {
        this.changes = changes;
        this.meter = meter;
    }

    /** The directory with this path, if it is known and nothing about it has changed; until the next call. */
    @Nullable
    Place find(byte[] path, int begin, int end) {
        Place place = places[index(path, begin, end)];
        if (place == null || !place.is(path, begin, end)) {
            return null;
        }
        if (!place.validation.stands(changes)) {
            place.length = Place.NOTHING;
            meter.add(WorkerMeter.Tally.PATH_INVALIDATIONS, 1);
            return null;
        }
        return place;
    }

    /** Keeps a directory that was just resolved, with what it rests on, if that can be kept. */
    void keep(byte[] path, int begin, int end, PathValidation validation, Attributes directory) {
        if (!validation.isWhole() || end - begin > PATH_MAX) {
            return;
        }
        int index = index(path, begin, end);
        Place place = places[index];
        if (place == null) {
            place = new Place();
            places[index] = place;
        }
        place.length = end - begin;
        System.arraycopy(path, begin, place.path, 0, place.length);
        place.id = directory.id;
        place.mode = directory.mode;
        place.uid = directory.uid;
        place.gid = directory.gid;
        place.acl = directory.acl;
        place.validation.copy(validation);
    }

    private static int index(byte[] path, int begin, int end) {
        long hash = (long) end - begin;
        int at = begin;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = mix(hash ^ (long) WORD.get(path, at));
        }
        if (at < end) {
            hash = mix(hash ^ ((long) WORD.get(path, at) & ~(-1L << ((end - at) << 3))));
        }
        return (int) (hash >>> SHIFT);
    }

    private static long mix(long hash) {
        long product = hash * 0x9E3779B97F4A7C15L;
        return product ^ product >>> 32;
    }
}
