package io.hmfs.hadoop.stream;

import java.util.Set;
import org.apache.hadoop.fs.Options.OpenFileOptions;

/** The options of {@code openFile}. */
public final class OpenFileKeys {
    /** Those that Hadoop defines for all filesystems. Its own set of them came with 3.3.5, the names are older. */
    public static final Set<String> STANDARD = Set.of(
            OpenFileOptions.FS_OPTION_OPENFILE_BUFFER_SIZE,
            OpenFileOptions.FS_OPTION_OPENFILE_FOOTER_CACHE,
            OpenFileOptions.FS_OPTION_OPENFILE_LENGTH,
            OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY,
            OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END,
            OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_START);

    private OpenFileKeys() {}
}
