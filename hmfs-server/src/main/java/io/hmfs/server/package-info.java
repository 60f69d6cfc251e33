/**
 * The server: opens a pool, executes requests on it, listens. Owns no invariant of its own: an unexpected error inside an
 * operation stops it, so that the engine's recovery, not a guess, decides what was done. Imports everything below it.
 */
@NullMarked
package io.hmfs.server;

import org.jspecify.annotations.NullMarked;
