package io.hmfs.bench.hdfs;

import com.sun.management.ThreadMXBean;
import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.load.PoolSize;
import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.PoolDirectory;
import io.hmfs.bench.process.TemporaryDirectory;
import io.hmfs.bench.report.Lines;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.ReportOptions;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Series;
import io.hmfs.bench.report.Target;
import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListDetail;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.NameFilter;
import io.hmfs.client.PageEntries;
import io.hmfs.client.PagesAhead;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.BatchListingOperations;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.PartialListing;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hmfs bench list}: what listing a directory takes, beside the same bytes over a socket and beside HDFS. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "What listing a directory takes, beside the least that it could, and beside a real HDFS.",
        footer = {
            "",
            "A server of HMFS in mode logged, and with --hdfs a NameNode, run in JVMs of their own; the client is this"
                    + " JVM for both, warm. The rounds of all take turns, and a ratio is taken round by round.",
            "",
            "Figures, each for a number N of entries with names of 16 bytes:",
            "  clientN   HmfsClient reads every attribute of every entry in place, the next page under way",
            "  listN     FileSystem.listStatus, and the path of each status",
            "  iterateN  FileSystem.listStatusIterator to its end, and the path of each status",
            "  firstN    the same until the first status is here",
            "  floor     of clientN: as many bytes in as many pages over a connection of its own, as many of them under way,",
            "            read and not looked at",
            "  bytesN, roundTripsN  of clientN on the wire, counted on the way",
            "  allocatedN  bytes that the thread of listN allocates for each entry",
            "",
            "With --tree D, for a tree of D directories with ten files in each, F = 10 D:",
            "  listFilesF  FileSystem.listFiles of the whole tree, and the path of each status",
            "  batchF      BatchListingOperations over the directories, a hundred in each call, as HDFS allows",
            "",
            "With --creates K:",
            "  createN   K creates in the directory by one client, while four others list it (hmfs), while they list another"
                    + " one of its size (elsewhere), and alone",
            "  listedBesideCreateN  entries that the four have listed meanwhile",
            "",
            "Examples:",
            "  hmfs bench list",
            "  hmfs bench list --entries 16,1000 --hdfs --rounds 9",
            "  hmfs bench list --entries 1000000 --json list.json",
            "  hmfs bench list --entries 1000000 --variant basic --link 1gbit,0.2ms",
            "  hmfs bench list --entries 16 --tree 10000 --hdfs",
            "  hmfs bench list --entries 100000 --creates 100000",
        })
public final class ListCommand implements Callable<Integer> {
    private static final int ENTRIES_MIN = 20_000; // entries that a figure of one round is taken over, at least
    private static final int FILES_OF_DIRECTORY = 10;
    private static final int BATCH = 100; // paths that HDFS takes in one call, by default
    private static final String TREE = "/tree";
    private static final String CACHE_BYTES = "--listing-cache-bytes";
    private static final int AHEAD = 4; // pages that are under way in a stream
    private static final int IN_FLIGHT = 512;
    private static final int MAKERS = 64;
    private static final int LISTERS = 4;
    private static final CreateOptions FILE = new CreateOptions(0644, false, false, 0755);

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Option(
            names = "--entries",
            split = ",",
            paramLabel = "N",
            defaultValue = "16,1000,100000",
            description = "Sizes of the directories (default ${DEFAULT-VALUE}).")
    private List<Integer> sizes = List.of();

    /** The steps of the paper's Figure 10 that there are, each beside the one before. */
    enum Variant {
        /** The next page is asked for when the one before has been read. */
        BASIC,
        /** The next page is under way while one is read. */
        PIPELINE,
        /** Several pages are under way, as those of Hadoop's listings are. */
        STREAM,
        /** The same, and the server has kept all pages from the round before. */
        CACHE,
        /** Several pages are under way, and long ones compressed, as they can be for clients on other machines. */
        COMPRESS
    }

    @Option(
            names = "--variant",
            paramLabel = "V",
            defaultValue = "STREAM",
            description = {
                "How clientN and floor list (default stream). basic: they ask for a page when they have read the one"
                        + " before; pipeline: the next page is under way; stream: four are; cache: the same, and the"
                        + " server keeps pages, as it does by default; compress: four are under way, and the server"
                        + " compresses long pages on this machine, too."
            })
    private Variant variant = Variant.STREAM;

    @Option(
            names = "--link",
            paramLabel = "RATE,TIME",
            description = {
                "All ask through a link, as 1gbit,0.2ms: of so many mbit or gbit a second each way, and of so many ms"
                        + " there and back. It is a relay in this JVM: it takes processor time, and adds to short answers."
            })
    private @Nullable String link;

    @Option(
            names = "--tree",
            paramLabel = "D",
            description = "Directories of a tree of files, for listFiles and batch (default: no tree).")
    private int treeDirectories;

    @Option(
            names = "--creates",
            paramLabel = "K",
            description = "Creates in each directory while four clients list it (default: none).")
    private int creates;

    @Option(names = "--hdfs", description = "Beside a NameNode of HDFS, which is fetched the first time.")
    private boolean besideHdfs;

    @Option(names = "--rounds", defaultValue = "5", description = "Rounds that count (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "The disk for logs of both (default: the directory for temporary files).")
    private java.nio.file.@Nullable Path directory;

    @Option(
            names = "--pool-dir",
            paramLabel = "DIR",
            description = "Where HMFS's pool is made (default /dev/shm, or the directory for temporary files).")
    private java.nio.file.@Nullable Path poolDirectory;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private final Lines lines = new Lines();
    private final Map<String, Number> counters = new LinkedHashMap<>();
    volatile long seen; // so that what is read is not read for nothing

    @Override
    public Integer call() throws Exception {
        if (link != null && !Links.isReadable(link)) {
            throw new ParameterException(
                    spec.commandLine(), "--link " + link + ": write rate and round trip, as in 1gbit,0.2ms");
        }
        java.nio.file.Path disk =
                directory == null ? java.nio.file.Path.of(System.getProperty("java.io.tmpdir")) : directory;
        java.nio.file.Path pools = poolDirectory == null ? PoolDirectory.standard() : poolDirectory;
        try (TemporaryDirectory work = new TemporaryDirectory(disk);
                TemporaryDirectory memory = new TemporaryDirectory(pools)) {
            java.nio.file.Path logs = Files.createDirectory(work.path().resolve("logs"));
            Commands commands = new Commands(java.nio.file.Path.of(System.getProperty("hmfs.home", ".")), logs);
            int treeFiles = treeDirectories * FILES_OF_DIRECTORY;
            long entries = sizes.stream().mapToLong(Integer::longValue).sum() * (creates > 0 ? 2 : 1)
                    + creates
                    + treeFiles
                    + treeDirectories;
            try (HmfsSide hmfs = new HmfsSide(
                            commands,
                            memory.path().resolve("pool"),
                            PoolSize.of(2 * entries),
                            Files.createDirectory(work.path().resolve("hmfs")),
                            serverOptions());
                    HdfsSide hdfs = besideHdfs
                            ? new HdfsSide(
                                    commands,
                                    Files.createDirectory(work.path().resolve("hdfs")),
                                    List.of("dfs.replication", "1"))
                            : null;
                    Links links = new Links(link);
                    FloorLine floor = new FloorLine(links)) {
                List<Side> sides = hdfs == null ? List.of(hmfs) : List.of(hmfs, hdfs);
                for (Side side : sides) {
                    side.through(links);
                }
                if (link != null) {
                    counters.put("linkBitsPerSecond", links.bitsPerSecond());
                    counters.put("linkRoundTripNanos", links.roundTripNanos());
                }
                for (int size : sizes) {
                    say("making " + size + " entries");
                    try (HmfsClient client = connect(hmfs.port())) {
                        make(client, directory(size), size);
                    }
                    if (hdfs != null) {
                        make(hdfs, size);
                    }
                    say("listing " + size + " entries");
                    measure(links.to(hmfs.port()), floor, hmfs.port(), sides, size);
                    if (creates > 0) {
                        say("creating beside listings of " + size + " entries");
                        measureCreates(hmfs.port(), size);
                    }
                }
                if (treeDirectories > 0) {
                    for (Side side : sides) {
                        say("making " + treeFiles + " files in " + treeDirectories + " directories, " + side.name());
                        side.tree(TREE + "/d", treeFiles, FILES_OF_DIRECTORY);
                    }
                    say("listing the tree");
                    measureTree(sides, treeFiles);
                }
            }
        }
        return report.publish(outcome());
    }

    private String[] serverOptions() {
        return switch (variant) {
            case BASIC, PIPELINE, STREAM -> new String[] {CACHE_BYTES, "0"};
            case CACHE -> new String[] {CACHE_BYTES, "512M"};
            case COMPRESS -> new String[] {CACHE_BYTES, "0", "--compress-from", "16K", "--compress-local", "true"};
        };
    }

    private static String directory(int size) {
        return "/list-" + size;
    }

    private static String name(int number) {
        return "part-%011d".formatted(number);
    }

    private static HmfsClient connect(int port) throws IOException {
        return HmfsClient.connect(InetAddress.getLoopbackAddress().getHostAddress(), port, ClientOptions.defaults());
    }

    private static void make(HmfsClient client, String directory, int size) throws IOException, InterruptedException {
        client.mkdir(directory, 0755, true);
        pipelined(size, i -> client.createAsync(directory + "/" + name(i), FILE));
    }

    /** Sends so many requests, and waits for all. */
    private static void pipelined(int count, IntFunction<CompletableFuture<?>> send)
            throws IOException, InterruptedException {
        ArrayDeque<CompletableFuture<?>> underWay = new ArrayDeque<>();
        try {
            for (int i = 0; i < count || !underWay.isEmpty(); i++) {
                if (i < count) {
                    underWay.add(send.apply(i));
                }
                if (i >= count || underWay.size() == IN_FLIGHT) {
                    underWay.remove().get();
                }
            }
        } catch (ExecutionException e) {
            throw new IOException("a request failed", e.getCause());
        }
    }

    private static void make(HdfsSide hdfs, int size) throws IOException, InterruptedException {
        hdfs.files().mkdirs(hdfs.path(directory(size)));
        Side.each(MAKERS, thread -> {
            for (int i = thread; i < size; i += MAKERS) {
                hdfs.make(directory(size) + "/" + name(i), thread);
            }
        });
    }

    private void measure(int linkPort, FloorLine floor, int port, List<Side> sides, int size) throws Exception {
        try (HmfsClient client = connect(linkPort)) {
            measure(client, floor, port, sides, size);
        }
    }

    private void measure(HmfsClient client, FloorLine floor, int port, List<Side> sides, int size) throws Exception {
        long pages = pages(client, size);
        long bytes =
                FrameSizes.of(port, 1, (counted, _) -> pages(counted, size)).reply();
        counters.put("bytes" + size, bytes);
        counters.put("roundTrips" + size, pages);
        int times = Math.max(1, ENTRIES_MIN / size);
        for (int round = -Math.max(1, 200_000 / (size * times)); round < rounds; round++) {
            timed(round, "client" + size, "hmfs", times, () -> pages(client, size));
            timed(round, "client" + size, "floor", times, () -> floor.fetch(bytes, pages, pagesUnderWay()));
            for (Side side : round % 2 == 0 ? sides : sides.reversed()) {
                FileSystem files = side.files();
                Path path = side.path(directory(size));
                long before = allocated();
                timed(round, "list" + size, side.name(), times, () -> list(files, path, size));
                if (round >= 0) {
                    double each = (allocated() - before) / ((double) times * size);
                    lines.round("allocated" + size, side.name(), "bytes", each);
                }
                timed(round, "iterate" + size, side.name(), times, () -> iterate(files, path, size));
                timed(round, "first" + size, side.name(), times, () -> first(files, path));
            }
        }
    }

    private void measureCreates(int port, int size) throws Exception {
        try (HmfsClient client = connect(port)) {
            String here = directory(size);
            String elsewhere = here + "-other";
            make(client, elsewhere, size);
            for (int round = -1; round < rounds; round++) {
                creates(round, client, port, size, "alone", null);
                creates(round, client, port, size, "elsewhere", elsewhere);
                creates(round, client, port, size, "hmfs", here);
            }
        }
    }

    /** Creates in a directory while four clients list this one or another, and then deletes what was made. */
    private void creates(int round, HmfsClient client, int port, int size, String subject, @Nullable String listed)
            throws Exception {
        String each = directory(size) + "/more-";
        AtomicBoolean ends = new AtomicBoolean();
        try (ExecutorService listers = Executors.newCachedThreadPool()) {
            List<Future<Long>> listings = new ArrayList<>();
            for (int i = 0; listed != null && i < LISTERS; i++) {
                listings.add(listers.submit(() -> listUntil(ends, port, listed, size)));
            }
            long start = System.nanoTime();
            try {
                pipelined(creates, i -> client.createAsync(each + i, FILE));
            } finally {
                ends.set(true);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            long entries = 0;
            for (Future<Long> listing : listings) {
                entries += listing.get();
            }
            if (round >= 0) {
                lines.round("create" + size, subject, "creates/s", creates / seconds);
                if (listed != null) {
                    lines.round("listedBesideCreate" + size, subject, "entries/s", entries / seconds);
                }
            }
        }
        pipelined(creates, i -> client.deleteAsync(each + i));
    }

    private static long listUntil(AtomicBoolean ends, int port, String directory, int size) throws IOException {
        long all = 0;
        try (HmfsClient client = connect(port)) {
            while (!ends.get()) {
                int entries = 0;
                for (ListingCursor at = ListingCursor.START; at != null; ) {
                    ListPage page = client.list(directory, at, 0);
                    entries += page.size();
                    at = page.next();
                }
                if (entries < size) {
                    throw new IOException(
                            "listed " + entries + " entries of " + size + " that are there all the while");
                }
                all += entries;
            }
        }
        return all;
    }

    private void measureTree(List<Side> sides, int files) throws IOException {
        for (int round = -1; round < rounds; round++) {
            for (Side side : round % 2 == 0 ? sides : sides.reversed()) {
                FileSystem at = side.files();
                List<Path> directories = new ArrayList<>();
                for (int i = 0; i < treeDirectories; i++) {
                    directories.add(side.path(TREE + "/d" + i));
                }
                timed(round, "listFiles" + files, side.name(), 1, () -> listFiles(at, side.path(TREE), files));
                timed(round, "batch" + files, side.name(), 1, () -> batch(at, directories, files));
            }
        }
    }

    private void listFiles(FileSystem files, Path top, int expected) throws IOException {
        int entries = 0;
        long sum = 0;
        RemoteIterator<LocatedFileStatus> each = files.listFiles(top, true);
        while (each.hasNext()) {
            sum += each.next().getPath().toUri().getPath().length();
            entries++;
        }
        seen = sum;
        check(entries, expected);
    }

    private void batch(FileSystem files, List<Path> directories, int expected) throws IOException {
        int entries = 0;
        long sum = 0;
        for (int from = 0; from < directories.size(); from += BATCH) {
            RemoteIterator<PartialListing<FileStatus>> parts = ((BatchListingOperations) files)
                    .batchedListStatusIterator(directories.subList(from, Math.min(directories.size(), from + BATCH)));
            while (parts.hasNext()) {
                for (FileStatus each : parts.next().get()) {
                    sum += each.getPath().toUri().getPath().length();
                    entries++;
                }
            }
        }
        seen = sum;
        check(entries, expected);
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Milliseconds of one, as the mean of several. */
    private void timed(int round, String name, String subject, int times, Work work) throws IOException {
        long start = System.nanoTime();
        for (int i = 0; i < times; i++) {
            work.run();
        }
        double millis = (System.nanoTime() - start) / 1e6 / times;
        if (round >= 0) {
            lines.round(name, subject, "ms", millis);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private int pagesUnderWay() {
        return variant.compareTo(Variant.STREAM) < 0 ? 1 : AHEAD;
    }

    /** Lists page by page and reads each attribute; how many pages there were. */
    private long pages(HmfsClient client, int size) throws IOException {
        int entries = 0;
        long pages = 0;
        long sum = 0;
        // The thread that waits reads the first one itself.
        ListPage page = client.list(directory(size), ListingCursor.START, 0);
        PagesAhead ahead = client.listAhead(directory(size), 0, ListDetail.ALL, NameFilter.NONE, pagesUnderWay());
        for (; ; ) {
            ListingCursor next = page.next();
            CompletableFuture<ListPage> following = next == null || variant == Variant.BASIC ? null : ahead.next(next);
            pages++;
            PageEntries each = page.read();
            while (each.next()) {
                entries++;
                sum += each.id() ^ each.size() ^ each.mtimeNanos() ^ each.atimeMillis() ^ each.ctimeMillis();
                sum += each.mode() + each.owner().length() + each.group().length();
                sum += each.name().length() + (each.directory() ? 1 : 0) + (each.symlink() ? 1 : 0);
            }
            if (next == null) {
                break;
            }
            page = following == null ? client.list(directory(size), next, 0) : following.join();
        }
        seen = sum;
        check(entries, size);
        return pages;
    }

    private void list(FileSystem files, Path path, int size) throws IOException {
        FileStatus[] entries = files.listStatus(path);
        long sum = 0;
        for (FileStatus each : entries) {
            sum += each.getPath().toUri().getPath().length();
        }
        seen = sum;
        check(entries.length, size);
    }

    private void iterate(FileSystem files, Path path, int size) throws IOException {
        int entries = 0;
        long sum = 0;
        RemoteIterator<FileStatus> each = files.listStatusIterator(path);
        while (each.hasNext()) {
            sum += each.next().getPath().toUri().getPath().length();
            entries++;
        }
        seen = sum;
        check(entries, size);
    }

    private void first(FileSystem files, Path path) throws IOException {
        seen = files.listStatusIterator(path).next().getLen();
    }

    private static void check(int entries, int size) throws IOException {
        if (entries != size) {
            throw new IOException("listed " + entries + " entries of " + size);
        }
    }

    private Outcome outcome() {
        List<Result> results = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (Series series : lines.all()) {
            results.add(series.result());
            if (series.subject().equals("hmfs")) {
                for (Series peer : lines.all()) {
                    if (peer.name().equals(series.name()) && !peer.subject().equals("hmfs")) {
                        results.add(series.dividedBy(peer).result());
                    }
                }
            }
        }
        for (int size : sizes) {
            double bound = size < 1_000 ? 0.3 : size < 100_000 ? 0.2 : 0.15;
            targets.add(Target.atMost("client" + size + "/floor", 3));
            targets.add(Target.atMost("list" + size + "/hdfs", bound));
            targets.add(Target.atMost("iterate" + size + "/hdfs", bound));
        }
        if (creates > 0) {
            sizes.forEach(size -> targets.add(Target.atLeast("create" + size + "/elsewhere", 0.8)));
        }
        if (treeDirectories > 0) {
            targets.add(Target.atMost("listFiles" + treeDirectories * FILES_OF_DIRECTORY + "/hdfs", 0.1));
        }
        return new Outcome(results, counters, targets);
    }

    private static void say(String what) {
        System.err.println("bench list: " + what);
    }
}
