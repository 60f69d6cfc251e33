package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListCursor;
import io.hmfs.client.ListPage;
import io.hmfs.client.ResultCode;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;

/** The entries of a directory, fetched a page at a time, by name within each page; or a file as its own only entry. For one thread. */
final class Listing implements RemoteIterator<FileInfo> {
    private final ServerLink link;
    private final String path;
    private final int pageEntries;
    private final boolean ofFile;
    private Iterator<FileInfo> page;
    private @Nullable ListCursor next;

    private Listing(ServerLink link, String path, int pageEntries, ListPage first, boolean ofFile) {
        this.link = link;
        this.path = path;
        this.pageEntries = pageEntries;
        this.ofFile = ofFile;
        this.page = sorted(first);
        this.next = first.next();
    }

    private static Iterator<FileInfo> sorted(ListPage page) {
        List<FileInfo> entries = new ArrayList<>(page.entries());
        entries.sort(Comparator.comparing(FileInfo::name));
        return entries.iterator();
    }

    /** Opens a listing. @throws java.io.FileNotFoundException there is nothing at {@code path} */
    static Listing open(ServerLink link, String path, int pageEntries) throws IOException {
        try {
            ListPage first = link.repeatable(client -> client.list(path, ListCursor.START, pageEntries));
            return from(link, path, pageEntries, first);
        } catch (HmfsException e) {
            if (e.code() != ResultCode.NOT_DIRECTORY) {
                throw HadoopErrors.translateLookup(path, e);
            }
        }
        try {
            FileInfo file = link.repeatable(client -> client.stat(path));
            return new Listing(link, path, pageEntries, new ListPage(List.of(file), null), true);
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    /** Goes on with a listing of a directory whose first page is there. */
    static Listing from(ServerLink link, String path, int pageEntries, ListPage first) {
        return new Listing(link, path, pageEntries, first, false);
    }

    /** Whether the path names a file, which is then the only entry. */
    boolean isOfFile() {
        return ofFile;
    }

    @Override
    public boolean hasNext() throws IOException {
        while (!page.hasNext()) {
            ListCursor from = next;
            if (from == null) {
                return false;
            }
            ListPage fetched;
            try {
                fetched = link.repeatable(client -> client.list(path, from, pageEntries));
            } catch (HmfsException e) {
                throw HadoopErrors.translateLookup(path, e);
            }
            page = sorted(fetched);
            next = fetched.next();
        }
        return true;
    }

    @Override
    public FileInfo next() throws IOException {
        if (!hasNext()) {
            throw new NoSuchElementException("No more entries in " + path);
        }
        return page.next();
    }
}
