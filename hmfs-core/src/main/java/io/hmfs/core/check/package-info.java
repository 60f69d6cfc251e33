/**
 * The offline check of a pool and its repair (docs/operations.md#checking-a-pool): reads bytes that nothing vouches for, so no
 * pointer is followed before it was compared with the region table, and no loop ends by what it reads alone. Verifies I3, I4 and I5.
 * Imports {@code recovery} and what is below it.
 */
@NullMarked
package io.hmfs.core.check;

import org.jspecify.annotations.NullMarked;
