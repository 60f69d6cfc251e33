/**
 * A server under a steady mix for minutes: whether what it takes stays as it is. Owns no invariant; reaches the server over its ports and
 * through {@code /proc}.
 */
@NullMarked
package io.hmfs.trials.soak;

import org.jspecify.annotations.NullMarked;
