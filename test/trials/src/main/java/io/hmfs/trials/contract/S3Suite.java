package io.hmfs.trials.contract;

import io.hmfs.trials.quickstart.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Hadoop's shell over an HMFS whose blocks are objects of an S3 server, reached by S3A. */
final class S3Suite {
    /** The server's block size. */
    static final int BLOCK = 1 << 20;

    private static final String SUITE = "s3";
    private static final String SHELL = "org.apache.hadoop.fs.FsShell";
    private static final int FILES = 20;
    private static final int LARGE = 3_500_000;

    private final Cases cases;
    private final Hadoop hadoop;
    private final S3Server s3;
    private final Path local;

    S3Suite(Cases cases, Hadoop hadoop, S3Server s3, Path local) {
        this.cases = cases;
        this.hadoop = hadoop;
        this.s3 = s3;
        this.local = local;
    }

    void all() throws InterruptedException {
        cases.run(SUITE, "put, and got back", this::put);
        cases.run(SUITE, "append to a file of four objects", this::append);
        cases.run(SUITE, "renamed", this::rename);
        cases.run(SUITE, "deleted", this::delete);
    }

    private void shell(String name, String... arguments) throws Exception {
        hadoop.run("s3-" + name, SHELL, arguments);
    }

    private String put() throws Exception {
        Path tree = Files.createDirectories(local.resolve("tree"));
        Random random = new Random(1);
        long objects = 0;
        for (int i = 0; i <= FILES; i++) {
            byte[] bytes = new byte[i == FILES ? LARGE : i * 100];
            random.nextBytes(bytes);
            Files.write(tree.resolve("f" + i), bytes);
            objects += (bytes.length + BLOCK - 1) / BLOCK;
        }
        shell("put", "-put", tree.toString(), "/tree");
        Cases.requireEqual(objects, s3.objects(), "objects in the bucket");
        requireSame("got", "/tree");
        return FILES + 1 + " files, " + objects + " objects";
    }

    private String append() throws Exception {
        byte[] more = new byte[BLOCK];
        new Random(2).nextBytes(more);
        Path part = Files.write(local.resolve("more"), more);
        shell("append", "-appendToFile", part.toString(), "/tree/f" + FILES);
        Files.write(local.resolve("tree/f" + FILES), more, StandardOpenOption.APPEND);
        requireSame("got-appended", "/tree");
        return "the same bytes, the last object written again";
    }

    private String rename() throws Exception {
        long before = s3.objects();
        shell("rename", "-mv", "/tree", "/moved");
        Cases.requireEqual(before, s3.objects(), "objects in the bucket");
        requireSame("got-moved", "/moved");
        return "the same bytes, no object touched";
    }

    private String delete() throws Exception {
        shell("delete", "-rm", "-r", "-skipTrash", "/moved");
        Cases.requireEqual(0L, s3.objects(), "objects left");
        return "no object left";
    }

    private void requireSame(String name, String remote) throws Exception {
        Path got = local.resolve(name);
        shell(name, "-get", remote, got.toString());
        Cases.requireEqual(digests(local.resolve("tree")), digests(got), "contents");
    }

    private static Map<String, String> digests(Path top) throws IOException {
        Map<String, String> digests = new TreeMap<>();
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(top)) {
            all.forEach(files::add);
        }
        for (Path file : files) {
            try (InputStream in = Files.newInputStream(file)) {
                digests.put(file.getFileName().toString(), Digests.of(in));
            }
        }
        return digests;
    }
}
