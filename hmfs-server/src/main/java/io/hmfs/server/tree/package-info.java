/**
 * Whole directory trees: walks over them, the orphan directory that holds what was removed as a whole, the log of renames.
 */
@NullMarked
package io.hmfs.server.tree;

import org.jspecify.annotations.NullMarked;
