package io.hmfs.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of the listing of a tree: a directory before what is below it, otherwise in no promised order. The name of an
 * entry is its path from the top, without a slash before it, and {@link FileInfo#parentId} is 0. Immutable.
 */
public final class TreePage {
    private final PageBody body;
    private final @Nullable TreeCursor next;

    TreePage(PageBody body, @Nullable TreeCursor next) {
        this.body = body;
        this.next = next;
    }

    /** Reads the entries in place, from the first one on; there may be none although more follow. */
    public PageEntries read() {
        return new PageEntries(body);
    }

    /** The entries, made anew. */
    public List<FileInfo> entries() {
        return PageEntries.infos(body);
    }

    /**
     * Those directories of them that are too deep for their own entries to be in the listing: to be listed themselves.
     */
    public List<FileInfo> apart() {
        List<FileInfo> apart = new ArrayList<>(0);
        PageEntries entries = read();
        while (entries.next()) {
            if (entries.apart()) {
                apart.add(entries.info());
            }
        }
        return apart;
    }

    /** Where the next part begins; null after the last one. */
    public @Nullable TreeCursor next() {
        return next;
    }
}
