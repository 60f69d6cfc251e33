package io.hmfs.client;

import org.jspecify.annotations.Nullable;

/**
 * What one of several directories was answered with: one of the three is there.
 *
 * @param page its first entries, or the next ones
 * @param file what stands there is no directory
 * @param refusal why there is neither
 */
public record DirectoryAnswer(
        @Nullable ListPage page,
        @Nullable FileInfo file,
        @Nullable HmfsException refusal) {}
