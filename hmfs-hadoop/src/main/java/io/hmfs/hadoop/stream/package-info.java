/**
 * Reading and writing of files: streams, their leases and grants, checksums of content. A size is committed only
 * after the data below it is in the data store. May import {@code io.hmfs.client}, {@code attributes}, {@code store},
 * {@code statistics}, {@code link} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.stream;

import org.jspecify.annotations.NullMarked;
