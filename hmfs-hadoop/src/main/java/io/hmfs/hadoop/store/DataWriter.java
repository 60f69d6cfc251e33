package io.hmfs.hadoop.store;

import io.hmfs.client.WriteVerifier;
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

    /** What a commit of the bytes written since the last call shows the server, so that none is committed that its machine has lost. */
    default long takeVerifier() {
        return WriteVerifier.NONE; // the store is not the server's
    }

    /** Forgets what was written since the last {@link #publish}, as far as the store can. */
    void abort();
}
