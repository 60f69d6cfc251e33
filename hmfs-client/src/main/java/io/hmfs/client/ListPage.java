package io.hmfs.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a listing.
 *
 * @param entries in no promised order; may be empty although more follow
 * @param next where the next page begins; null after the last one
 */
public record ListPage(List<FileInfo> entries, @Nullable ListingCursor next) {}
