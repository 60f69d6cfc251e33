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
            long successor = EntryRecord.link(pmem, at);
            boolean there = EntryRecord.state(pmem, successor) == SlotState.CREATING;
            if (isSameRename(pmem, at, status, successor)) {
                return there;
            }
        }
    }

    /**
     * Whether an object is still in the rename in which it was seen, with this status and then this successor. † The link too, and after the status: a
     * rename that came to nothing, as its target directory was removed, and another one since leave the status as it was, while the first
     * successor's slot is free. It is no other successor's as long as the caller's epoch is pinned (I5), so an equal link is the same rename.
     */
    static boolean isSameRename(Pmem pmem, long at, long status, long successor) {
        return EntryRecord.status(pmem, at) == status && EntryRecord.link(pmem, at) == successor;
    }
}
