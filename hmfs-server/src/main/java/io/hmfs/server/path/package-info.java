/**
 * Resolution of paths, and whether the user may pass and change what they lead to: the prefix cache, its validation by name versions,
 * which renames and changes of permissions go through, symbolic links. Uses {@code access}, {@code lock} and {@code metrics}; knows no
 * request.
 */
@NullMarked
package io.hmfs.server.path;

import org.jspecify.annotations.NullMarked;
