package io.hmfs.core;

import io.hmfs.core.pmem.LogFigures;
import java.util.Map;

/**
 * What changes about an open pool while it is used, for metrics: cheap to ask for at any time.
 *
 * @param usedBytes bytes of the regions taken, by what they hold; a region is taken whole and never given back
 * @param log of the log, all 0 without one
 */
public record PoolFigures(Map<String, Long> usedBytes, LogFigures log) {
    /** Of a namespace that has no pool. */
    public static final PoolFigures NONE = new PoolFigures(Map.of(), LogFigures.NONE);
}
