/**
 * Space of a pool: regions, slots, and epochs that say when a slot can be used again. Owns I5's half of "no slot is reused while a pinned
 * reader reaches it". Imports {@code layout}, {@code lock} and what is below them.
 */
@NullMarked
package io.hmfs.core.alloc;

import org.jspecify.annotations.NullMarked;
