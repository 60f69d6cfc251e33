/**
 * How the output of a job comes to its place. May import all packages of this module and Hadoop's API; Hadoop reaches it by the
 * name of a class in the configuration.
 */
@NullMarked
package io.hmfs.hadoop.commit;

import org.jspecify.annotations.NullMarked;
