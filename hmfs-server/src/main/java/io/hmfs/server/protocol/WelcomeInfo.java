package io.hmfs.server.protocol;

import java.util.UUID;

/**
 * What a server tells its clients about itself in the handshake.
 *
 * @param mapVersion version of the cluster map: 1 while a cluster is one server
 * @param frameMax longest frame that the server takes, without its length word
 * @param durable whether an acknowledged operation, and the data below a committed size, must survive power failure
 * @param rdma whether RDMA reaches the server, too, at the same address
 */
public record WelcomeInfo(
        UUID clusterId,
        long mapVersion,
        String serverVersion,
        String persistence,
        String dataStore,
        long blockSize,
        int chunkSize,
        int frameMax,
        boolean durable,
        boolean rdma) {}
