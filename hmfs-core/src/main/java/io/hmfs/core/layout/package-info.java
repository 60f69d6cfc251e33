/**
 * Byte formats of everything that is persistent: offsets, widths and load-time checks; no algorithms. Imports {@code pmem} and
 * {@code type}.
 */
@NullMarked
package io.hmfs.core.layout;

import org.jspecify.annotations.NullMarked;
