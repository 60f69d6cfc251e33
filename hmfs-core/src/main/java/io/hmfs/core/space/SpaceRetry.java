package io.hmfs.core.space;

import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.engine.Engine;

/**
 * How often an operation that has found the pool full is tried again: as long as room is made, by this thread or by others, which may have
 * taken it before; but at most so often and so long, because removing can be slow.
 */
public final class SpaceRetry {
    private static final int MAX = 64;
    private static final long NANOS_MAX = 2_000_000_000L;

    private final Engine engine;
    private final long begun = System.nanoTime();
    private int count;
    private boolean made = true;
    private long freed;

    public SpaceRetry(Engine engine) {
        this.engine = engine;
        this.freed = freed();
    }

    /** Whether to try again. To be called before each attempt to make room. */
    public boolean next() {
        long before = freed;
        freed = freed();
        boolean again = (made || freed != before) && count < MAX && System.nanoTime() - begun < NANOS_MAX;
        count++;
        return again;
    }

    /** Whether the attempt has made room itself. */
    public void made(boolean some) {
        made = some;
    }

    private long freed() {
        long sum = 0;
        for (SlotAllocator slots : engine.slots()) {
            sum += slots.retired();
        }
        return sum;
    }
}
