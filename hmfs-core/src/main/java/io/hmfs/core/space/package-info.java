/**
 * Room in an open pool: it grows ahead of need, a full one is swept, and an operation that found it full is tried again. Imports
 * {@code recovery} and what is below it.
 */
@NullMarked
package io.hmfs.core.space;

import org.jspecify.annotations.NullMarked;
