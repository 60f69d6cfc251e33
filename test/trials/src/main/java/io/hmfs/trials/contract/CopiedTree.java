package io.hmfs.trials.contract;

import io.hmfs.trials.quickstart.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** Files whose bytes differ from each other, in directories of ten. */
final class CopiedTree {
    private static final int SMALL = 3000; // bytes of the longest of the many

    private CopiedTree() {}

    /** Writes many small files, an empty one, and one of so many bytes. */
    static void write(FileSystem files, Path top, int many, int large) throws IOException {
        for (int i = 0; i < many; i++) {
            put(files, new Path(top, "d" + i / 10 + "/f" + i), i, (i * 977) % SMALL);
        }
        put(files, new Path(top, "large"), many, large);
    }

    /** One file; the same seed and length make the same bytes. */
    static void put(FileSystem files, Path file, long seed, int length) throws IOException {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        try (OutputStream out = files.create(file, true)) {
            out.write(bytes);
        }
    }

    /** SHA-256 of every file, read to its end, by its path below the top. */
    static Map<String, String> digests(FileSystem files, Path top) throws IOException {
        String prefix = files.makeQualified(top) + "/";
        Map<String, String> digests = new TreeMap<>();
        RemoteIterator<LocatedFileStatus> all = files.listFiles(top, true);
        while (all.hasNext()) {
            Path file = all.next().getPath();
            try (InputStream in = files.open(file)) {
                digests.put(file.toString().substring(prefix.length()), Digests.of(in));
            }
        }
        return digests;
    }
}
