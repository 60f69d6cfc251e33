package io.hmfs.client;

import java.util.UUID;

/**
 * What the server told in the handshake.
 *
 * @param mapVersion version of the cluster map; 1 while a cluster is one server
 * @param persistence what an acknowledged operation survives: {@code pmem} or {@code process}
 * @param dataStore where file data goes: {@code builtin}, or the URI of a Hadoop filesystem
 * @param blockSize bytes of data in one object of the data store
 * @param chunkSize most bytes in one read or write of the builtin data store
 */
public record ServerInfo(
        int protocolVersion,
        UUID clusterId,
        long mapVersion,
        String serverVersion,
        String persistence,
        String dataStore,
        long blockSize,
        int chunkSize) {
    /** The {@link #dataStore} of a server that keeps file data itself. */
    public static final String BUILTIN = "builtin";
}
