/**
 * Loads that run in a JVM of their own, and the loops that they time. Owns no invariant; may import the engine, the client, the
 * server and the peers.
 */
@NullMarked
package io.hmfs.bench.load;

import org.jspecify.annotations.NullMarked;
