/**
 * The same work on a real HDFS and on HMFS, in turns: of Hadoop's programs, {@code hmfs bench hdfs}, and listings, {@code hmfs bench list}.
 * Both are reached through Hadoop's API alone, but for what is made before and not timed, and for listings through {@code HmfsClient}.
 */
@NullMarked
package io.hmfs.bench.hdfs;

import org.jspecify.annotations.NullMarked;
