/**
 * Resolution of paths: the prefix cache, its validation by name versions, symbolic links. Uses {@code access}, {@code lock} and
 * {@code metrics}; knows no request.
 */
@NullMarked
package io.hmfs.server.path;

import org.jspecify.annotations.NullMarked;
