/**
 * What is told about a path and changed of it: status, permission, owner, times, extended attributes, access control
 * lists, quotas. May import {@code io.hmfs.client}, {@code io.hmfs.hadoop.link} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.attributes;

import org.jspecify.annotations.NullMarked;
