/**
 * The main job of HMFS on a fresh machine: real files and a real Spark job over {@code hmfs://}, compared before and after the
 * server was killed. Owns no invariant. Reaches the server only as a user does, through {@code bin/hmfs} and Hadoop's API.
 */
@NullMarked
package io.hmfs.bench.quickstart;

import org.jspecify.annotations.NullMarked;
