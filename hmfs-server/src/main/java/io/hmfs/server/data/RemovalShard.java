package io.hmfs.server.data;

import io.hmfs.core.type.RemovedFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The files of a {@link RemovalTable} whose inodes' hashes begin alike. It grows with what it holds. Nothing under its monitor waits, or asks the
 * pool. Thread-safe.
 */
final class RemovalShard {
    /** Parts of it that a page may begin at. */
    static final int PLACES = 1 << 8;

    /** Told of a file that is cleared. */
    @FunctionalInterface
    interface Cleared {
        void accept(long token, long position);
    }

    /** What a page asks for. {@code durable}: the position of the log; {@code begun}: of the buffer, where the page begins. */
    record Ask(RemovalUser user, long olderThanNanos, long now, long durable, int begun) {}

    /** A clear of a file that had not come yet: by whom, and when. */
    private record Told(RemovalUser user, long time) {}

    /** Bytes of a file in a page: inode, size. */
    static final int ENTRY_BYTES = 2 * Long.BYTES;

    /** The first bits of an inode's hash, which say its shard. */
    static final int SHARD_BITS = 6;

    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final long QUIET_NANOS_MAX = 300_000_000_000L; // for which a file that was told is not told again
    private static final int PLACE_BITS = Integer.numberOfTrailingZeros(PLACES);
    private static final int BUCKET_BITS_MAX = 14;
    private static final int EARLY_MAX = 1 << 10;
    private static final int REMOVER_BITS = 10;

    private long[] tokens = new long[0];
    private long[] inodes = new long[0]; // 0: the slot is free
    private long[] sizes = new long[0];
    private int[] owners = new int[0]; // users of the pool
    private long[] positions = new long[0]; // of the log, at which the removal is certain
    private long[] sinceNanos = new long[0]; // removed
    private long[] quietNanos = new long[0]; // until when it is not told again
    private long[] openNanos = new long[0]; // until when it is told to all that ask
    private int[] next = new int[0]; // of slots of the same bucket, or of free ones; a slot's number + 1
    private int[] heads = new int[PLACES]; // a bucket for each hash, by its first bits; a slot's number + 1
    private int bucketBits = PLACE_BITS;
    private int free; // a slot's number + 1
    private int used; // slots that were ever taken
    private int size;

    /** Told as cleared before they came, the oldest first, each with the time of that. What never comes stays until others displace it: it says nothing of any other file. */
    private final Map<Long, Told> early = new LinkedHashMap<>();

    /**
     * The user who removed an inode: {@code removers} has the user's mark at the place where {@code removerOf} has the inode, which is told by the first
     * bits of its hash. A later inode at the same place displaces it; then only the owner and superusers can clear the file. Allocated at first use.
     */
    private long[] removerOf = new long[0];

    private long[] removers = new long[0];

    /** Which shard an inode is of. */
    static int of(long inode) {
        return (int) ((inode * MIX) >>> (Long.SIZE - SHARD_BITS));
    }

    /** The bits of an inode's hash behind those that say the shard. */
    private static int hash(long inode) {
        return (int) ((inode * MIX) >>> (Integer.SIZE - SHARD_BITS));
    }

    synchronized int size() {
        return size;
    }

    private int bucket(long inode) {
        return hash(inode) >>> (Integer.SIZE - bucketBits);
    }

    /** Takes a file in; false: it was cleared already. */
    synchronized boolean add(RemovedFile file, long position, long removedNanos) {
        if (!early.isEmpty()) {
            Told told = early.remove(file.id);
            // A clear from before the removal does not count, nor one by a user who may not clear the file.
            if (told != null && file.removedNanos < told.time && may(told.user, file.id, file.uid)) {
                return false;
            }
        }
        int slot = freeSlot();
        tokens[slot] = file.token;
        inodes[slot] = file.id;
        sizes[slot] = file.size;
        owners[slot] = file.uid;
        positions[slot] = position;
        sinceNanos[slot] = removedNanos;
        quietNanos[slot] = removedNanos;
        openNanos[slot] = removedNanos;
        chain(slot);
        size++;
        return true;
    }

    private void chain(int slot) {
        int bucket = bucket(inodes[slot]);
        next[slot] = heads[bucket];
        heads[bucket] = slot + 1;
    }

    private int freeSlot() {
        if (free != 0) {
            int slot = free - 1;
            free = next[slot];
            return slot;
        }
        if (used == inodes.length) {
            grow(Math.max(16, 2 * used));
        }
        return used++;
    }

    private void grow(int slots) {
        tokens = Arrays.copyOf(tokens, slots);
        inodes = Arrays.copyOf(inodes, slots);
        sizes = Arrays.copyOf(sizes, slots);
        owners = Arrays.copyOf(owners, slots);
        positions = Arrays.copyOf(positions, slots);
        sinceNanos = Arrays.copyOf(sinceNanos, slots);
        quietNanos = Arrays.copyOf(quietNanos, slots);
        openNanos = Arrays.copyOf(openNanos, slots);
        next = Arrays.copyOf(next, slots);
        if (slots > heads.length && bucketBits < BUCKET_BITS_MAX) {
            bucketBits++;
            heads = new int[1 << bucketBits];
            for (int slot = 0; slot < used; slot++) { // none is free, or there would be no need to grow
                chain(slot);
            }
        }
    }

    /** Remembers which user has removed a file, whether it is in the table yet or not. */
    synchronized void removedBy(long inode, long mark) {
        if (removers.length == 0) {
            removers = new long[1 << REMOVER_BITS];
            removerOf = new long[1 << REMOVER_BITS];
        }
        int place = remover(inode);
        removerOf[place] = inode;
        removers[place] = mark;
    }

    private static int remover(long inode) {
        return hash(inode) >>> (Integer.SIZE - REMOVER_BITS);
    }

    /** Whether a user may be told of a file, and clear it: its owner, the user who removed it, and superusers may. */
    private boolean may(RemovalUser user, long inode, int owner) {
        if (user.isUnlimited() || user.uid() == owner) {
            return true;
        }
        int place = remover(inode);
        return removers.length > 0 && removerOf[place] == inode && removers[place] == user.mark();
    }

    /**
     * Takes a file out whose objects are gone, if this user may say so. If it is not here, it is remembered, in case it comes and was
     * removed before {@code told}; 0: it cannot come. False then.
     */
    synchronized boolean clear(RemovalUser user, long inode, long told, Cleared cleared) {
        int bucket = bucket(inode);
        int before = 0;
        for (int at = heads[bucket]; at != 0; at = next[at - 1]) {
            int slot = at - 1;
            if (inodes[slot] == inode) {
                if (!may(user, inode, owners[slot])) {
                    return false;
                }
                if (before == 0) {
                    heads[bucket] = next[slot];
                } else {
                    next[before - 1] = next[slot];
                }
                inodes[slot] = 0;
                next[slot] = free;
                free = at;
                size--;
                cleared.accept(tokens[slot], positions[slot]);
                return true;
            }
            before = at;
        }
        if (told > 0) {
            early.put(inode, new Told(user, told));
            if (early.size() > EARLY_MAX) {
                Iterator<Long> oldest = early.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
        return false;
    }

    /** {@link RemovalTable#page} of this part; where it goes on, {@link #PLACES} behind the last. */
    synchronized int page(int from, Ask ask, ByteBuffer out) {
        if (size == 0) {
            return PLACES;
        }
        int bucketsOfPlace = 1 << (bucketBits - PLACE_BITS);
        for (int place = from; place < PLACES; place++) {
            int first = place * bucketsOfPlace;
            int due = due(first, first + bucketsOfPlace, ask);
            if (due > out.remaining() / ENTRY_BYTES && out.position() > ask.begun) {
                return place; // what is told in two parts could not be gone on with
            }
            if (due > 0) {
                tell(first, first + bucketsOfPlace, ask, out);
            }
            if (out.remaining() < ENTRY_BYTES) {
                return place + 1;
            }
        }
        return PLACES;
    }

    private int due(int first, int end, Ask ask) {
        int due = 0;
        for (int bucket = first; bucket < end; bucket++) {
            for (int at = heads[bucket]; at != 0; at = next[at - 1]) {
                due += isDue(at - 1, ask) ? 1 : 0;
            }
        }
        return due;
    }

    private boolean isDue(int slot, Ask ask) {
        return positions[slot] <= ask.durable
                && (ask.olderThanNanos == 0
                        || (ask.now - sinceNanos[slot] >= ask.olderThanNanos && ask.now - quietNanos[slot] >= 0))
                && may(ask.user, inodes[slot], owners[slot]);
    }

    private void tell(int first, int end, Ask ask, ByteBuffer out) {
        long quiet = Math.min(ask.olderThanNanos, QUIET_NANOS_MAX);
        for (int bucket = first; bucket < end; bucket++) {
            for (int at = heads[bucket]; at != 0 && out.remaining() >= ENTRY_BYTES; at = next[at - 1]) {
                int slot = at - 1;
                if (isDue(slot, ask)) {
                    out.putLong(inodes[slot]).putLong(sizes[slot]);
                    if (quiet > 0 && ask.now - openNanos[slot] >= 0) {
                        quietNanos[slot] = ask.now + quiet;
                        openNanos[slot] = ask.now + 2 * quiet;
                    }
                }
            }
        }
    }

    /** Empties it; tells the tokens that it held. */
    synchronized void takeAll(LongConsumer token) {
        for (int slot = 0; slot < used; slot++) {
            if (inodes[slot] != 0) {
                token.accept(tokens[slot]);
                inodes[slot] = 0;
            }
        }
        Arrays.fill(heads, 0);
        Arrays.fill(removerOf, 0);
        free = 0;
        used = 0;
        size = 0;
        early.clear();
    }
}
