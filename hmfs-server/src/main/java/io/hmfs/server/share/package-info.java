/** Shares of users in what the server has a bounded amount of. Imports nothing of the server. */
@NullMarked
package io.hmfs.server.share;

import org.jspecify.annotations.NullMarked;
