/**
 * Pages of listings that are kept: the namespace through which each change makes those of its directory stale, and the cache; stats that clients
 * read in this server's memory, which the same changes take back. Uses {@code lock}; knows no request.
 */
@NullMarked
package io.hmfs.server.listing;

import org.jspecify.annotations.NullMarked;
