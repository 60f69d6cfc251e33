package io.hmfs.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Part of a listing; the entries are in no promised order. Immutable. */
public final class ListPage {
    private final PageBody body;
    private final @Nullable ListingCursor next;

    ListPage(PageBody body, @Nullable ListingCursor next) {
        this.body = body;
        this.next = next;
    }

    /** How many entries it has; may be 0 although more follow. */
    public int size() {
        return body.count;
    }

    /** Reads the entries in place, from the first one on. */
    public PageEntries read() {
        return new PageEntries(body);
    }

    /** The entries, made anew. */
    public List<FileInfo> entries() {
        return PageEntries.infos(body);
    }

    /** Where the next page begins; null after the last one. */
    public @Nullable ListingCursor next() {
        return next;
    }
}
