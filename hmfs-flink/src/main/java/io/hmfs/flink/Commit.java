package io.hmfs.flink;

import io.hmfs.hadoop.HmfsFileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
import org.apache.flink.runtime.fs.hdfs.HadoopFsRecoverable;

/** Makes a temporary file the target by a rename, which replaces nothing. */
final class Commit implements RecoverableFsDataOutputStream.Committer {
    private final HmfsFileSystem files;
    private final HadoopFsRecoverable at;

    Commit(HmfsFileSystem files, HadoopFsRecoverable at) {
        this.files = files;
        this.at = at;
    }

    /**
     * Takes away what came behind the checkpoint. The process that wrote it may live yet, cut off from Flink: its lease ends first, so that nothing
     * of it can come behind the cut.
     */
    static void cut(HmfsFileSystem files, HadoopFsRecoverable at) throws IOException {
        files.recoverLease(at.tempFile());
        long length = files.getFileStatus(at.tempFile()).getLen();
        requireAll(length, at);
        if (length > at.offset()) {
            files.truncate(at.tempFile(), at.offset());
        }
    }

    private static void requireAll(long length, HadoopFsRecoverable at) throws IOException {
        if (length < at.offset()) {
            throw new IOException(at.tempFile() + " has " + length + " bytes, and a checkpoint says " + at.offset()
                    + ": another program has changed it");
        }
    }

    @Override
    public void commit() throws IOException {
        long length = files.getFileStatus(at.tempFile()).getLen();
        requireAll(length, at);
        if (length > at.offset()) {
            throw new IOException(at.tempFile() + " has " + length + " bytes where " + at.offset()
                    + " were written: it has another writer");
        }
        rename();
    }

    @Override
    public void commitAfterRecovery() throws IOException {
        try {
            cut(files, at);
        } catch (FileNotFoundException e) {
            return; // committed before; the target may have been taken away since
        }
        rename();
    }

    private void rename() throws IOException {
        if (!files.rename(at.tempFile(), at.targetFile())) {
            throw new IOException(at.tempFile() + " cannot become " + at.targetFile()
                    + (files.exists(at.targetFile()) ? ", which is there: move it away" : ": its directory is gone"));
        }
    }

    @Override
    public CommitRecoverable getRecoverable() {
        return at;
    }
}
