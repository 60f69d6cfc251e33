package io.hmfs.hadoop;

/**
 * {@link HmfsFileSystem} behind {@code hdfs://host:port/}, for programs that take addresses of HDFS only: set {@code fs.hdfs.impl} to this class.
 * Addresses, paths and statuses have the scheme {@code hdfs}; server, settings and semantics are those of {@code hmfs://}. A program that asks for
 * the class of HDFS's client, {@code DistributedFileSystem}, does not get it.
 */
public final class HdfsSchemeFileSystem extends HmfsFileSystem {
    static final String HDFS = "hdfs";

    /** Called by Hadoop, which calls {@link #initialize} next. */
    public HdfsSchemeFileSystem() {
        super(HDFS);
    }
}
