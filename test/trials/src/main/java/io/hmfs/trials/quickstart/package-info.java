/**
 * The main job of HMFS on a fresh machine: real files and a real Spark job over {@code hmfs://}, compared before and after the
 * server was killed. Reaches the server only as a user does, through {@code bin/hmfs} and Hadoop's API.
 */
@NullMarked
package io.hmfs.trials.quickstart;

import org.jspecify.annotations.NullMarked;
