/**
 * Locks on names that requests take for as long as they look at an object and change it, and versions by which requests that take none see that
 * something has changed.
 */
@NullMarked
package io.hmfs.server.lock;

import org.jspecify.annotations.NullMarked;
