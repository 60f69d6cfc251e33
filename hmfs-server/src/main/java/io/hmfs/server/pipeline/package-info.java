/**
 * Request execution: from a frame to its reply. One {@link io.hmfs.server.pipeline.Pipeline} for each thread
 * has the handlers and the request that they share, so that metadata requests allocate nothing; what must wait for the disk goes to another
 * thread as a whole. An exception that nothing expects ends the server. Above all packages but {@code io.hmfs.server}, its settings and the command line; no transport.
 */
@NullMarked
package io.hmfs.server.pipeline;

import org.jspecify.annotations.NullMarked;
