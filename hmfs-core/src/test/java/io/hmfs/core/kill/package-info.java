/** The killing table: takes the steps of the engine out, one by one, and sees which test fails. Run by {@code bin/dev kill}. */
@NullMarked
package io.hmfs.core.kill;

import org.jspecify.annotations.NullMarked;
