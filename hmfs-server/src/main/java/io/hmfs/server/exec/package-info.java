/**
 * Request execution: from a frame to its reply, on the thread that received it. One {@link io.hmfs.server.exec.Worker} per
 * thread keeps what a request needs, so that metadata requests allocate nothing; what must wait for the disk goes to other
 * threads as a whole. An exception that nothing expects ends the server. Imports the engine's API, the wire format and the data
 * store; no transport.
 */
@NullMarked
package io.hmfs.server.exec;

import org.jspecify.annotations.NullMarked;
