/**
 * Limits on the names and bytes below a directory: the lock that protects them, their accounting, what is stored of them.
 */
@NullMarked
package io.hmfs.server.quota;

import org.jspecify.annotations.NullMarked;
