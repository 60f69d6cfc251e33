/**
 * HMFS as a Hadoop filesystem: arguments in, Hadoop's own exceptions out. May import {@code io.hmfs.client},
 * {@code io.hmfs.hadoop.link}, {@code io.hmfs.hadoop.store} and Hadoop's API; owns no invariant of the namespace.
 */
@NullMarked
package io.hmfs.hadoop;

import org.jspecify.annotations.NullMarked;
