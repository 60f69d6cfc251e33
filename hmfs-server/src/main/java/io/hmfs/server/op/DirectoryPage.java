package io.hmfs.server.op;

import io.hmfs.client.ListDetail;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.listing.PageLookup;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;

/** Answers with a page of one directory, or with why there is none. */
final class DirectoryPage {
    /** Where the page begins, and after it where the next one does. */
    final ListCursor cursor = new ListCursor();

    /** What it tells of the directory. */
    final EntryFilter filter = new EntryFilter();

    private final Attributes found = Attributes.withAcl();
    private final EntryPage page = new EntryPage();
    private long directory;
    private int size;
    private int passed; // entries that were looked at for this page

    /** The next page begins there. */
    void from(long birth, long at, long start) {
        cursor.birth = birth;
        cursor.at = at;
        cursor.start = start;
    }

    /**
     * Writes the reply about the path of so many bytes at {@code pathAt} of the request.
     *
     * @return the directory was found, and may be read: {@link #cursor} and {@link #size} are those of the page
     */
    boolean answer(
            Request request,
            long baseId,
            int pathAt,
            int pathLength,
            ListDetail detail,
            long entriesMax,
            long bytesMax,
            boolean tellsFiles) {
        PathResolver path = request.path();
        directory = baseId;
        Status outcome = path.resolve(baseId, request.in(), pathAt, pathLength);
        if (outcome == Status.OK && path.isBase && request.access().isLimited()) {
            outcome = path.may(path.parent(), Access.READ | Access.EXECUTE);
        } else if (outcome == Status.OK && !path.isBase) {
            outcome = request.namespace().stat(path.parentId, path.name, found);
            if (outcome == Status.OK && tellsFiles && !found.isDirectory() && !found.isSymlink()) {
                request.reply().entry(path.parentId, found);
                return false;
            }
            outcome = outcome == Status.OK ? mayList(path) : outcome;
        }
        if (outcome == Status.OK) {
            outcome = write(request, detail, entriesMax, bytesMax);
            if (outcome == Status.DAMAGED) {
                request.reply().damagedIn(path.whole());
                return false;
            }
        }
        if (outcome != Status.OK) {
            request.reply().status(path.seen(outcome));
        }
        return outcome == Status.OK;
    }

    private Status mayList(PathResolver path) {
        if (!found.isDirectory()) {
            return found.isSymlink() ? path.unresolved() : Status.NOT_DIRECTORY;
        }
        directory = found.id;
        return path.may(found, Access.READ | Access.EXECUTE);
    }

    private Status write(Request request, ListDetail detail, long entriesMax, long bytesMax) {
        PageLookup kept = request.listings();
        boolean mayBeKept = !cursor.atEnd() && filter.isOpen();
        if (mayBeKept) {
            int bytes = EntryPage.bytesMax(request.reply(), bytesMax);
            byte[] frame = kept.find(directory, cursor, detail, EntryPage.entriesMax(entriesMax), bytes);
            if (frame != null) {
                request.reply().repeat(frame);
                size = kept.entries();
                return Status.OK;
            }
        }
        page.open(request, directory, detail, entriesMax, bytesMax);
        passed = 0;
        // Behind the end there is nothing, and to find that out again is a walk over the whole directory.
        Status outcome = cursor.atEnd()
                ? Status.OK
                : request.namespace().list(directory, cursor, new ListVisitor() {
                    @Override
                    public boolean visit(Name name, Attributes entry) {
                        if (mayBeKept) {
                            kept.show(request.namespace(), entry);
                        }
                        return add(request, name, entry);
                    }

                    @Override
                    public void passing() {
                        if (!request.mayWait()) {
                            throw KeyLocks.mustWait(); // an event loop has others to serve
                        }
                    }
                });
        if (outcome == Status.OK) {
            page.close(request, cursor);
            size = page.size();
            if (mayBeKept && kept.isWanted(size)) {
                kept.keep(request.reply().copy(), size, cursor);
            }
        }
        return outcome;
    }

    private boolean add(Request request, Name name, Attributes entry) {
        // A filter that leaves out nearly all must not keep the event loop for the whole directory.
        if (page.isFull() || passed == EntryPage.ENTRIES_MAX) {
            return false;
        }
        passed++;
        if (filter.passes(name)) {
            page.add(request, directory, name, entry, name.buffer(), name.length(), false);
        }
        return true;
    }

    /** Entries of the page that was written. */
    int size() {
        return size;
    }
}
