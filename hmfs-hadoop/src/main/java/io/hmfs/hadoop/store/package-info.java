/**
 * Where file data goes, as objects (inode, block): written before the size that covers them is committed, never read
 * beyond it. May import {@code io.hmfs.client}, {@code io.hmfs.hadoop.link} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.store;

import org.jspecify.annotations.NullMarked;
