package io.hmfs.hadoop.store;

import io.hmfs.client.Grant;
import java.io.IOException;

/** Tells the grant that the server asks for with each request about an open file's data. Thread-safe. */
@FunctionalInterface
public interface Grants {
    /** For stores that ask for none. */
    Grants NONE = () -> Grant.NONE;

    /** The grant as it is now; may ask the server for a new one. */
    Grant current() throws IOException;
}
