package io.hmfs.hadoop;

import io.hmfs.hadoop.namespace.PagedDelete;
import java.io.IOException;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.Path;

/** {@link HmfsFileSystem} with the bulk deletes that Hadoop has from 3.4.1 on. */
public final class HmfsFileSystemSince341 extends HmfsFileSystemSince336 {
    /** Called by Hadoop, which calls {@link #initialize} next. */
    public HmfsFileSystemSince341() {}

    /** Typed so that a caller can be loaded where this class cannot. */
    static HmfsFileSystem make() {
        return new HmfsFileSystemSince341();
    }

    @Override
    public BulkDelete createBulkDelete(Path path) throws IOException {
        return new PagedDelete(mount().link(), mount().removal(), counts(), makeQualified(path));
    }
}
