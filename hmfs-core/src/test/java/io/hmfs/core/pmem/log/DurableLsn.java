package io.hmfs.core.pmem.log;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Waits for numbers of a log to be on the disk, also for one that no store has taken yet. */
final class DurableLsn {
    private static final int SECONDS_MAX = 60;

    private DurableLsn() {}

    static void await(LoggedPoolFile file, long lsn) throws Exception {
        CompletableFuture<Void> durable = new CompletableFuture<>();
        file.groupCommit().whenDurable(lsn, () -> durable.complete(null), durable::completeExceptionally);
        durable.get(SECONDS_MAX, TimeUnit.SECONDS);
    }
}
