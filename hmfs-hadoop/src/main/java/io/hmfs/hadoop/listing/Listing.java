package io.hmfs.hadoop.listing;

import io.hmfs.client.FileInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;

/** Entries that are fetched a page at a time, sorted by name within each page. For one thread. */
public final class Listing implements RemoteIterator<FileInfo> {
    /** The order of HDFS, that of the names' bytes in UTF-8: where {@link String} compares halves of a code point, not it. */
    static final Comparator<String> BY_BYTES = (a, b) -> {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean isHigher = Character.isSurrogate(x);
                return isHigher == Character.isSurrogate(y) ? x - y : isHigher ? 1 : -1;
            }
        }
        return a.length() - b.length();
    };

    /** One page; {@code more} fetches the next one, and is null after the last. */
    record Page(List<FileInfo> entries, @Nullable More more) {}

    /** Fetches a page. */
    @FunctionalInterface
    interface More {
        Page fetch() throws IOException;
    }

    private Iterator<FileInfo> entries;
    private @Nullable More more;

    Listing(Page first) {
        this.entries = sorted(first);
        this.more = first.more;
    }

    private static Iterator<FileInfo> sorted(Page page) {
        List<FileInfo> entries = new ArrayList<>(page.entries);
        entries.sort(Comparator.comparing(FileInfo::name, BY_BYTES));
        return entries.iterator();
    }

    @Override
    public boolean hasNext() throws IOException {
        while (!entries.hasNext()) {
            if (more == null) {
                return false;
            }
            Page page = more.fetch();
            entries = sorted(page);
            more = page.more;
        }
        return true;
    }

    @Override
    public FileInfo next() throws IOException {
        if (!hasNext()) {
            throw new NoSuchElementException("No more entries");
        }
        return entries.next();
    }
}
