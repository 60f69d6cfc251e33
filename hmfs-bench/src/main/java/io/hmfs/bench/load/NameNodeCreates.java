package io.hmfs.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Creates new, empty files through HDFS's own client protocol, each round in a directory of its own: what {@code DFSClient} asks the
 * NameNode for, create and complete, without the stream and its thread that it would make for data. Each thread waits for its answers.
 */
public final class NameNodeCreates implements AutoCloseable {
    private static final int CONNECTIONS = 4;
    private static final short REPLICATION = 3;
    private static final long BLOCK_SIZE = 128 << 20;
    private static final FsPermission MODE = new FsPermission((short) 0644);
    private static final FsPermission DIRECTORY_MODE = new FsPermission((short) 0755);

    private final int threads;
    private final List<ClientProtocol> connections = new ArrayList<>();
    private int directories;

    /** Of a NameNode on the loopback address. */
    public NameNodeCreates(int port, int threads) throws IOException {
        this.threads = threads;
        Configuration conf = new Configuration();
        String user = UserGroupInformation.getCurrentUser().getShortUserName();
        for (int i = 0; i < CONNECTIONS; i++) {
            // Each such user object has a connection of its own, also of the same name.
            UserGroupInformation owner = UserGroupInformation.createRemoteUser(user);
            connections.add(NameNodeProxiesClient.createNonHAProxyWithClientProtocol(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), conf, owner, false, null));
        }
    }

    /** Creates per second. */
    public double perSecond(long millis) throws IOException, InterruptedException {
        String directory = "/new/r%03d".formatted(directories++);
        connections.getFirst().mkdirs(directory, DIRECTORY_MODE, true);
        long nanos = millis * 1_000_000;
        long start = System.nanoTime();
        long made = 0;
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                counts.add(executor.submit(() -> create(directory, number, start + nanos)));
            }
            for (Future<Integer> count : counts) {
                made += count.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a create in HDFS failed", e.getCause());
        }
        return made * 1e9 / (System.nanoTime() - start);
    }

    private int create(String directory, int thread, long end) throws IOException {
        int made = 0;
        while (System.nanoTime() - end < 0) {
            make("%s/part-%03d-%07d".formatted(directory, thread, made), thread);
            made++;
        }
        return made;
    }

    /** One file, in a directory that is there. */
    public void make(String path, int thread) throws IOException {
        ClientProtocol nameNode = connections.get(thread % connections.size());
        String client = "bench-" + thread;
        HdfsFileStatus file = nameNode.create(
                path,
                MODE,
                client,
                new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
                false,
                REPLICATION,
                BLOCK_SIZE,
                CryptoProtocolVersion.supported(),
                null,
                null);
        if (!nameNode.complete(path, client, null, file.getFileId())) {
            throw new IOException(path + " was not completed");
        }
    }

    @Override
    public void close() {
        connections.forEach(RPC::stopProxy);
    }
}
