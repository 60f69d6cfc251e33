package io.hmfs.hadoop.listing;

import io.hmfs.client.HmfsException;
import io.hmfs.client.ListDetail;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.NameFilter;
import io.hmfs.client.PagesAhead;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeCursor;
import io.hmfs.client.TreePage;
import io.hmfs.hadoop.attributes.ChildPaths;
import io.hmfs.hadoop.attributes.FileAttributes;
import io.hmfs.hadoop.attributes.HmfsFileStatus;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.jspecify.annotations.Nullable;

/** Lists directories and trees, at absolute paths. Thread-safe; a listing is for one thread. */
public final class Listings {
    private final ServerLink link;
    private final FileAttributes attributes;
    private final int pageEntries;
    private final int pagesAhead;

    /**
     * Lists with these settings.
     *
     * @param pageEntries asked for in one request, at most
     * @param pagesAhead of one directory under way at once, at most
     */
    public Listings(ServerLink link, FileAttributes attributes, int pageEntries, int pagesAhead) {
        this.link = link;
        this.attributes = attributes;
        this.pageEntries = pageEntries;
        this.pagesAhead = pagesAhead;
    }

    /**
     * Lists a directory, or a file as its own only entry.
     *
     * @param name the path as the server knows it
     * @param path the same, qualified, which the statuses begin with
     * @param sorted whether the entries of each page come by name
     */
    public RemoteIterator<FileStatus> list(String name, Path path, boolean sorted) throws IOException {
        ListPage first;
        try {
            first = link.repeatable(client -> client.list(name, ListingCursor.START, pageEntries));
        } catch (HmfsException e) {
            if (e.code() != ResultCode.NOT_DIRECTORY) {
                throw HadoopErrors.translateLookup(name, e);
            }
            return RemoteIterators.remoteIteratorFromSingleton(attributes.status(attributes.statLink(name), path));
        }
        return list(name, path, first, NameFilter.NONE, sorted);
    }

    /** Goes on with the listing of a directory whose first page is there, and came through this filter. */
    RemoteIterator<FileStatus> list(String name, Path path, ListPage first, NameFilter filter, boolean sorted)
            throws IOException {
        ChildPaths paths = new ChildPaths(path);
        PagesAhead ahead = link.client().listAhead(name, pageEntries, ListDetail.ALL, filter, pagesAhead);
        return RemoteIterators.typeCastingRemoteIterator(
                new Listing(page(name, first, filter, ahead), sorted, entry -> attributes.entry(entry, paths)));
    }

    /**
     * Lists several paths, with one request for many.
     *
     * @param names the paths as the server knows them, one at least
     * @param paths the same, as the program will see them
     * @param followed lists what stands behind a symbolic link
     */
    public <T extends FileStatus> BatchedListing<T> batched(
            List<String> names,
            List<Path> paths,
            UnaryOperator<Path> qualified,
            BatchedListing.Status<T> status,
            BatchedListing.Followed followed)
            throws IOException {
        return new BatchedListing<>(link, attributes, pageEntries, names, paths, qualified, status, followed);
    }

    /** Asks for the first page of a directory through a filter. */
    CompletableFuture<ListPage> firstPage(String name, NameFilter filter) {
        return link.client().listAsync(name, ListingCursor.START, pageEntries, ListDetail.ALL, filter);
    }

    private Listing.Page page(String name, ListPage page, NameFilter filter, PagesAhead ahead) {
        ListingCursor next = page.next();
        return new Listing.Page(
                page.read(),
                next == null
                        ? null
                        : new Listing.More() {
                            @Override
                            public CompletableFuture<Listing.Page> ask() {
                                return ahead.next(next).thenApply(more -> page(name, more, filter, ahead));
                            }

                            @Override
                            public Listing.Page fetch() throws IOException {
                                ahead.restart();
                                return page(
                                        name,
                                        link.ask(
                                                name,
                                                client -> client.list(name, next, pageEntries, ListDetail.ALL, filter)),
                                        filter,
                                        ahead);
                            }
                        });
    }

    /** Whether nothing is in a directory. */
    public boolean isEmpty(String name) throws IOException {
        ListingCursor from = ListingCursor.START;
        while (from != null) {
            ListingCursor at = from;
            ListPage page = link.ask(name, client -> client.list(name, at, 1, ListDetail.NAMES));
            if (page.size() > 0) {
                return false;
            }
            from = page.next();
        }
        return true;
    }

    /**
     * Lists all below a directory but its directories. A directory that is too deep for the server's walk is listed in
     * its place, to be listed by itself.
     *
     * @param path the same, qualified, which the statuses begin with
     * @return null if the path is a file
     */
    public @Nullable Listing tree(String name, Path path) throws IOException {
        try {
            TreePage first = link.repeatable(client -> client.trees().list(name, TreeCursor.START, pageEntries));
            ChildPaths paths = new ChildPaths(path);
            return new Listing(
                    part(name, first),
                    true,
                    entry -> entry.directory() && !entry.apart() ? null : attributes.entry(entry, paths));
        } catch (HmfsException e) {
            if (e.code() == ResultCode.NOT_DIRECTORY) {
                return null;
            }
            throw HadoopErrors.translateLookup(name, e);
        }
    }

    private Listing.Page part(String name, TreePage part) {
        TreeCursor next = part.next();
        return new Listing.Page(
                part.read(),
                next == null
                        ? null
                        : new Listing.More() {
                            @Override
                            public CompletableFuture<Listing.Page> ask() {
                                return link.client()
                                        .trees()
                                        .listAsync(name, next, pageEntries)
                                        .thenApply(more -> part(name, more));
                            }

                            @Override
                            public Listing.Page fetch() throws IOException {
                                return part(
                                        name,
                                        link.ask(name, client -> client.trees().list(name, next, pageEntries)));
                            }
                        });
    }

    /**
     * All entries of a directory, sorted by name: programs made for HDFS rely on that. A file that took the name of one
     * that was shown before and has gone comes behind it, and alone stays: the sort is stable.
     */
    public static FileStatus[] sorted(RemoteIterator<FileStatus> listing) throws IOException {
        FileStatus[] entries = RemoteIterators.toList(listing).toArray(new FileStatus[0]);
        // Not by Path, which compares the escapes of a URI: "a!b" goes behind "a b".
        NameOrder.sort(entries, Listings::name);
        int count = 0;
        for (FileStatus entry : entries) {
            if (count > 0 && name(entries[count - 1]).equals(name(entry))) {
                count--;
            }
            entries[count++] = entry;
        }
        return count == entries.length ? entries : Arrays.copyOf(entries, count);
    }

    private static String name(FileStatus entry) {
        return entry instanceof HmfsFileStatus own
                ? own.name()
                : entry.getPath().getName();
    }
}
