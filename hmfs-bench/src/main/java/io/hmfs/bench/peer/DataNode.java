package io.hmfs.bench.peer;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;

/** The one DataNode of a {@link NameNode}, so that HDFS has data; in a JVM of its own. */
public final class DataNode implements AutoCloseable {
    private static final String MAIN = "org.apache.hadoop.hdfs.server.datanode.DataNode";
    private static final int START_SECONDS = 120;

    private final Process process;

    /**
     * Starts it, and waits until its NameNode counts on it.
     *
     * @param classPath of HDFS
     * @param directory an empty one, where its blocks go
     * @param flags of its JVM
     * @param settings other than its defaults, by name and value
     */
    public DataNode(String classPath, NameNode nameNode, Path directory, List<String> flags, String... settings)
            throws IOException, InterruptedException {
        this(NameNode.ownJava(), classPath, nameNode, directory, flags, settings);
    }

    /** The same on another Java than that of this process. */
    public DataNode(
            Path javaHome, String classPath, NameNode nameNode, Path directory, List<String> flags, String... settings)
            throws IOException, InterruptedException {
        Path conf = Files.createDirectory(directory.resolve("conf"));
        NameNode.write(conf.resolve("core-site.xml"), "fs.defaultFS", nameNode.uri());
        NameNode.write(
                conf.resolve("hdfs-site.xml"),
                NameNode.with(
                        settings,
                        "dfs.datanode.data.dir",
                        directory.resolve("data").toUri().toString(),
                        "dfs.datanode.address",
                        "127.0.0.1:0",
                        "dfs.datanode.http.address",
                        "127.0.0.1:0",
                        "dfs.datanode.ipc.address",
                        "127.0.0.1:0"));
        Files.createDirectories(conf.resolve("webapps").resolve("datanode")); // its pages, which are not in its jar
        NameNode.logErrors(conf);
        Path out = directory.resolve("data-node.out");
        process = NameNode.start(javaHome, MAIN, conf + ":" + classPath, out, flags);
        try {
            awaitReport(nameNode, out);
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private void awaitReport(NameNode nameNode, Path out) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        try (FileSystem hdfs = FileSystem.newInstance(URI.create(nameNode.uri()), new Configuration())) {
            while (process.isAlive() && System.nanoTime() < deadline) {
                if (((DistributedFileSystem) hdfs).getDataNodeStats(DatanodeReportType.LIVE).length > 0) {
                    return;
                }
                process.waitFor(100, TimeUnit.MILLISECONDS);
            }
        }
        throw new IOException("the DataNode did not start: " + Files.readString(out));
    }

    @Override
    public void close() {
        NameNode.end(process);
    }
}
