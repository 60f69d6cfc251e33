package io.hmfs.server.partition;

import io.hmfs.core.Namespace;
import java.util.List;

/** The partitions that a server holds: one today. */
public final class Partitions {
    /** Bits of an id below its partition's number. */
    static final int NUMBER_SHIFT = 48;

    private final Partition[] byNumber;

    /** In the order of their numbers, from 0. */
    public Partitions(List<Partition> partitions) {
        byNumber = partitions.toArray(Partition[]::new);
        if (byNumber.length == 0) {
            throw new IllegalArgumentException("no partition");
        }
    }

    /**
     * The number of an object's partition: the id's 16 highest bits. An id that no partition here gave out, as a client may send, is
     * for the root's: to that one it is unknown, too.
     */
    public int numberOf(long id) {
        int number = (int) (id >>> NUMBER_SHIFT);
        return number < byNumber.length ? number : 0;
    }

    /** The partition of an object; see {@link #numberOf}. */
    public Partition of(long id) {
        return byNumber[numberOf(id)];
    }

    /** The partition of the root directory. */
    public Partition ofRoot() {
        return of(Namespace.ROOT_ID);
    }

    public List<Partition> all() {
        return List.of(byNumber);
    }
}
