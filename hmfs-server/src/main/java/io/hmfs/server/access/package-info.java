/**
 * Which users the callers are and what proves it: users with their groups, where these come from, and the grants that let a caller at a
 * file's data; and the rules, {@code Access}, which {@code path} and {@code op} ask. Imports the engine's API; no transport, of the wire
 * format its numbers.
 */
@NullMarked
package io.hmfs.server.access;

import org.jspecify.annotations.NullMarked;
