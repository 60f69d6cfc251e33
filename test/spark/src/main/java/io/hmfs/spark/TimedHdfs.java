package io.hmfs.spark;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** HDFS, with the time of what planning asks it: a class of its own, for which Spark lists as it does for HDFS alone. */
public final class TimedHdfs extends DistributedFileSystem {
    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return FileSystemTime.of(() -> super.getFileStatus(path));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return FileSystemTime.of(() -> super.listStatus(path));
    }

    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        return FileSystemTime.ofEach(FileSystemTime.of(() -> super.listLocatedStatus(path, filter)));
    }
}
