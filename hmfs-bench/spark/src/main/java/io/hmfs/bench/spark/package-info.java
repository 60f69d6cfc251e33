/** An ordinary Spark job, run by the quickstart against {@code hmfs://}; imports Spark and nothing of HMFS. */
@NullMarked
package io.hmfs.bench.spark;

import org.jspecify.annotations.NullMarked;
