package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeCursor;
import io.hmfs.client.TreePage;
import io.hmfs.hadoop.link.HadoopErrors;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;

/**
 * The files below a directory, fetched from the server a part of the tree at a time, by path within each part. A symbolic link is listed in its
 * place, as a directory is, wherever it leads. For one thread.
 */
final class TreeFiles implements RemoteIterator<LocatedFileStatus> {
    private final ExtendedFileSystem files;
    private final String name;
    private final Path top;
    private Iterator<FileInfo> page;
    private @Nullable TreeCursor next;
    private @Nullable RemoteIterator<LocatedFileStatus> inner; // below a link, or a directory that is too deep
    private @Nullable LocatedFileStatus found;

    private TreeFiles(ExtendedFileSystem files, String name, Path top, TreePage first) {
        this.files = files;
        this.name = name;
        this.top = top;
        page = sorted(first);
        next = first.next();
    }

    /** {@code name}: the top as the server knows it. @return null if it is a file */
    static @Nullable TreeFiles open(ExtendedFileSystem files, String name, Path top) throws IOException {
        try {
            return new TreeFiles(files, name, top, part(files, name, TreeCursor.START));
        } catch (HmfsException e) {
            if (e.code() == ResultCode.NOT_DIRECTORY) {
                return null;
            }
            throw HadoopErrors.translateLookup(name, e);
        }
    }

    private static TreePage part(ExtendedFileSystem files, String name, TreeCursor from) throws IOException {
        int entriesMax = files.session().options().listPageEntries();
        return files.session().link().repeatable(client -> client.trees().list(name, from, entriesMax));
    }

    private static Iterator<FileInfo> sorted(TreePage part) {
        List<FileInfo> entries = new ArrayList<>(part.apart());
        for (FileInfo entry : part.entries()) {
            if (!entry.directory()) {
                entries.add(entry);
            }
        }
        entries.sort(Comparator.comparing(FileInfo::name));
        return entries.iterator();
    }

    @Override
    public boolean hasNext() throws IOException {
        while (found == null) {
            if (inner != null) {
                if (inner.hasNext()) {
                    found = inner.next();
                } else {
                    inner = null;
                }
            } else if (page.hasNext()) {
                meet(page.next());
            } else if (next != null) {
                fetch(next);
            } else {
                return false;
            }
        }
        return true;
    }

    private void meet(FileInfo entry) throws IOException {
        Path path = new Path(top, entry.name());
        if (!entry.directory() && !entry.symlink()) {
            found = files.located(files.status(entry, path));
            return;
        }
        try {
            inner = files.listFiles(path, true);
        } catch (FileNotFoundException gone) {
            // meanwhile, or the link leads nowhere
        }
    }

    private void fetch(TreeCursor from) throws IOException {
        TreePage part;
        try {
            part = part(files, name, from);
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(name, e);
        }
        page = sorted(part);
        next = part.next();
    }

    @Override
    public LocatedFileStatus next() throws IOException {
        if (!hasNext() || found == null) {
            throw new NoSuchElementException("No more files below " + top);
        }
        LocatedFileStatus given = found;
        found = null;
        return given;
    }
}
