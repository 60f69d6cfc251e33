package io.hmfs.server.lease;

import io.hmfs.core.Records;
import io.hmfs.core.layout.CorruptPoolException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Epochs of grants (ADR 0209): a grant is sealed with the epoch of its file and is good as long as that is the same. Files share an epoch
 * by stripes of inodes, so a change of one file may end grants of others, whose holders open their files again. An epoch is durable in a
 * record of the pool before the change that ends it begins, so no start brings back a grant that had ended, and none ends one that had not.
 *
 * <p>A request that ends grants has the file {@linkplain Leases#alone alone}, and calls {@link #prepare} before its change and {@link #end}
 * behind it. A request that writes checks its grant while it shares the file. A request that gives a grant looks at {@link #changes}, then
 * at the rights, then at the epoch, and once more at {@link #changes}: if that is another by then, the rights may be older than the epoch.
 * Thread-safe; a look takes no lock and allocates nothing.
 */
public final class GrantEpochs {
    /** What ends grants. */
    public enum Cause {
        /** Mode, group or list of a file: the grants of users that do not own it. */
        MODE,
        /** Its owner: all. */
        OWNER,
        /** Its recovery from a writer: those to write. */
        RECOVERY
    }

    private static final int STRIPES = 4_096;
    private static final int SHIFT =
            LeaseRows.STRIPE_SHIFT - 2; // each within one stripe of leases, which `alone` locks
    private static final long FIRST_KEY = 1;

    private final Records records;
    private final AtomicLongArray modes = new AtomicLongArray(STRIPES);
    private final AtomicLongArray owners = new AtomicLongArray(STRIPES);
    private final AtomicLongArray recoveries = new AtomicLongArray(STRIPES);
    private final long[] at = new long[STRIPES]; // their records; of a file that the thread has alone
    private final AtomicLong changes = new AtomicLong();

    /**
     * With the epochs that earlier starts left.
     *
     * @throws CorruptPoolException a record is of no stripe: to pass over it could bring back a grant that had ended
     */
    public GrantEpochs(Records records) {
        this.records = records;
        records.each(Records.Kind.GRANT_EPOCH, (place, key, mode, owner, recovery) -> {
            if (key < FIRST_KEY || key >= FIRST_KEY + STRIPES) {
                throw new CorruptPoolException(place, "a stripe of grants' epochs", key);
            }
            int stripe = (int) (key - FIRST_KEY);
            at[stripe] = place;
            modes.set(stripe, mode);
            owners.set(stripe, owner);
            recoveries.set(stripe, recovery);
        });
    }

    static int stripe(long inode) {
        return (int) ((inode * 0x9E3779B97F4A7C15L) >>> SHIFT);
    }

    /**
     * The epoch of grants on a file.
     *
     * @param owner whether they are of the user that owned it when they were given
     * @param write whether they are to write
     */
    public long of(long inode, boolean owner, boolean write) {
        int stripe = stripe(inode);
        // Each of them only grows, so the sum is another one whichever has grown.
        return owners.get(stripe) + (owner ? 0 : modes.get(stripe)) + (write ? recoveries.get(stripe) : 0);
    }

    /** Grows with each change that ends grants of any file: behind the change, before its epoch. */
    public long changes() {
        return changes.get();
    }

    /**
     * Makes the end of grants durable, before the change that ends them. False: the pool has no room for that, and the change must not be
     * made; else {@link #end} follows, whatever becomes of the change.
     */
    public boolean prepare(long inode, Cause cause) {
        int stripe = stripe(inode);
        long record = records.put(
                Records.Kind.GRANT_EPOCH,
                stripe + FIRST_KEY,
                modes.get(stripe) + (cause == Cause.MODE ? 1 : 0),
                owners.get(stripe) + (cause == Cause.OWNER ? 1 : 0),
                recoveries.get(stripe) + (cause == Cause.RECOVERY ? 1 : 0));
        if (record == Records.NONE) {
            return false;
        }
        records.fence(); // † before the change, which a client that asks again is told of after a crash
        records.clear(at[stripe]); // † not before: a crash must leave one
        at[stripe] = record;
        return true;
    }

    /** Ends the grants; before the change is answered. */
    public void end(long inode, Cause cause) {
        changes.incrementAndGet();
        AtomicLongArray epochs = switch (cause) {
            case MODE -> modes;
            case OWNER -> owners;
            case RECOVERY -> recoveries;
        };
        epochs.incrementAndGet(stripe(inode));
    }
}
