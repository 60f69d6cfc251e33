package io.hmfs.hadoop.store;

import io.hmfs.client.ServerInfo;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.ObjectStoreProvider;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** The data stores of this package for whoever looks for objects of no file, with Hadoop's settings of this host. */
public final class ObjectStores implements ObjectStoreProvider {
    @Override
    public ObjectStore open(ServerInfo server) throws IOException {
        return new HadoopObjects(URI.create(server.dataStore()), new Configuration());
    }
}
