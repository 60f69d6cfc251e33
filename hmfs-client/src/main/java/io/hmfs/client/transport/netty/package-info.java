/**
 * Frames over TCP, by Netty. Imports {@code io.hmfs.client.transport} and {@code io.hmfs.wire}, nothing else of the
 * client.
 */
@NullMarked
package io.hmfs.client.transport.netty;

import org.jspecify.annotations.NullMarked;
