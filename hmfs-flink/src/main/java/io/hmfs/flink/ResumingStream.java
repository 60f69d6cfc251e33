package io.hmfs.flink;

import io.hmfs.hadoop.HmfsFileSystem;
import org.apache.flink.runtime.fs.hdfs.BaseHadoopFsRecoverableFsDataOutputStream;
import org.apache.flink.runtime.fs.hdfs.HadoopFsRecoverable;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;

/** Writes the temporary file that becomes the target by a {@link Commit}. */
final class ResumingStream extends BaseHadoopFsRecoverableFsDataOutputStream {
    private final HmfsFileSystem files;

    ResumingStream(HmfsFileSystem files, Path target, Path temporary, FSDataOutputStream out) {
        this.files = files;
        this.fs = files;
        this.targetFile = target;
        this.tempFile = temporary;
        this.out = out;
    }

    @Override
    protected Committer createCommitterFromResumeRecoverable(HadoopFsRecoverable recoverable) {
        return new Commit(files, recoverable);
    }
}
