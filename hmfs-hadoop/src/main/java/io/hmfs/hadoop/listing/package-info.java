/**
 * Listings of directories, trees and patterns, a page at a time. May import {@code io.hmfs.client}, {@code attributes},
 * {@code statistics}, {@code link} and Hadoop's API.
 */
@NullMarked
package io.hmfs.hadoop.listing;

import org.jspecify.annotations.NullMarked;
