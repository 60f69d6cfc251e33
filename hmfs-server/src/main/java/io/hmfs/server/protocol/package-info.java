/** What is true of each kind of request, and the engine's outcomes as the wire's. Below all other packages of the server. */
@NullMarked
package io.hmfs.server.protocol;

import org.jspecify.annotations.NullMarked;
