/**
 * What a server shows of itself while it runs: counted requests, metrics over HTTP, health, slow operations, the audit log. A request
 * is counted and recorded without allocation or lock (I7). Imports the engine's API and the wire format.
 */
@NullMarked
package io.hmfs.server.metrics;

import org.jspecify.annotations.NullMarked;
