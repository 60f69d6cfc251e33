package io.hmfs.core.engine;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/** What the state of an entry means while other threads change it. */
final class EntryStates {
    private EntryStates() {}

    /** Whether a transient state was left by an earlier start than this one: then its operation died half way. */
    static boolean isStale(Pmem pmem, long start, long at, long status) {
        return switch (EntryRecord.state(status)) {
            case SlotState.CREATING -> EntryRecord.birth(pmem, at) < start;
            case SlotState.DELETING, SlotState.MOVING, SlotState.REPLACED -> EntryRecord.death(pmem, at) < start;
            default -> false;
        };
    }

    /**
     * Whether a stat would find this entry in this instant: what is about to go still exists, and so does what moves away or is
     * replaced until its successor is NORMAL. What an earlier start left half done is recovered before.
     */
    static boolean isThere(Pmem pmem, long at) {
        for (; ; ) {
            long status = EntryRecord.status(pmem, at);
            int state = EntryRecord.state(status);
            if (state == SlotState.NORMAL || state == SlotState.DELETING) {
                return true;
            }
            if (state != SlotState.MOVING && state != SlotState.REPLACED) {
                return false;
            }
            boolean there = EntryRecord.state(pmem, EntryRecord.link(pmem, at)) == SlotState.CREATING;
            if (EntryRecord.status(pmem, at) == status) {
                return there;
            }
        }
    }
}
