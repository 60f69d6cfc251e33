/**
 * One class for each kind of request: decode, resolve and authorize, execute, encode the reply. A handler gets its request as an
 * argument and holds nothing that calls it; one instance for each thread, so that its decoders are reused.
 */
@NullMarked
package io.hmfs.server.op;

import org.jspecify.annotations.NullMarked;
