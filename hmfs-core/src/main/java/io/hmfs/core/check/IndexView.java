package io.hmfs.core.check;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.DirectoryEntry;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Look-ups in the index as it stands in the pool, on which {@link IndexCheck} has looked at every pointer. */
final class IndexView {
    private final PoolView view;
    private final Pmem pmem;
    private long directoryAt;
    private int depth;
    private boolean usable;
    private boolean splitting;
    private @Nullable Runnable rebuild;

    IndexView(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
    }

    void use(long at, int ofDepth) {
        directoryAt = at;
        depth = ofDepth;
        usable = true;
    }

    void giveUp() {
        usable = false;
    }

    /** Nothing can be found by it; {@code repair} tells so, and builds it anew in a round that repairs. */
    void broken(Runnable repair) {
        rebuild = repair;
    }

    /** Builds it anew if it is broken. */
    void rebuild() {
        Runnable repair = rebuild;
        rebuild = null;
        if (repair != null) {
            repair.run();
        }
    }

    void splits() {
        splitting = true;
    }

    /** Whether a split was cut off. */
    boolean isSplitting() {
        return splitting;
    }

    /** Whether each entry of its directory leads to a segment. */
    boolean isUsable() {
        return usable;
    }

    int depth() {
        return depth;
    }

    long entry(long index) {
        return pmem.get(directoryAt + (index << 3));
    }

    /** The first object that a look-up of this hash would come across and that the caller wants, or NULL. */
    long find(long hash, LongPredicate wanted) {
        long segment = DirectoryEntry.segment(entry(hash & ((1L << depth) - 1)));
        int home = BucketRecord.home(hash);
        long found = find(segment, home, hash, wanted);
        return found != Pmem.NULL ? found : find(segment, BucketRecord.partner(home, hash), hash, wanted);
    }

    private long find(long segment, int bucket, long hash, LongPredicate wanted) {
        long line = SegmentRecord.bucket(segment, bucket);
        for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
            long word = BucketRecord.load(pmem, line, slot);
            if (word != 0 && BucketRecord.sameTag(word, hash) && wanted.test(BucketRecord.offset(word))) {
                return BucketRecord.offset(word);
            }
        }
        return Pmem.NULL;
    }

    /** Whether a look-up of this hash comes across this object. */
    boolean names(long hash, long object) {
        return usable && find(hash, at -> at == object) != Pmem.NULL;
    }

    /** The content that the index has for a directory, or NULL. */
    long content(long id) {
        return find(
                view.keys.ofContent(id),
                at -> view.isContent(at) && view.isLiveContent(at) && DirContentRecord.id(pmem, at) == id);
    }
}
