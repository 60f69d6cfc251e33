/**
 * The persistent hash index: key hash to object offset by extendible hashing over one-line buckets (docs/adr/0020-hash-index.md).
 * Owns the index's part of I1, I3 and I5 (no entry is lost or unreachable, no segment leaks), I6 (open is bounded) and I7 (the
 * heap does not grow with the entries). Imports {@code layout}, {@code pmem} and {@code lock}.
 */
@NullMarked
package io.hmfs.core.index;

import org.jspecify.annotations.NullMarked;
