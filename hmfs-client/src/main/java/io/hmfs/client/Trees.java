package io.hmfs.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Calls about a directory and all that is below it, of the client that they were asked of ({@link HmfsClient#trees}).
 * Thread-safe.
 */
public final class Trees {
    private final Calls calls;
    private final TreeCalls rows;

    Trees(Calls calls) {
        this.calls = calls;
        rows = calls.table.trees;
    }

    /**
     * Sums up a file, or a directory and all below it, in requests of some milliseconds each. No snapshot: what comes
     * or goes meanwhile counts or not. ACCESS_DENIED if one of the directories may not be read and passed; STALE if
     * another directory has come in its place.
     */
    public TreeSummary summary(String path) throws IOException {
        TreeCalls.SumPart part = part(path, CallArguments.NO_BYTES);
        TreeSummary sum = part.sum();
        while (part.next().length > 0) {
            part = part(path, part.next());
            sum = sum.plus(part.sum());
        }
        return sum;
    }

    private TreeCalls.SumPart part(String path, byte[] from) throws IOException {
        return calls.call(rows.summary, path, TreeCalls.From.of(rows.summary.name, path, from, 0));
    }

    /**
     * A part of what is below a directory, at most {@code entriesMax} entries; 0: as many as the server likes. No
     * snapshot: what neither comes nor goes meanwhile, nor moves into or out of a directory, is met exactly once, and
     * what has come or gone may be. NOT_DIRECTORY; ACCESS_DENIED if the next directory on the way may not be read and
     * passed, which was told of no earlier than that; STALE if another directory has come in its place.
     */
    public TreePage list(String path, TreeCursor cursor, int entriesMax) throws IOException {
        return calls.call(rows.list, path, TreeCalls.From.of(rows.list.name, path, cursor.bytes, entriesMax));
    }

    /** Asks for a part of what is below a directory; see {@link #list}. */
    public CompletableFuture<TreePage> listAsync(String path, TreeCursor cursor, int entriesMax) {
        return calls.submitMade(
                rows.list, path, () -> TreeCalls.From.of(rows.list.name, path, cursor.bytes, entriesMax));
    }

    /**
     * Removes a directory with all that is below it, in one step, whatever its size. Only where
     * {@link ServerInfo#dataStore} is {@link ServerInfo#BUILTIN}. NOT_DIRECTORY, IS_ROOT; ACCESS_DENIED, and then
     * nothing was removed; NO_SPACE: a full pool has no room for the step, and what is removed one by one needs none.
     */
    public void remove(String path) throws IOException {
        calls.call(rows.remove, path);
    }

    /**
     * Limits how many names may be below a directory, itself included (at least 1), and how many bytes of files (at
     * least 0). {@link QuotaInfo#NONE}: no limit; {@link QuotaInfo#KEEP}: as it is. What is there already may be more:
     * then nothing can be added. Superusers only: ACCESS_DENIED. NOT_DIRECTORY; INVALID_ARGUMENT; NO_SPACE.
     */
    public void setQuota(String path, long names, long bytes) throws IOException {
        calls.call(rows.setQuota, path, TreeCalls.Limits.of(path, names, bytes));
    }

    /** The limits of a directory and what is below it; of what has no limit nothing is summed up. */
    public QuotaInfo quota(String path) throws IOException {
        return calls.call(rows.quota, path);
    }
}
