package io.hmfs.flink;

import io.hmfs.hadoop.HmfsFileSystem;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.runtime.util.HadoopUtils;

/**
 * The scheme {@code hmfs} of Flink, found by its service file. Settings {@code fs.hmfs.…} come from Hadoop's configuration, as Flink finds it, and
 * from Flink's own, which goes before.
 */
public final class HmfsFileSystemFactory implements FileSystemFactory {
    private static final String SCHEME = "hmfs";
    private static final String SETTINGS = "fs." + SCHEME + ".";
    /** Settings of Flink itself, which counts the streams of a filesystem. */
    private static final String LIMITS = SETTINGS + "limit.";

    private Configuration settings = new Configuration();

    /** Called by Flink, which calls {@link #configure} next. */
    public HmfsFileSystemFactory() {}

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public void configure(Configuration config) {
        settings = config;
    }

    @Override
    public FileSystem create(URI uri) throws IOException {
        org.apache.hadoop.conf.Configuration conf = HadoopUtils.getHadoopConfiguration(settings);
        for (Map.Entry<String, String> each : settings.toMap().entrySet()) {
            if (each.getKey().startsWith(SETTINGS) && !each.getKey().startsWith(LIMITS)) {
                conf.set(each.getKey(), each.getValue());
            }
        }
        URI server = uri.getAuthority() == null ? org.apache.hadoop.fs.FileSystem.getDefaultUri(conf) : uri;
        if (!SCHEME.equals(server.getScheme()) || server.getAuthority() == null) {
            throw new IOException(uri + " names no server, and fs.defaultFS is " + server
                    + ": write hmfs://host:port/, or set fs.defaultFS to that");
        }
        org.apache.hadoop.fs.FileSystem files = org.apache.hadoop.fs.FileSystem.newInstance(server, conf);
        if (files instanceof HmfsFileSystem hmfs) {
            return new FlinkFileSystem(hmfs);
        }
        files.close();
        throw new IOException("fs.hmfs.impl is " + files.getClass().getName() + ", not HMFS's class: leave it unset");
    }
}
