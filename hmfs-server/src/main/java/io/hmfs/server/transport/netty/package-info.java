/**
 * TCP by Netty: sockets by epoll, io_uring or the JDK, their options, and event loops that end a batch after each poll.
 * The flow of frames is that of {@link io.hmfs.server.transport}, the only package of the server that is imported here.
 */
@NullMarked
package io.hmfs.server.transport.netty;

import org.jspecify.annotations.NullMarked;
