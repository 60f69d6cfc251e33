/**
 * HMFS as a filesystem of Flink: Flink's own adapter for Hadoop's filesystems, and a recoverable writer that knows HMFS. Imports {@code
 * io.hmfs.hadoop}, Flink and Hadoop.
 */
@NullMarked
package io.hmfs.flink;

import org.jspecify.annotations.NullMarked;
