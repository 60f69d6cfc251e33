/**
 * Frames over TCP, by the JDK's sockets. Imports {@code io.hmfs.client.transport} and {@code io.hmfs.wire}, nothing else of
 * the client.
 */
@NullMarked
package io.hmfs.client.transport.tcp;

import org.jspecify.annotations.NullMarked;
