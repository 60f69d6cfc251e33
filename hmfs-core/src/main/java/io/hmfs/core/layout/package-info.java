/**
 * Byte formats of what stands in a pool: one class per record, static accessors over (pool, offset), no algorithms. Layouts are
 * declared once, drawn once and checked at class load. Owns no invariant; imports {@code pmem} and {@code type}.
 */
@NullMarked
package io.hmfs.core.layout;

import org.jspecify.annotations.NullMarked;
