/**
 * Leases: which client writes which file.
 */
@NullMarked
package io.hmfs.server.lease;

import org.jspecify.annotations.NullMarked;
