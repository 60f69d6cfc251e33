/**
 * RDMA: the channels of {@link io.hmfs.server.transport} over the streams of {@code io.hmfs.client.transport.rdma}.
 *
 * <p>Imports the neutral flow and the client's RDMA; nothing of request execution.
 */
@NullMarked
package io.hmfs.server.transport.rdma;

import org.jspecify.annotations.NullMarked;
