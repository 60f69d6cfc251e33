package io.hmfs.trials.contract;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** An HMFS whose blocks are files of a real HDFS. */
final class HdfsStoreSuite {
    /** The server's block size. */
    static final int BLOCK = 1 << 20;

    private static final String SUITE = "hdfs-store";
    private static final int FILES = 20;
    private static final int LARGE = 3_500_000; // four blocks
    private static final int MORE = 100_000;

    private final Cases cases;
    private final String uri;
    private final FileSystem hdfs;
    private final Path root;
    private final Path top = new Path("/tree");
    private final Path large = new Path(top, "large");

    /** {@code root}: where the objects stand in HDFS. */
    HdfsStoreSuite(Cases cases, String uri, FileSystem hdfs, Path root) {
        this.cases = cases;
        this.uri = uri;
        this.hdfs = hdfs;
        this.root = root;
    }

    void all() throws InterruptedException {
        cases.run(SUITE, "written, appended to, read", this::write);
        cases.run(SUITE, "block locations", this::locate);
        cases.run(SUITE, "deleted", this::delete);
    }

    private FileSystem open() throws IOException {
        return Cases.open(uri, DistCpSuite.settings());
    }

    private String write() throws IOException, StepException {
        try (FileSystem hmfs = open()) {
            CopiedTree.write(hmfs, top, FILES, LARGE);
            byte[] more = new byte[MORE];
            new Random(2).nextBytes(more);
            try (OutputStream out = hmfs.append(large)) {
                out.write(more);
            }
            try (OutputStream out = hdfs.create(new Path("/plain/same"))) {
                byte[] bytes = new byte[LARGE];
                new Random(FILES).nextBytes(bytes);
                out.write(bytes);
                out.write(more);
            }
            Map<String, String> found = CopiedTree.digests(hmfs, top);
            Cases.requireEqual(FILES + 1, found.size(), "files");
            Cases.requireEqual(
                    String.valueOf(CopiedTree.digests(hdfs, new Path("/plain")).get("same")),
                    String.valueOf(found.get("large")),
                    "bytes of large");
            // The first of the many files is empty.
            Cases.requireEqual(FILES - 1 + 4, objects().size(), "objects in HDFS");
        }
        return FILES + 1 + " files, " + (FILES + 3) + " objects";
    }

    /** Those that HDFS tells of the objects, at the places of these in the file. */
    private String locate() throws IOException, StepException {
        try (FileSystem hmfs = open()) {
            Cases.require(
                    !hmfs.hasPathCapability(large, CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS),
                    "said to be virtual");
            FileStatus status = hmfs.getFileStatus(large);
            BlockLocation[] found = hmfs.getFileBlockLocations(status, 0, status.getLen());
            List<Long> offsets =
                    Arrays.stream(found).map(BlockLocation::getOffset).toList();
            Cases.requireEqual(List.of(0L, (long) BLOCK, 2L * BLOCK, 3L * BLOCK), offsets, "offsets");
            Cases.requireEqual(
                    status.getLen(),
                    Arrays.stream(found).mapToLong(BlockLocation::getLength).sum(),
                    "bytes");
            String dataNode = objects().get(0).getBlockLocations()[0].getNames()[0];
            for (BlockLocation each : found) {
                Cases.requireEqual(List.of(dataNode), List.of(each.getNames()), "place of " + each);
            }
            BlockLocation[] part = hmfs.getFileBlockLocations(status, BLOCK + BLOCK / 2, BLOCK);
            Cases.requireEqual(
                    List.of((long) BLOCK, 2L * BLOCK),
                    Arrays.stream(part).map(BlockLocation::getOffset).toList(),
                    "offsets of a part");
            return found.length + " blocks, all on " + dataNode;
        }
    }

    /** A filesystem that is closed has removed what it had to. */
    private String delete() throws IOException, StepException {
        try (FileSystem hmfs = open()) {
            Cases.require(hmfs.delete(top, true), "not deleted");
        }
        Cases.requireEqual(0, objects().size(), "objects left");
        return "no object left";
    }

    private List<LocatedFileStatus> objects() throws IOException {
        List<LocatedFileStatus> objects = new ArrayList<>();
        for (RemoteIterator<LocatedFileStatus> all = hdfs.listFiles(root, true); all.hasNext(); ) {
            objects.add(all.next());
        }
        return objects;
    }
}
