package io.hmfs.flink;

import io.hmfs.hadoop.HmfsFileSystem;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.runtime.fs.hdfs.HadoopFileSystem;

/** Flink's adapter for Hadoop's filesystems, with a writer that goes on with files of HMFS. */
final class FlinkFileSystem extends HadoopFileSystem {
    private final HmfsFileSystem files;

    FlinkFileSystem(HmfsFileSystem files) {
        super(files);
        this.files = files;
    }

    @Override
    public RecoverableWriter createRecoverableWriter() {
        return new ResumingWriter(files);
    }
}
