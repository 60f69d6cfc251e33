package io.hmfs.hadoop.commit;

import io.hmfs.hadoop.HmfsFileSystem;
import io.hmfs.hadoop.store.DaemonThreads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;

/**
 * Merges directories into one, as far as that comes to the same in any order: an entry is moved if no other directory has one of its
 * name and none is in its place. Where it meets directories of one name it merges these in turn. What it leaves is for others to
 * judge. Level by level, with many requests under way.
 */
final class EarlyRenames implements AutoCloseable {
    /** A sync of the server's log is one for all renames that wait for it. */
    private static final int UNDER_WAY = 16;

    /** Each entry of a level takes about a kilobyte. A level of more is left to others. */
    private static final int ENTRIES_MAX = 200_000;

    private final HmfsFileSystem files;
    private final ExecutorService threads = DaemonThreads.atMost(UNDER_WAY, "hmfs-commit");

    /** Whether a request has failed, or there are too many entries: then no further request is begun. */
    private volatile boolean over;

    EarlyRenames(HmfsFileSystem files) {
        this.files = files;
    }

    /** Directories whose entries are to come into another one. */
    private record Merge(List<Path> sources, Path target) {}

    /** Entries of one name, and where they are to come to. */
    private record Entries(List<FileStatus> sameName, Path target) {}

    /**
     * Moves what it can of the entries of directories into {@code target}, a directory.
     *
     * @throws IOException that of a request which failed; none is under way when it is thrown. If this thread was interrupted, requests that
     *     have been sent may still be executed
     */
    void merge(List<Path> sources, Path target) throws IOException {
        List<Merge> level = List.of(new Merge(sources, target));
        while (!level.isEmpty()) {
            List<Callable<Optional<Merge>>> moves = new ArrayList<>();
            for (Entries each : entries(level)) {
                moves.add(() -> over ? Optional.empty() : move(each));
            }
            level = all(moves).stream().flatMap(Optional::stream).toList();
        }
    }

    private List<Entries> entries(List<Merge> level) throws IOException {
        AtomicInteger count = new AtomicInteger();
        List<Callable<FileStatus[]>> listings = new ArrayList<>();
        for (Merge merge : level) {
            for (Path source : merge.sources) {
                listings.add(() -> {
                    FileStatus[] listed = over ? new FileStatus[0] : files.listStatus(source);
                    if (count.addAndGet(listed.length) > ENTRIES_MAX) {
                        over = true;
                    }
                    return listed;
                });
            }
        }
        Iterator<FileStatus[]> listed = all(listings).iterator();
        if (over) {
            return List.of();
        }
        List<Entries> entries = new ArrayList<>();
        for (Merge merge : level) {
            Map<String, List<FileStatus>> byName = new TreeMap<>();
            for (int i = 0; i < merge.sources.size(); i++) {
                for (FileStatus each : listed.next()) {
                    byName.computeIfAbsent(each.getPath().getName(), name -> new ArrayList<>())
                            .add(each);
                }
            }
            byName.remove(FileOutputCommitter.PENDING_DIR_NAME); // in the output it has the directories of the tasks
            byName.forEach((name, sameName) -> entries.add(new Entries(sameName, new Path(merge.target, name))));
        }
        return entries;
    }

    /** Moves what stands alone, or the first of several directories. What is left of the others is to be merged next. */
    private Optional<Merge> move(Entries entries) throws IOException {
        List<FileStatus> sameName = entries.sameName;
        boolean directories = sameName.stream().allMatch(FileStatus::isDirectory);
        boolean alone = sameName.size() == 1 && !sameName.get(0).isSymlink(); // Hadoop's commit leaves a link behind
        if (!directories && !alone) {
            return Optional.empty();
        }
        List<Path> left = new ArrayList<>();
        sameName.forEach(each -> left.add(each.getPath()));
        try {
            renameExactly(left.get(0), entries.target);
            left.remove(0);
        } catch (FileAlreadyExistsException e) {
            // an entry of the same kind is in its place
        } catch (PathIOException | ParentNotDirectoryException e) {
            return Optional.empty(); // one of the other kind, or a file in place of its directory
        }
        return directories && !left.isEmpty() ? Optional.of(new Merge(left, entries.target)) : Optional.empty();
    }

    @SuppressWarnings("deprecation") // the only rename that never enters a directory
    private void renameExactly(Path source, Path target) throws IOException {
        files.rename(source, target, Options.Rename.NONE);
    }

    /** The results of all calls, in their order. */
    private <T> List<T> all(List<Callable<T>> calls) throws IOException {
        List<Callable<T>> noted = new ArrayList<>(calls.size());
        for (Callable<T> call : calls) {
            noted.add(() -> {
                try {
                    return call.call();
                } catch (Exception | Error e) {
                    over = true;
                    throw e;
                }
            });
        }
        List<T> results = new ArrayList<>(calls.size());
        try {
            for (Future<T> each : threads.invokeAll(noted)) {
                results.add(each.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the commit of the job was interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        }
        return results;
    }

    /** Returns when no thread is at work. */
    @Override
    public void close() {
        threads.shutdownNow();
        DaemonThreads.awaitEnd(threads);
    }
}
