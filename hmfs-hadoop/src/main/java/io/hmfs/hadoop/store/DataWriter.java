package io.hmfs.hadoop.store;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Writes one file's objects in order. After a failure only {@link #abort} is left. For one thread at a time. */
public interface DataWriter {
    /**
     * Takes the next bytes, which must not cross the end of a block; {@code source} belongs to the writer until it is
     * done.
     */
    CompletableFuture<Void> write(byte[] source, int sourceOffset, int length);

    /**
     * Makes everything written so far readable; with {@code durable} it also survives a loss of power, if the store
     * can do that. Every {@link #write} must be done.
     */
    void publish(boolean durable) throws IOException;

    /** Forgets what was written since the last {@link #publish}, as far as the store can. */
    void abort();
}
