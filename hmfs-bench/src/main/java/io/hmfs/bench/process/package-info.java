/**
 * Other processes that benchmarks and trials run: JVMs with a main class of ours, {@code bin/hmfs server}, Spark; and the directories that they
 * need. May import the server, the client and the engine.
 */
@NullMarked
package io.hmfs.bench.process;

import org.jspecify.annotations.NullMarked;
