/**
 * What operations work on: the engine's parts in one place, keys and look-ups, and linked directories (link, raise, sweep). Owns
 * I4. Imports {@code index}, {@code alloc}, {@code lock} and what is below them.
 */
@NullMarked
package io.hmfs.core.dir;

import org.jspecify.annotations.NullMarked;
