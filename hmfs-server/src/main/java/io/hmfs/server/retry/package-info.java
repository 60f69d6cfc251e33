/**
 * The retry cache: answers of changes, kept by client and sequence, so that a change that comes again is not executed again.
 */
@NullMarked
package io.hmfs.server.retry;

import org.jspecify.annotations.NullMarked;
