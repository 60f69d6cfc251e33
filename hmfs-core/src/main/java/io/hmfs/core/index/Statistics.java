package io.hmfs.core.index;

/**
 * What the index looks like, counted when asked.
 *
 * @param depth directory depth: 2^depth entries
 * @param segments segments in use
 * @param splits splits since open
 * @param loadAtSplit mean share of used slots in the segments that were split since open; 0 if none was
 * @param loadSampled share of used slots in up to 64 segments, evenly chosen
 */
public record Statistics(int depth, long segments, long splits, double loadAtSplit, double loadSampled) {}
