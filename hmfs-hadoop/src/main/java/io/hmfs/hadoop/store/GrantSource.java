package io.hmfs.hadoop.store;

import io.hmfs.client.Grant;
import java.io.IOException;

/** Gives the grant that goes with each request about the data of an open file. Thread-safe. */
@FunctionalInterface
public interface GrantSource {
    /** For stores that ask for none. */
    GrantSource NONE = () -> Grant.NONE;

    /** The grant as it is now; may ask the server for a new one. */
    Grant current() throws IOException;
}
