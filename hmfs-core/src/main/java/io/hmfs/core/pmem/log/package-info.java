/**
 * Durability without persistent memory: a pool in memory that outlives the process, whose write-backs are a log on any disk.
 * Owns the claim that every prefix of the log is an image that a power failure of persistent memory could have left
 * (docs/architecture.md, The log). Imports {@code io.hmfs.core.pmem} and {@code io.hmfs.core.type}.
 */
@NullMarked
package io.hmfs.core.pmem.log;

import org.jspecify.annotations.NullMarked;
