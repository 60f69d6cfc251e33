/** What is true of each kind of request, and what the server tells in the handshake. Below all other packages of the server. */
@NullMarked
package io.hmfs.server.protocol;

import org.jspecify.annotations.NullMarked;
