/**
 * The connection as Hadoop sees it: one client per filesystem, the state of the server, and the translation of
 * errors. May import {@code io.hmfs.client} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.link;

import org.jspecify.annotations.NullMarked;
