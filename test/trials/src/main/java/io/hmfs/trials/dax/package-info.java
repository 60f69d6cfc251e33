/** Pools on DAX memory, in a guest that has some: what test/guest/devdax.sh runs. */
@NullMarked
package io.hmfs.trials.dax;

import org.jspecify.annotations.NullMarked;
