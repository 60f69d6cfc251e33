/**
 * The parts of an open pool that all operations share, and the look-ups on them: {@link io.hmfs.core.engine.Engine}, keys of the index, time
 * and ids, users, chains of what has no bound, inodes of files with several names, records of changes. Imports {@code index}, {@code alloc},
 * {@code lock} and what is below them.
 */
@NullMarked
package io.hmfs.core.engine;

import org.jspecify.annotations.NullMarked;
