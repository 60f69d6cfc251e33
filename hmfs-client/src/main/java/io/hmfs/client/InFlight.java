package io.hmfs.client;

import org.jspecify.annotations.Nullable;

/**
 * The calls on the wire. A correlation id is a slot of a table and the number of its use, so that finding a call is one
 * array access and a reply that comes too late finds nothing. Ids are never 0. Not thread-safe.
 */
final class InFlight {
    private static final int SLOT_BITS = 17;
    private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;

    private final @Nullable Call<?, ?>[] calls;
    private final int[] free;
    private int freeCount;
    private long uses;
    private int expiryScan;

    InFlight(int callsMax) {
        calls = new Call<?, ?>[callsMax];
        free = new int[callsMax];
        for (int i = 0; i < callsMax; i++) {
            free[i] = callsMax - 1 - i;
        }
        freeCount = callsMax;
    }

    int size() {
        return calls.length - freeCount;
    }

    boolean isFull() {
        return freeCount == 0;
    }

    /** Takes a call in and gives it its correlation id. */
    void add(Call<?, ?> call) {
        int slot = free[--freeCount];
        call.correlationId = ++uses << SLOT_BITS | slot;
        calls[slot] = call;
    }

    /** The call with this id; null if there is none (any more). */
    @Nullable
    Call<?, ?> find(long correlationId) {
        int slot = (int) correlationId & SLOT_MASK;
        Call<?, ?> call = slot < calls.length ? calls[slot] : null;
        return call == null || call.correlationId != correlationId ? null : call;
    }

    /** Takes out the call with this id; null if there is none (any more). */
    @Nullable
    Call<?, ?> remove(long correlationId) {
        Call<?, ?> call = find(correlationId);
        if (call != null) {
            int slot = (int) correlationId & SLOT_MASK;
            calls[slot] = null;
            free[freeCount++] = slot;
        }
        return call;
    }

    /** Takes out a call whose deadline has passed; null after the last one. */
    @Nullable
    Call<?, ?> removeExpired(long nowNanos) {
        while (expiryScan < calls.length) {
            Call<?, ?> call = calls[expiryScan++];
            if (call != null && nowNanos - call.deadlineNanos > 0) {
                return remove(call.correlationId);
            }
        }
        expiryScan = 0;
        return null;
    }

    /** Takes out any call; null if there is none. */
    @Nullable
    Call<?, ?> removeAny() {
        for (Call<?, ?> call : calls) {
            if (call != null) {
                return remove(call.correlationId);
            }
        }
        return null;
    }
}
