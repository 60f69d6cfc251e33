/**
 * What a filesystem counts, as IOStatistics, StorageStatistics and metrics2. May import {@code io.hmfs.hadoop.link}
 * and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.statistics;

import org.jspecify.annotations.NullMarked;
