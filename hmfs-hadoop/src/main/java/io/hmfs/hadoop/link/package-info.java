/**
 * The connection as Hadoop sees it: one live client per filesystem, made anew when it breaks, and the translation of its
 * errors. May import {@code io.hmfs.client} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.link;

import org.jspecify.annotations.NullMarked;
