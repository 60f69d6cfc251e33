package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import java.util.HashMap;
import java.util.Map;

/** From the id of a directory to its content: by the index, and by a map on the heap for those alone that the index does not have. */
final class Contents {
    private final PoolView view;
    private final IndexView index;
    private final Map<Long, Long> unindexed = new HashMap<>();

    Contents(PoolView view, IndexView index) {
        this.view = view;
        this.index = index;
        view.eachSlot("directories", RegionKind.CONTENT_SLOTS, this::note);
    }

    private void note(long at) {
        long id = DirContentRecord.id(view.pmem, at);
        if (view.isLiveContent(at) && !index.names(view.keys.ofContent(id), at)) {
            unindexed.putIfAbsent(id, at);
        }
    }

    long of(long id) {
        long found = index.isUsable() ? index.content(id) : Pmem.NULL;
        if (found != Pmem.NULL) {
            return found;
        }
        long noted = unindexed.getOrDefault(id, Pmem.NULL);
        boolean still = noted != Pmem.NULL && view.isLiveContent(noted) && DirContentRecord.id(view.pmem, noted) == id;
        return still ? noted : Pmem.NULL;
    }

    /** A directory is there, but its content is missing: a repair would make one. */
    void expect(long id) {
        unindexed.putIfAbsent(id, Pmem.NULL);
    }

    boolean expects(long id) {
        return unindexed.containsKey(id);
    }

    /** A content that a repair has made or renamed. */
    void add(long id, long at) {
        unindexed.put(id, at);
    }
}
