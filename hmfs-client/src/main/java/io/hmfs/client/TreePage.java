package io.hmfs.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of the listing of a tree.
 *
 * @param entries a directory before what is below it, otherwise in no promised order; {@link FileInfo#name} is the path
 *     from the top, without a slash before it, and {@link FileInfo#parentId} 0; may be empty although more follow
 * @param apart those directories of them that are too deep for their own entries to be in the listing: to be listed
 *     themselves
 * @param next where the next part begins; null after the last one
 */
public record TreePage(
        List<FileInfo> entries,
        List<FileInfo> apart,
        @Nullable TreeCursor next) {}
