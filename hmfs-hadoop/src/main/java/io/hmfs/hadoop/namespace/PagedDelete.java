package io.hmfs.hadoop.namespace;

import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.statistics.Op;
import io.hmfs.hadoop.statistics.OpCounts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.BulkDeleteUtils;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;
import org.apache.hadoop.util.functional.Tuples;

/**
 * Deletes pages of files with all requests under way at once; directories among them go last, if they are empty by
 * then.
 */
public final class PagedDelete implements BulkDelete {
    /** Most paths in one call. */
    public static final int PAGE_SIZE = 250;

    private final ServerLink link;
    private final Removal removal;
    private final OpCounts counts;
    private final Path base;

    /** {@code base}: the qualified directory that all paths are below. */
    public PagedDelete(ServerLink link, Removal removal, OpCounts counts, Path base) {
        this.link = link;
        this.removal = removal;
        this.counts = counts;
        this.base = base;
    }

    @Override
    public int pageSize() {
        return PAGE_SIZE;
    }

    @Override
    public Path basePath() {
        return base;
    }

    @Override
    public List<Map.Entry<Path, String>> bulkDelete(Collection<Path> paths) throws IOException {
        counts.add(Op.BULK_DELETE, 1);
        BulkDeleteUtils.validateBulkDeletePaths(paths, PAGE_SIZE, base);
        Map<Path, CompletableFuture<Void>> deletes = new LinkedHashMap<>();
        for (Path path : paths) {
            deletes.computeIfAbsent(
                    path, each -> link.client().deleteAsync(each.toUri().getPath()));
        }
        List<Path> directories = new ArrayList<>();
        List<Map.Entry<Path, String>> failures = new ArrayList<>();
        for (Map.Entry<Path, CompletableFuture<Void>> delete : deletes.entrySet()) {
            Path path = delete.getKey();
            try {
                FutureIO.awaitFuture(delete.getValue());
            } catch (HmfsException e) {
                if (e.code() == ResultCode.IS_DIRECTORY) {
                    directories.add(path);
                } else if (!isGone(e.code())) {
                    failures.add(Tuples.pair(path, described(path, e)));
                }
            }
        }
        directories.sort(Comparator.comparingInt(Path::depth).reversed());
        for (Path directory : directories) {
            try {
                removal.run(directory.toUri().getPath(), false);
            } catch (IOException e) {
                failures.add(Tuples.pair(directory, e.toString()));
            }
        }
        return failures;
    }

    private static boolean isGone(ResultCode code) {
        return code == ResultCode.NOT_FOUND || code == ResultCode.NO_SUCH_DIRECTORY || code == ResultCode.NOT_DIRECTORY;
    }

    private static String described(Path path, HmfsException refused) {
        try {
            return HadoopErrors.translate(path.toUri().getPath(), refused).toString();
        } catch (IllegalArgumentException badName) {
            return badName.toString();
        }
    }

    @Override
    public void close() {
        // nothing is held
    }
}
