/** Spark jobs whose server is restarted under them: {@code hmfs bench spark-restarts}, and a step of the quickstart. */
@NullMarked
package io.hmfs.trials.spark;

import org.jspecify.annotations.NullMarked;
