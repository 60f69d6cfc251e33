/**
 * Locks on names that requests take for as long as they look at an object and change it.
 */
@NullMarked
package io.hmfs.server.lock;

import org.jspecify.annotations.NullMarked;
