package io.hmfs.hadoop.stream;

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.jspecify.annotations.Nullable;

/**
 * How a reader is expected to go through a file.
 *
 * @param chunks that are asked for ahead of a sequential reader, at most
 * @param fromStart whether a reader is taken for sequential from its first read on
 * @param end bytes from the start of the file behind which nothing is asked for ahead
 */
record ReadAhead(int chunks, boolean fromStart, long end) {
    /** Reads ahead of a reader that has shown to be sequential, to the end of the file. */
    static ReadAhead adaptive(int chunksMax) {
        return new ReadAhead(chunksMax, false, Long.MAX_VALUE);
    }

    /** What {@code openFile} was told: the first read policy of the list that is known, and the end of a split. */
    static ReadAhead of(Configuration options, int chunksMax) {
        ReadAhead policy = null;
        for (String named : options.getTrimmedStrings(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY)) {
            policy = named(named.toLowerCase(Locale.ROOT), chunksMax);
            if (policy != null) {
                break;
            }
        }
        if (policy == null) {
            policy = adaptive(chunksMax);
        }
        long end = options.getLong(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, Long.MAX_VALUE);
        return new ReadAhead(policy.chunks, policy.fromStart, end);
    }

    /** The policy of a name; null for one that Hadoop does not define. */
    private static @Nullable ReadAhead named(String policy, int chunksMax) {
        return switch (policy) {
            case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ADAPTIVE,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_DEFAULT -> adaptive(chunksMax);
            case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_WHOLE_FILE,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_AVRO,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_CSV,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_JSON ->
                new ReadAhead(chunksMax, true, Long.MAX_VALUE);
            case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_RANDOM,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_VECTOR,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_COLUMNAR,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_PARQUET,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ORC,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_HBASE -> new ReadAhead(0, false, Long.MAX_VALUE);
            default -> null;
        };
    }
}
