package io.hmfs.client;

/**
 * What a file, or a directory and all below it, amounts to.
 *
 * @param bytes sizes of the files; one with several names counts with each
 * @param files and symbolic links
 * @param directories that at the top included
 */
public record TreeSummary(long bytes, long files, long directories) {
    TreeSummary plus(TreeSummary other) {
        return new TreeSummary(bytes + other.bytes, files + other.files, directories + other.directories);
    }
}
