package io.hmfs.bench.hdfs;

import io.hmfs.bench.load.NameNodeCreates;
import io.hmfs.bench.peer.DataNode;
import io.hmfs.bench.peer.NameNode;
import io.hmfs.bench.process.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.fs.FsShell;

/** HDFS: a NameNode and a DataNode with their default settings, asked by clients that may have settings of their own. */
public final class HdfsSide extends Side {
    private static final int FETCH_SECONDS = 1200;
    private static final List<String> NAME_NODE_FLAGS = List.of("-Xmx2g");
    private static final List<String> DATA_NODE_FLAGS = List.of("-Xmx1g");
    private static final int THREADS = 64;

    private final NameNode nameNode;
    private final DataNode dataNode;
    private final NameNodeCreates creates;

    private final List<String> settings;

    /**
     * Starts them.
     *
     * @param directory where image, edit log and blocks go
     * @param settings of clients, by name and value
     */
    public HdfsSide(Commands commands, Path directory, List<String> settings) throws Exception {
        super("hdfs");
        this.settings = settings;
        Path script = commands.home().resolve("bin/lib/name-node");
        String classPath = commands.run("hdfs-fetch", commands.program(List.of(script.toString())), FETCH_SECONDS)
                .strip();
        nameNode = new NameNode(classPath, Files.createDirectory(directory.resolve("name-node")), NAME_NODE_FLAGS);
        DataNode started = null;
        try {
            started = new DataNode(
                    classPath, nameNode, Files.createDirectory(directory.resolve("data-node")), DATA_NODE_FLAGS);
            creates = new NameNodeCreates(nameNode.port(), THREADS);
        } catch (IOException | InterruptedException | RuntimeException e) {
            try (NameNode _ = nameNode;
                    DataNode _ = started) {
                throw e;
            }
        }
        dataNode = started;
    }

    @Override
    String shell() {
        return FsShell.class.getName();
    }

    @Override
    String uri() {
        return nameNode.uri();
    }

    @Override
    List<String> settings() {
        return settings;
    }

    @Override
    void make(String path, int thread) throws IOException {
        creates.make(path, thread);
    }

    @Override
    public void close() {
        try (NameNode _ = nameNode;
                DataNode _ = dataNode) {
            creates.close();
        }
    }
}
