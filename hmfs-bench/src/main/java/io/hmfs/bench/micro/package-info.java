/** JMH benchmarks of the engine's parts, run by {@code hmfs bench micro}. Owns no invariant; may import the engine. */
@NullMarked
package io.hmfs.bench.micro;

import org.jspecify.annotations.NullMarked;
