/**
 * Simulated persistent memory that loses power wherever a test wants it to, for the crash tests of every layer (I1, I2).
 * Imports core.pmem only.
 */
@NullMarked
package io.hmfs.core.sim;

import org.jspecify.annotations.NullMarked;
