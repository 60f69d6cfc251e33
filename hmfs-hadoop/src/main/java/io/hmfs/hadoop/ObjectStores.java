package io.hmfs.hadoop;

import io.hmfs.client.ServerInfo;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.ObjectStoreProvider;
import io.hmfs.hadoop.store.HadoopObjects;
import io.hmfs.hadoop.store.RadosDataStore;
import io.hmfs.hadoop.store.RadosObjects;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/**
 * Opens the data stores that clients write to, with the settings of this host, for the search for objects of no file.
 */
public final class ObjectStores implements ObjectStoreProvider {
    @Override
    public ObjectStore open(String host, ServerInfo server) throws IOException {
        URI root = URI.create(server.dataStore());
        Configuration conf = new Configuration();
        return RadosDataStore.isAddress(root)
                ? new RadosObjects(root, HmfsOptions.from(conf, host).rados())
                : new HadoopObjects(root, conf);
    }
}
