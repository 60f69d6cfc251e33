/** Linked lists of a directory's children: link, raise, sweep. Owns I4. Imports {@code engine} and what is below it. */
@NullMarked
package io.hmfs.core.dir;

import org.jspecify.annotations.NullMarked;
