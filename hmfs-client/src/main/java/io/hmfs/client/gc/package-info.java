/**
 * Finds objects of a data store that no file refers to, and removes them (docs/adr/0124). What is told live is so
 * because it was seen; what is removed was in the store before the census of files began and no file's until it had
 * ended. May import {@code io.hmfs.client}.
 */
@NullMarked
package io.hmfs.client.gc;

import org.jspecify.annotations.NullMarked;
