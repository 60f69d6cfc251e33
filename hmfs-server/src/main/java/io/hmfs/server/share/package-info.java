/** Shares of users in what the server has a bounded amount of, and turns at what is slow. Imports nothing of the server. */
@NullMarked
package io.hmfs.server.share;

import org.jspecify.annotations.NullMarked;
