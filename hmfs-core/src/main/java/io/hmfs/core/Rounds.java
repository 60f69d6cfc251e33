package io.hmfs.core;

import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.dir.Engine;

/**
 * How often an operation is tried again that has found the pool full: as long as room is made, for it or for others, who may have taken
 * it before; but not for ever, for who makes room may be slow.
 */
final class Rounds {
    private static final int MAX = 64;
    private static final long NANOS_MAX = 2_000_000_000L;

    private final Engine engine;
    private final long begun = System.nanoTime();
    private int count;
    private boolean made = true;
    private long freed;

    Rounds(Engine engine) {
        this.engine = engine;
        this.freed = freed();
    }

    /** Whether there is another one; before it. */
    boolean next() {
        long before = freed;
        freed = freed();
        boolean again = (made || freed != before) && count < MAX && System.nanoTime() - begun < NANOS_MAX;
        count++;
        return again;
    }

    /** Whether this round has made room itself. */
    void made(boolean some) {
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
