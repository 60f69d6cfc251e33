package io.hmfs.client.gc;

import io.hmfs.client.ServerInfo;
import java.io.IOException;

/** Opens data stores that clients write to themselves; found as a service. */
public interface ObjectStoreProvider {
    /**
     * The store of {@link ServerInfo#dataStore}, which is a URI, with the settings that there are here for the server
     * at {@code host}.
     */
    ObjectStore open(String host, ServerInfo server) throws IOException;
}
