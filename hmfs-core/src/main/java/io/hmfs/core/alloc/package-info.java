/**
 * Space and time of a pool: regions, slots, epochs, the clock, ids, principals. Owns I5's half of "no slot is reused while a
 * pinned reader reaches it". Imports {@code layout} and what is below it.
 */
@NullMarked
package io.hmfs.core.alloc;

import org.jspecify.annotations.NullMarked;
