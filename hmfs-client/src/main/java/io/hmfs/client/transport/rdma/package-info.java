/**
 * RDMA: a connection as messages with credits, over {@link io.hmfs.client.transport.rdma.Verbs}. Client and server use
 * it; neither sees verbs elsewhere.
 *
 * <p>Imports the neutral transport and the wire format.
 */
@NullMarked
package io.hmfs.client.transport.rdma;

import org.jspecify.annotations.NullMarked;
