/**
 * The HMFS engine as a library: open a pool, get a {@link io.hmfs.core.Namespace}, call it. Owns no invariant of its own; the
 * packages below it own I1 to I7 (docs/architecture.md).
 */
@NullMarked
package io.hmfs.core;

import org.jspecify.annotations.NullMarked;
