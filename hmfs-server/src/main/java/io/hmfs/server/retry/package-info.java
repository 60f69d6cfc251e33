/**
 * The retry cache: answers of changes, kept by client and sequence, so that a change that comes again is not executed again. What became of
 * changes before the server's start stands in the pool, as records of the engine.
 */
@NullMarked
package io.hmfs.server.retry;

import org.jspecify.annotations.NullMarked;
