/**
 * Hadoop's shell with commands of ours in it. May import all packages of this module and Hadoop's API; started by the name of
 * {@code HmfsShell}.
 */
@NullMarked
package io.hmfs.hadoop.shell;

import org.jspecify.annotations.NullMarked;
