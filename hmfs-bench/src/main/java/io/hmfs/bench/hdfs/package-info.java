/**
 * The same work of Hadoop's programs on a real HDFS and on HMFS, in turns: {@code hmfs bench hdfs}. Both are reached through
 * Hadoop's API alone, but for the trees that are not timed.
 */
@NullMarked
package io.hmfs.bench.hdfs;

import org.jspecify.annotations.NullMarked;
