/** An ordinary Spark job, run by the quickstart against {@code hmfs://}; imports Spark and nothing of HMFS. */
@NullMarked
package io.hmfs.spark;

import org.jspecify.annotations.NullMarked;
