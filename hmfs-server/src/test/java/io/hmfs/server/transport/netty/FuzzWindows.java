package io.hmfs.server.transport.netty;

import java.util.List;

/** What a peer says of its windows: all but the first are not what they should be. */
enum FuzzWindows {
    RIGHT,
    FORGED_KEYS,
    /** The keys of the two, each for the other. */
    SWAPPED,
    /** Those of another client, which has windows. */
    OF_ANOTHER,
    BEYOND_THE_END,
    BEFORE_THE_BEGINNING,
    /** Of memory that is registered without rights. */
    WITHOUT_RIGHTS;

    static FuzzWindows of(int number) {
        return values()[Math.floorMod(number, values().length)];
    }

    /** What {@link #of} takes. */
    int number() {
        return List.of(values()).indexOf(this);
    }
}
