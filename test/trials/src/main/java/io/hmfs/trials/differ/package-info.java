/**
 * The same operations on HMFS and on a real HDFS, and every difference between the two: {@code hmfs bench differ}. A {@link LockStep} is a
 * list of {@link Operation}s in fresh directories; {@link Differ} draws sessions, and makes one that differs as short as it gets.
 * Reaches the server only as a user does, through {@code bin/hmfs} and Hadoop's API.
 */
@NullMarked
package io.hmfs.trials.differ;

import org.jspecify.annotations.NullMarked;
