package io.hmfs.hadoop.store;

import io.hmfs.client.ServerInfo;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** Opens the data store that the server announces. */
public final class DataStores {
    private static final String OURS = "io.hmfs.hadoop.";

    private DataStores() {}

    /**
     * Opens the store.
     *
     * @throws IOException the announcement is not the address of a store, or the store cannot be opened here
     */
    public static DataStore open(ServerLink link, RadosSettings rados, Configuration conf) throws IOException {
        ServerInfo server = link.server();
        if (server.dataStore().equals(ServerInfo.BUILTIN)) {
            return new BuiltinDataStore(link);
        }
        String announced = "The data store that the server at " + link + " announces, '" + server.dataStore() + "', ";
        URI root;
        try {
            root = URI.create(server.dataStore());
        } catch (IllegalArgumentException e) {
            throw new IOException(announced + "is no URI", e);
        }
        if (root.getScheme() == null
                || root.getScheme().equals(ServerLink.SCHEME)
                || root.getScheme().equals(ServerLink.RDMA_SCHEME)) {
            throw new IOException(announced + "must be a URI of another filesystem, with its scheme");
        }
        try {
            return RadosDataStore.isAddress(root)
                    ? RadosDataStore.open(root, server.blockSize(), rados)
                    : new HadoopDataStore(root, server.blockSize(), withoutOurs(root.getScheme(), conf));
        } catch (IOException e) {
            throw new IOException(announced + "cannot be opened here: " + e.getMessage(), e);
        }
    }

    /** A program may map a scheme onto HMFS, hdfs for one; the store's address is of the filesystem that has this scheme by right. */
    private static Configuration withoutOurs(String scheme, Configuration conf) {
        String key = "fs." + scheme + ".impl";
        if (!conf.getTrimmed(key, "").startsWith(OURS)) {
            return conf;
        }
        Configuration without = new Configuration(conf);
        without.unset(key);
        return without;
    }
}
