package io.hmfs.spark;

import java.io.IOException;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;

/** HMFS, with the time of what planning asks it: Spark lists, and asks where each file is, as for any filesystem but HDFS. */
public final class TimedHmfs extends FilterFileSystem {
    public TimedHmfs() throws ReflectiveOperationException {
        super(Class.forName("io.hmfs.hadoop.HmfsFileSystem")
                .asSubclass(FileSystem.class)
                .getConstructor()
                .newInstance());
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return FileSystemTime.of(() -> super.getFileStatus(path));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return FileSystemTime.of(() -> super.listStatus(path));
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) throws IOException {
        return FileSystemTime.of(() -> super.getFileBlockLocations(file, start, length));
    }
}
