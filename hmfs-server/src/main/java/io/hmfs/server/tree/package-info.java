/**
 * Whole directory trees: walks over them; the orphan directory that holds what was removed as a whole, and through which each rename
 * goes, so that nothing moves into such a tree; in memory, a list of late renames for a client that walks over all directories.
 */
@NullMarked
package io.hmfs.server.tree;

import org.jspecify.annotations.NullMarked;
