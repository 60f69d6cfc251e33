package io.hmfs.client;

import java.util.UUID;

/**
 * A server's figures at one moment.
 *
 * @param poolPath the pool's file on the server; empty for users that are no superusers
 * @param backing what maps it: {@code mapped} or {@code pmdk}
 * @param persistence what an acknowledged operation survives: {@code pmem} or {@code process}
 * @param clusterId identity given when the pool was made
 * @param mapVersion version of the cluster map
 * @param formatVersion version of the layout in the pool
 * @param capacity bytes of the pool
 * @param regionsUsed regions taken so far, of {@code regionsMax}
 * @param recovering whether the background scan after a start is still running
 * @param recoveredObjects objects that this start found half done and finished or undid
 * @param connections open connections, this one included
 */
public record ServerStatus(
        String poolPath,
        String backing,
        String persistence,
        UUID clusterId,
        long mapVersion,
        int formatVersion,
        long capacity,
        int regionsUsed,
        int regionsMax,
        boolean recovering,
        long recoveredObjects,
        int connections,
        long uptimeMillis,
        String serverVersion) {}
