/**
 * The client: one pipelined connection to a server, metadata and data operations. Thread-safe where it says so. Imports the
 * wire format and Netty, nothing of the engine, nothing above Java 17.
 */
@NullMarked
package io.hmfs.client;

import org.jspecify.annotations.NullMarked;
