package io.hmfs.flink;

import io.hmfs.hadoop.HmfsFileSystem;
import java.io.IOException;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.runtime.fs.hdfs.HadoopFsRecoverable;
import org.apache.flink.runtime.fs.hdfs.HadoopRecoverableWriter;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Flink's writer for HDFS, without its questions for the scheme {@code hdfs} and the class of HDFS's client. */
final class ResumingWriter extends HadoopRecoverableWriter {
    private final HmfsFileSystem files;

    ResumingWriter(HmfsFileSystem files) {
        super(files);
        this.files = files;
    }

    @Override
    protected void checkSupportedFSSchemes(FileSystem any) {
        // HMFS has what the schemes stand for: append, truncate, recovery of leases, a rename that does not replace.
    }

    @Override
    protected RecoverableFsDataOutputStream getRecoverableFsDataOutputStream(Path target, Path temporary)
            throws IOException {
        return new ResumingStream(files, target, temporary, files.create(temporary));
    }

    @Override
    public RecoverableFsDataOutputStream recover(ResumeRecoverable recoverable) throws IOException {
        HadoopFsRecoverable at = ours(recoverable);
        Commit.cut(files, at);
        return new ResumingStream(files, at.targetFile(), at.tempFile(), files.append(at.tempFile()));
    }

    @Override
    public RecoverableFsDataOutputStream.Committer recoverForCommit(CommitRecoverable recoverable) {
        return new Commit(files, ours(recoverable));
    }

    private static HadoopFsRecoverable ours(Object recoverable) {
        if (recoverable instanceof HadoopFsRecoverable at) {
            return at;
        }
        throw new IllegalArgumentException("this was not made by a writer of hmfs://: "
                + recoverable.getClass().getName());
    }
}
