/**
 * Trials of whole systems, each with a verdict instead of figures. One package each: {@code .contract}, {@code .differ}, {@code .soak},
 * {@code .spark} and {@code .quickstart}. They reach a server only as a user does, and use the reports, peers and processes of the benchmarks.
 */
@NullMarked
package io.hmfs.trials;

import org.jspecify.annotations.NullMarked;
