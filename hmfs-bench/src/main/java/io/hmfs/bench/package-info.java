/**
 * The benchmarks' command line and the one shape of their results. Owns no invariant of the engine; keeps that a number is never
 * shown without the machine, the commit and the command it came from. May import everything.
 */
@NullMarked
package io.hmfs.bench;

import org.jspecify.annotations.NullMarked;
