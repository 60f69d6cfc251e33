/**
 * Loads on the engine, which run in a JVM of their own ({@code hmfs bench engine}), and loads on a server. May import the engine, the client,
 * the peers, the processes and the report.
 */
@NullMarked
package io.hmfs.bench.load;

import org.jspecify.annotations.NullMarked;
