/**
 * HMFS as a Hadoop filesystem. {@code HmfsFileSystem} turns paths into names, counts, follows symbolic links and
 * calls one class per topic of the packages below, which it finds in its {@code Mount}: {@code namespace}, {@code
 * listing}, {@code stream}, {@code attributes}, {@code store}, {@code statistics}, {@code link}. A package imports
 * only those that stand after it in this list, and {@code io.hmfs.client}; no class of theirs knows this package.
 */
@NullMarked
package io.hmfs.hadoop;

import org.jspecify.annotations.NullMarked;
