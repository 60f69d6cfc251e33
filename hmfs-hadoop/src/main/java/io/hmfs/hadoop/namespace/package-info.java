/**
 * Changes of names: mkdir, symbolic links, rename, delete, concat. May import {@code io.hmfs.client}, {@code listing},
 * {@code stream}, {@code attributes}, {@code statistics}, {@code link} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.namespace;

import org.jspecify.annotations.NullMarked;
