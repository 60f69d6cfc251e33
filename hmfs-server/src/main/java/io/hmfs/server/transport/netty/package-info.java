/**
 * Requests over TCP by Netty: frames in, replies out, back-pressure, and an end to peers that stop in the middle. Imports
 * request execution and the wire format.
 */
@NullMarked
package io.hmfs.server.transport.netty;

import org.jspecify.annotations.NullMarked;
