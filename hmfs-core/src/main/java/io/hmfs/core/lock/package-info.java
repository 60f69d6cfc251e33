/** Locks in DRAM, by key hash; a crash forgets them. Imports nothing of HMFS. */
@NullMarked
package io.hmfs.core.lock;

import org.jspecify.annotations.NullMarked;
