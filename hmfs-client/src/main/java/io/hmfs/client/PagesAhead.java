package io.hmfs.client;

import io.hmfs.client.NamespaceCalls.ListFrom;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/**
 * Asks for pages of one directory before the pages before them are here: one ahead at first, and with each page one
 * more. What was asked for goes on behind the request before it, so one that fails takes those behind it with it. For
 * one thread.
 */
public final class PagesAhead {
    private final Calls calls;
    private final CallKind<ListFrom, ListPage> kind;
    private final String path;
    private final int pagesMax;
    private final ArrayDeque<CompletableFuture<ListPage>> underWay = new ArrayDeque<>();
    private ListFrom last; // that was asked for
    private int window;

    /** {@code pagesMax}: pages under way at once, at most. */
    PagesAhead(Calls calls, CallKind<ListFrom, ListPage> kind, String path, ListFrom list, int pagesMax) {
        this.calls = calls;
        this.kind = kind;
        this.path = path;
        this.last = list;
        this.pagesMax = pagesMax;
    }

    /**
     * The next page, and asks for more of those behind it.
     *
     * @param cursor where the page ended that this method, or a request of its own, has brought last
     */
    public CompletableFuture<ListPage> next(ListingCursor cursor) {
        window = Math.min(window + 1, pagesMax);
        if (underWay.isEmpty()) {
            ask(last.at(cursor));
        }
        while (underWay.size() < window) {
            ask(last.following());
        }
        return underWay.remove();
    }

    private void ask(ListFrom list) {
        last = list;
        underWay.add(calls.submit(kind, path, list));
    }

    /** A page has failed: those behind it are of no use. The next one is asked for from its cursor on. */
    public void restart() {
        underWay.clear();
        window = 0;
    }
}
