package io.hmfs.hadoop;

import io.hmfs.client.HmfsClient;
import io.hmfs.hadoop.attributes.AclLists;
import io.hmfs.hadoop.attributes.DirectoryQuotas;
import io.hmfs.hadoop.attributes.FileAttributes;
import io.hmfs.hadoop.attributes.XAttrs;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.link.ServerState;
import io.hmfs.hadoop.listing.Listings;
import io.hmfs.hadoop.namespace.Concat;
import io.hmfs.hadoop.namespace.Creation;
import io.hmfs.hadoop.namespace.Removal;
import io.hmfs.hadoop.namespace.Rename;
import io.hmfs.hadoop.statistics.OpCounts;
import io.hmfs.hadoop.store.DataStore;
import io.hmfs.hadoop.store.DataStores;
import io.hmfs.hadoop.store.Locations;
import io.hmfs.hadoop.store.ObjectRemoval;
import io.hmfs.hadoop.stream.FileStreams;
import io.hmfs.hadoop.stream.StreamSettings;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * What an open filesystem consists of: the connection, the data store that the server announces, and one object per
 * topic. The topics take absolute paths as the server knows them and throw the exceptions of HDFS. Thread-safe.
 *
 * @param objectRemoval null where the server removes objects itself
 */
record Mount(
        ServerLink link,
        DataStore store,
        @Nullable ObjectRemoval objectRemoval,
        ServerState server,
        FileAttributes attributes,
        XAttrs xattrs,
        AclLists acls,
        DirectoryQuotas quotas,
        Locations locations,
        FileStreams streams,
        Listings listings,
        Creation creation,
        Rename rename,
        Removal removal,
        Concat concat)
        implements Closeable {
    /** Connects to the server at {@code address} for {@code user}, and opens its data store. */
    static Mount open(URI address, HmfsOptions options, UserGroupInformation user, Configuration conf, OpCounts counts)
            throws IOException {
        int port = address.getPort() == -1 ? HmfsClient.DEFAULT_PORT : address.getPort();
        ServerLink link = ServerLink.open(address.getHost(), port, options.clientOptions(user));
        try {
            return of(link, DataStores.open(link, options.rados(), conf), options, counts);
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    private static Mount of(ServerLink link, DataStore store, HmfsOptions options, OpCounts counts) {
        ObjectRemoval objectRemoval = null;
        if (!store.dropsBlocksItself()) {
            objectRemoval = new ObjectRemoval(store, link.client(), options.takeOver());
            link.client().onRemoved(objectRemoval::drop);
            objectRemoval.start();
        }
        long blockSize = link.server().blockSize();
        FileAttributes attributes = new FileAttributes(link);
        Listings listings = new Listings(link, attributes, options.listPageEntries(), options.listPagesAhead());
        FileStreams streams = new FileStreams(
                link,
                store,
                new StreamSettings(
                        blockSize,
                        link.server().chunkSize(),
                        options.readAheadChunks(),
                        options.writeChunksInFlight(),
                        options.syncOnClose()),
                objectRemoval,
                counts);
        Removal removal = new Removal(
                link,
                listings,
                new Removal.Settings(store.dropsBlocksItself(), options.deletesInFlight(), options.listPageEntries()));
        return new Mount(
                link,
                store,
                objectRemoval,
                new ServerState(link),
                attributes,
                new XAttrs(link),
                new AclLists(link),
                new DirectoryQuotas(link),
                new Locations(store, blockSize),
                streams,
                listings,
                new Creation(link),
                new Rename(link, streams),
                removal,
                new Concat(link, attributes, streams, removal));
    }

    /** Closes the streams, waits for the removal of objects and tells the server of it, and disconnects. */
    @Override
    public void close() throws IOException {
        // In reverse order: the connection, whose last reply may tell of a removed file, object removal, its store.
        try (store;
                @Nullable ObjectRemoval last = objectRemoval;
                link) {
            streams.close();
            if (last != null) {
                last.settle(); // needs the connection
            }
        }
    }
}
