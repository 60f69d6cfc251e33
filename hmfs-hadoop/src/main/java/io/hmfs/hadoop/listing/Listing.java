package io.hmfs.hadoop.listing;

import io.hmfs.client.PageEntries;
import io.hmfs.hadoop.attributes.HmfsFileStatus;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.FutureIO;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are fetched a page at a time; the next page is asked for as soon as this one is here. For one thread.
 */
public final class Listing implements RemoteIterator<HmfsFileStatus> {
    /** One page; {@code more} is null after the last. */
    record Page(PageEntries entries, @Nullable More more) {}

    /** A page that can be asked for. */
    interface More {
        /** Asks for it. */
        CompletableFuture<Page> ask();

        /** Asks for it and waits; a refusal is the exception of HDFS. */
        Page fetch() throws IOException;
    }

    private final Function<PageEntries, @Nullable HmfsFileStatus> shown;
    private final boolean sorted;
    private Iterator<HmfsFileStatus> entries;
    private @Nullable More more;
    private @Nullable CompletableFuture<Page> ahead; // the answer to more, under way

    /**
     * Begins with a page that is here.
     *
     * @param sorted whether the entries of each page come by name
     * @param shown the status of an entry; null for one that the listing leaves out
     */
    Listing(Page first, boolean sorted, Function<PageEntries, @Nullable HmfsFileStatus> shown) {
        this.shown = shown;
        this.sorted = sorted;
        this.entries = take(first);
    }

    private Iterator<HmfsFileStatus> take(Page page) {
        more = page.more;
        ahead = more == null ? null : more.ask();
        List<HmfsFileStatus> taken = new ArrayList<>();
        PageEntries from = page.entries;
        while (from.next()) {
            HmfsFileStatus next = shown.apply(from);
            if (next != null) {
                taken.add(next);
            }
        }
        return sorted ? NameOrder.sorted(taken).iterator() : taken.iterator();
    }

    @Override
    public boolean hasNext() throws IOException {
        while (!entries.hasNext()) {
            if (more == null) {
                return false;
            }
            entries = take(next(more));
        }
        return true;
    }

    /** What was asked for ahead; what has become of it is no failure before it is needed, so it is asked for again then. */
    private Page next(More asked) throws IOException {
        CompletableFuture<Page> answer = ahead;
        if (answer != null) {
            ahead = null;
            try {
                return FutureIO.awaitFuture(answer);
            } catch (InterruptedIOException interrupted) {
                throw interrupted;
            } catch (IOException | RuntimeException failed) {
                // as below
            }
        }
        return asked.fetch();
    }

    @Override
    public HmfsFileStatus next() throws IOException {
        if (!hasNext()) {
            throw new NoSuchElementException("No more entries");
        }
        return entries.next();
    }
}
