package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.trials.quickstart.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/** An HMFS whose blocks are objects of a real Ceph cluster. */
final class RadosSuite {
    /** The server's block size. */
    static final int BLOCK = 1 << 20;

    /** Of the pool. */
    static final String NAMESPACE = "hmfs";

    private static final String SUITE = "rados";
    private static final String CONF = "fs.hmfs.rados.conf";
    private static final long STREAMED = 1L << 30;
    private static final int AWAY_SECONDS = 5;
    private static final int WAIT_SECONDS = 60;

    private final Cases cases;
    private final Commands commands;
    private final Hadoop hadoop;
    private final CephCluster ceph;
    private final String uri;
    private final FileSystem fs;
    private final java.nio.file.Path local;

    RadosSuite(
            Cases cases,
            Commands commands,
            Hadoop hadoop,
            CephCluster ceph,
            String uri,
            FileSystem fs,
            java.nio.file.Path local) {
        this.cases = cases;
        this.commands = commands;
        this.hadoop = hadoop;
        this.ceph = ceph;
        this.uri = uri;
        this.fs = fs;
        this.local = local;
    }

    /** For {@code --data-store}. */
    static String store() {
        return "rados://" + CephCluster.POOL + "/" + NAMESPACE;
    }

    /** What a client must know of the cluster. */
    static String[] settings(CephCluster ceph) {
        return new String[] {CONF, ceph.conf().toString()};
    }

    void all() throws InterruptedException {
        cases.run(SUITE, "written, and read in every way", this::read);
        cases.run(SUITE, "hflush, append and truncate", this::append);
        cases.run(SUITE, "renamed over, overwritten, deleted", this::delete);
        cases.run(SUITE, "1 GiB through a heap of 256 MiB", this::stream);
        cases.run(SUITE, "a killed client, and hmfs gc", this::collect);
        cases.run(SUITE, "the OSD killed under a writer, and started again", this::restart);
        cases.run(SUITE, "no cluster, no pool", this::unreachable);
    }

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private void write(Path path, byte[] data) throws IOException {
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(data);
        }
    }

    private byte[] content(Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return in.readAllBytes();
        }
    }

    private int objects() throws Exception {
        return ceph.objects(NAMESPACE).size();
    }

    private String read() throws Exception {
        int objects = 0;
        int[] lengths = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 7 * BLOCK / 2};
        for (int length : lengths) {
            Path path = new Path("/read/f" + length);
            byte[] data = bytes(length, length);
            write(path, data);
            objects += (length + BLOCK - 1) / BLOCK;
            Cases.require(Arrays.equals(data, content(path)), "other bytes in " + path);
        }
        Cases.requireEqual(objects, objects(), "objects");
        byte[] data = bytes(7 * BLOCK / 2, 7 * BLOCK / 2);
        try (FSDataInputStream in = fs.open(new Path("/read/f" + data.length))) {
            byte[] part = new byte[BLOCK];
            in.readFully(BLOCK / 2, part);
            Cases.require(Arrays.equals(part, Arrays.copyOfRange(data, BLOCK / 2, 3 * BLOCK / 2)), "pread differs");
            in.seek(3 * BLOCK - 5);
            in.readFully(part, 0, 10);
            Cases.require(Arrays.equals(part, 0, 10, data, 3 * BLOCK - 5, 3 * BLOCK + 5), "seek differs");
            List<FileRange> ranges = List.of(
                    FileRange.createFileRange(10, 100),
                    FileRange.createFileRange(BLOCK - 50, 100),
                    FileRange.createFileRange(3L * BLOCK, 1000));
            in.readVectored(ranges, ByteBuffer::allocate);
            for (FileRange range : ranges) {
                byte[] found = new byte[range.getLength()];
                range.getData().get(WAIT_SECONDS, TimeUnit.SECONDS).get(found);
                int at = (int) range.getOffset();
                Cases.require(
                        Arrays.equals(found, Arrays.copyOfRange(data, at, at + found.length)), "vectored read differs");
            }
        }
        fs.delete(new Path("/read"), true);
        Cases.requireEqual(0, settled(0), "objects left");
        return lengths.length + " files, " + objects + " objects";
    }

    /** Objects, as soon as they are so many: the client removes them behind the answer. */
    private int settled(int wanted) throws Exception {
        int found = objects();
        for (int i = 0; found != wanted && i < 10 * WAIT_SECONDS; i++) {
            Thread.sleep(100);
            found = objects();
        }
        return found;
    }

    private String append() throws Exception {
        Path path = new Path("/appended");
        byte[] data = bytes(1, 3 * BLOCK);
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(data, 0, 1000);
            out.hflush();
            Cases.require(Arrays.equals(Arrays.copyOf(data, 1000), content(path)), "not there after hflush");
            out.write(data, 1000, BLOCK);
            out.hsync();
            Cases.requireEqual(2, objects(), "objects");
            out.write(data, 1000 + BLOCK, 500);
        }
        try (FSDataOutputStream out = fs.append(path)) {
            out.write(data, BLOCK + 1500, data.length - BLOCK - 1500);
        }
        Cases.require(Arrays.equals(data, content(path)), "other bytes after append");
        Cases.requireEqual(3, objects(), "objects");
        fs.truncate(path, BLOCK + 10);
        Cases.require(Arrays.equals(Arrays.copyOf(data, BLOCK + 10), content(path)), "other bytes after truncate");
        Cases.requireEqual(2, settled(2), "objects after truncate");
        try (FSDataOutputStream out = fs.append(path)) {
            out.write(data, 0, 5);
        }
        byte[] wanted = Arrays.copyOf(data, BLOCK + 15);
        System.arraycopy(data, 0, wanted, BLOCK + 10, 5);
        Cases.require(Arrays.equals(wanted, content(path)), "other bytes after truncate and append");
        fs.delete(path, false);
        Cases.requireEqual(0, settled(0), "objects left");
        return "no object written twice";
    }

    private String delete() throws Exception {
        Path one = new Path("/one");
        Path two = new Path("/two");
        write(one, bytes(1, 3 * BLOCK));
        write(two, bytes(2, 2 * BLOCK));
        write(two, bytes(3, 10));
        Cases.requireEqual(4, settled(4), "objects after an overwrite");
        fs.rename(one, new Path("/three"));
        FileContext.getFileContext(URI.create(uri), fs.getConf())
                .rename(new Path("/three"), two, Options.Rename.OVERWRITE);
        Cases.require(Arrays.equals(bytes(1, 3 * BLOCK), content(two)), "other bytes after the rename");
        Cases.requireEqual(3, settled(3), "objects after a rename over a file");
        fs.delete(two, false);
        Cases.requireEqual(0, settled(0), "objects left");
        return "no object left";
    }

    private String stream() throws Exception {
        java.nio.file.Path source = local.resolve("gib");
        byte[] piece = new byte[BLOCK];
        Random random = new Random(5);
        try (OutputStream out = Files.newOutputStream(source)) {
            for (long done = 0; done < STREAMED; done += piece.length) {
                random.nextBytes(piece);
                out.write(piece);
            }
        }
        java.nio.file.Path back = local.resolve("gib-back");
        try {
            hadoop.runIn("256m", "rados-put", "org.apache.hadoop.fs.FsShell", "-put", source.toString(), "/gib");
            Cases.requireEqual((int) (STREAMED / BLOCK), objects(), "objects");
            hadoop.runIn("256m", "rados-get", "org.apache.hadoop.fs.FsShell", "-get", "/gib", back.toString());
            try (InputStream one = Files.newInputStream(source);
                    InputStream other = Files.newInputStream(back)) {
                Cases.requireEqual(Digests.of(one), Digests.of(other), "contents");
            }
        } finally {
            Files.delete(source);
            Files.deleteIfExists(back);
        }
        fs.delete(new Path("/gib"), false);
        Cases.requireEqual(0, settled(0), "objects left");
        return (STREAMED / BLOCK) + " objects there and back";
    }

    /** A client in a JVM of its own that deletes a file, writes parts of another one, and is gone before it has removed or committed anything. */
    static final class KilledClient {
        private KilledClient() {}

        public static void main(String[] args) throws IOException {
            URI server = URI.create(args[0]);
            FileSystem fs = Cases.open(args[0], CONF, args[1]);
            FSDataOutputStream out = fs.create(new Path("/half"));
            out.write(bytes(8, BLOCK));
            out.hflush();
            out.write(bytes(9, 2 * BLOCK));
            try (HmfsClient client = HmfsClient.connect(server.getHost(), server.getPort(), ClientOptions.defaults())) {
                client.delete("/victim");
                Runtime.getRuntime().halt(0);
            }
        }
    }

    private String collect() throws Exception {
        byte[] live = bytes(6, 2 * BLOCK + 1);
        write(new Path("/live"), live);
        write(new Path("/victim"), bytes(7, 4 * BLOCK));
        List<String> command = new ArrayList<>(List.of(
                java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java")
                        .toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                KilledClient.class.getName(),
                uri,
                ceph.conf().toString()));
        commands.run("rados-killed", commands.program(command), WAIT_SECONDS);
        int before = objects();
        String shown = gc("--json");
        Cases.require(shown.contains("\"orphan\":{\"objects\":4,\"bytes\":" + 4 * BLOCK + ","), "gc shows " + shown);
        Cases.requireEqual(before, objects(), "objects after gc that was to remove nothing");
        String young = gc("--delete", "--json", "--older-than", "1h");
        Cases.require(young.contains("\"removed\":{\"objects\":0,"), "gc has removed what is young: " + young);
        String removed = gc("--delete");
        Cases.require(removed.contains("removed 4 objects, 4.0 MiB"), "gc says " + removed);
        Cases.requireEqual(before - 4, objects(), "objects after gc");
        Cases.require(Arrays.equals(live, content(new Path("/live"))), "gc has removed what is live");
        Cases.require(Arrays.equals(bytes(8, BLOCK), content(new Path("/half"))), "gc has removed what was flushed");
        fs.delete(new Path("/live"), false);
        fs.delete(new Path("/half"), false);
        Cases.requireEqual(0, settled(0), "objects left");
        return "4 orphans found and removed, nothing else";
    }

    private String gc(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("gc", "--server", uri.substring("hmfs://".length())));
        if (!List.of(arguments).contains("--older-than")) {
            all.addAll(List.of("--older-than", "0s"));
        }
        all.addAll(List.of(arguments));
        ProcessBuilder program = commands.hmfs(all.toArray(new String[0]));
        program.environment().put("HADOOP_CONF_DIR", hadoop.conf().toString());
        return commands.run("rados-gc", program, WAIT_SECONDS);
    }

    private String restart() throws Exception {
        Path path = new Path("/through");
        byte[] data = bytes(10, 64 * BLOCK);
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(data, 0, 8 * BLOCK);
            out.hflush();
            ceph.killOsd();
            Thread restarts = new Thread(() -> {
                try {
                    Thread.sleep(TimeUnit.SECONDS.toMillis(AWAY_SECONDS));
                    ceph.restartOsd();
                } catch (InterruptedException | IOException e) {
                    Thread.currentThread().interrupt();
                }
            });
            long start = System.nanoTime();
            restarts.start();
            out.write(data, 8 * BLOCK, data.length - 8 * BLOCK);
            out.hflush();
            restarts.join();
            Cases.require(System.nanoTime() - start > TimeUnit.SECONDS.toNanos(AWAY_SECONDS), "the OSD was not missed");
        }
        Cases.require(Arrays.equals(data, content(path)), "other bytes");
        fs.delete(path, false);
        Cases.requireEqual(0, settled(0), "objects left");
        return "away for " + AWAY_SECONDS + " s, all bytes there";
    }

    private String unreachable() throws Exception {
        java.nio.file.Path dead = local.resolve("dead.conf");
        Files.writeString(dead, Files.readString(ceph.conf()).replaceAll("mon host = .*", "mon host = 127.0.0.1:1"));
        long start = System.nanoTime();
        String said = refused(CONF, dead.toString(), "fs.hmfs.rados.connect.timeout", "3s");
        Cases.require(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20), "it took too long to say " + said);
        Cases.require(said.contains("no monitor of the cluster ceph lets client.admin in, within 3 s"), said);
        String none = refused(CONF, local.resolve("none.conf").toString());
        Cases.require(none.contains("cannot read ") && none.contains("fs.hmfs.rados.conf says where it is"), none);
        return "said in one sentence each";
    }

    private String refused(String... settings) throws Exception {
        try (FileSystem opened = Cases.open(uri, settings)) {
            return "no error, but " + opened;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
