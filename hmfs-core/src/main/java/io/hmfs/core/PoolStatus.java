package io.hmfs.core;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Figures about an open pool. Sizes are bytes.
 *
 * @param path the pool's file
 * @param backing what maps it: {@code mapped} or {@code pmdk}
 * @param memory what it lies on and how stores become durable there, in words
 * @param persistence what an acknowledged operation survives: {@code pmem} or {@code process}
 * @param clusterId identity given at format
 * @param idsMayRepeat whether its ids began at 2, as those of all pools once did: another pool may have given out the same ones
 * @param formatVersion version of the layout in the pool
 * @param capacity bytes of the pool
 * @param capacityMax bytes to which it may grow; {@code capacity} if it does not
 * @param growthProblem why it could not grow when that was tried last, or null
 * @param regionsUsed regions taken so far, of {@code regionsMax}
 * @param recovering whether the background scan after a start is still running
 * @param freeSlots how this start has come to know the free slots, in words
 * @param recoveredObjects objects that this start found half done and finished or undid
 */
public record PoolStatus(
        String path,
        String backing,
        String memory,
        String persistence,
        UUID clusterId,
        boolean idsMayRepeat,
        int formatVersion,
        long capacity,
        long capacityMax,
        @Nullable String growthProblem,
        int regionsUsed,
        int regionsMax,
        boolean recovering,
        String freeSlots,
        long recoveredObjects) {}
