package io.hmfs.hadoop.listing;

import io.hmfs.client.DirectoryAnswer;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.PageEntries;
import io.hmfs.client.ResultCode;
import io.hmfs.hadoop.attributes.ChildPaths;
import io.hmfs.hadoop.attributes.FileAttributes;
import io.hmfs.hadoop.attributes.HmfsFileStatus;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.PartialListing;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.util.functional.FutureIO;
import org.jspecify.annotations.Nullable;

/**
 * The listings of several paths, one after the other, with one request for many. The next request is under way while
 * what the last one has brought is read. For one thread.
 */
public final class BatchedListing<T extends FileStatus> implements RemoteIterator<PartialListing<T>> {
    private static final int FIRST_PATHS = 64;
    private static final int PATHS_MIN = 16;

    /** Characters of the paths in one request: with three bytes for each it fits into the longest frame of any server. */
    private static final int CHARACTERS_MAX = 64 << 10;

    /** Makes the status that the program asked for. */
    @FunctionalInterface
    public interface Status<T> {
        T of(FileStatus status) throws IOException;
    }

    /** Lists a path that leads over a symbolic link. */
    @FunctionalInterface
    public interface Followed {
        FileStatus[] list(Path path) throws IOException;
    }

    private final ServerLink link;
    private final FileAttributes attributes;
    private final int pageEntries;
    private final List<String> names;
    private final List<Path> paths;
    private final UnaryOperator<Path> qualified;
    private final Status<T> status;
    private final Followed followed;
    private final ArrayDeque<DirectoryAnswer> answers = new ArrayDeque<>();
    private int answered; // paths whose answers have been taken out of {@link #answers}, but for one that goes on
    private int asked = FIRST_PATHS;
    private int next; // path that the next request begins with
    private ListingCursor cursor = ListingCursor.START;
    private @Nullable CompletableFuture<List<DirectoryAnswer>> ahead;

    /**
     * Asks for the first of them.
     *
     * @param names the paths as the server knows them
     * @param paths the same, absolute, as the program will see them
     * @param pageEntries in one request, at most
     */
    BatchedListing(
            ServerLink link,
            FileAttributes attributes,
            int pageEntries,
            List<String> names,
            List<Path> paths,
            UnaryOperator<Path> qualified,
            Status<T> status,
            Followed followed)
            throws IOException {
        this.link = link;
        this.attributes = attributes;
        this.pageEntries = pageEntries;
        this.names = names;
        this.paths = paths;
        this.qualified = qualified;
        this.status = status;
        this.followed = followed;
        take(fetch());
    }

    /** What the next request asks for. */
    private List<String> batch() {
        int end = next;
        int characters = 0;
        while (end < names.size() && end - next < asked) {
            characters += names.get(end).length();
            if (end > next && characters > CHARACTERS_MAX) {
                break;
            }
            end++;
        }
        return names.subList(next, end);
    }

    private List<DirectoryAnswer> fetch() throws IOException {
        List<String> batch = batch();
        ListingCursor from = cursor;
        return link.ask(batch.get(0), client -> client.listMany(batch, from, pageEntries));
    }

    /** Takes the answers to the last request, and asks for more. */
    private void take(List<DirectoryAnswer> taken) {
        answers.addAll(taken);
        ListPage last = taken.get(taken.size() - 1).page();
        ListingCursor goesOn = last == null ? null : last.next();
        next += goesOn == null ? taken.size() : taken.size() - 1;
        cursor = goesOn == null ? ListingCursor.START : goesOn;
        asked = Math.min(HmfsClient.LIST_MANY_MAX, Math.max(PATHS_MIN, 2 * taken.size()));
        ahead = next == names.size() ? null : link.client().listManyAsync(batch(), cursor, pageEntries);
    }

    @Override
    public boolean hasNext() throws IOException {
        if (answers.isEmpty() && next < names.size()) {
            take(answer());
        }
        return !answers.isEmpty();
    }

    /** What was asked for ahead; what has become of it is no failure before it is needed, so it is asked for again then. */
    private List<DirectoryAnswer> answer() throws IOException {
        CompletableFuture<List<DirectoryAnswer>> underWay = ahead;
        if (underWay != null) {
            ahead = null;
            try {
                return FutureIO.awaitFuture(underWay);
            } catch (InterruptedIOException interrupted) {
                throw interrupted;
            } catch (IOException | RuntimeException failed) {
                // as below
            }
        }
        return fetch();
    }

    @Override
    public PartialListing<T> next() throws IOException {
        if (!hasNext()) {
            throw new NoSuchElementException("No more listings");
        }
        DirectoryAnswer answer = answers.remove();
        Path path = paths.get(answered);
        String name = names.get(answered);
        ListPage page = answer.page();
        if (page == null || page.next() == null) {
            answered++;
        }
        HmfsException refusal = answer.refusal();
        if (refusal == null) {
            return new PartialListing<>(path, statuses(answer, path));
        }
        return refusal.code() == ResultCode.UNRESOLVED_LINK
                ? followed(path)
                : new PartialListing<>(path, remote(translated(name, refusal)));
    }

    private List<T> statuses(DirectoryAnswer answer, Path path) throws IOException {
        FileInfo file = answer.file();
        ListPage page = answer.page();
        List<T> statuses = new ArrayList<>();
        if (file != null) {
            statuses.add(status.of(attributes.status(file, qualified.apply(path))));
        } else if (page != null) {
            for (FileStatus each : sorted(page, new ChildPaths(qualified.apply(path)))) {
                statuses.add(status.of(each));
            }
        }
        return statuses;
    }

    /** What stands behind a symbolic link is listed by itself. */
    private PartialListing<T> followed(Path path) throws IOException {
        List<T> statuses = new ArrayList<>();
        try {
            for (FileStatus each : followed.list(path)) {
                statuses.add(status.of(each));
            }
        } catch (InterruptedIOException interrupted) {
            throw interrupted;
        } catch (IOException failed) {
            return new PartialListing<>(path, remote(failed));
        }
        return new PartialListing<>(path, statuses);
    }

    private List<HmfsFileStatus> sorted(ListPage page, ChildPaths children) {
        List<HmfsFileStatus> sorted = new ArrayList<>(page.size());
        PageEntries entries = page.read();
        while (entries.next()) {
            sorted.add(attributes.entry(entries, children));
        }
        return NameOrder.sorted(sorted);
    }

    private static Exception translated(String name, HmfsException refusal) {
        try {
            return HadoopErrors.translateLookup(name, refusal);
        } catch (IllegalArgumentException invalid) {
            return invalid;
        }
    }

    /** The exception of HDFS as its client has it from a NameNode: the program unwraps it. */
    private static RemoteException remote(Exception translated) {
        Class<?> type = translated instanceof PathIOException ? IOException.class : translated.getClass();
        return new RemoteException(type.getName(), translated.getMessage());
    }
}
