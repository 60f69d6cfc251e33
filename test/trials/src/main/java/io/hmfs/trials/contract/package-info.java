/**
 * Programs that others wrote, run over {@code hmfs://} and judged by what they leave: {@code hmfs bench contract}.
 * Reaches the server only as a user does, through {@code bin/hmfs} and Hadoop's API.
 */
@NullMarked
package io.hmfs.trials.contract;

import org.jspecify.annotations.NullMarked;
