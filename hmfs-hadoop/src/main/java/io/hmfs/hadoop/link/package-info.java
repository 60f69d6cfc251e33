/**
 * The connection as Hadoop sees it: one client per filesystem, the state of the server, the translation of errors, and what this Hadoop has
 * beside them. May import {@code io.hmfs.client} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.link;

import org.jspecify.annotations.NullMarked;
