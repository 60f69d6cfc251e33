package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.server.data.RemovalTable;
import io.hmfs.server.request.Request;

/** The file whose data has to go because a request removed or replaced the file; the reply tells it to the client. */
final class DiscardedFile {
    private final Attributes attributes = new Attributes();

    /** What the engine has removed; after {@link #settle} id and size are 0 unless there is data to remove. */
    Attributes attributes() {
        return attributes;
    }

    /** Nothing is removed yet. */
    void clear() {
        attributes.id = 0;
        attributes.size = 0;
        attributes.nlink = 0;
    }

    /** Called after the removal that has filled in {@link #attributes}: {@link #settle(Request, Attributes)}. */
    void settle(Request request) {
        settle(request, attributes);
    }

    /**
     * Called after a removal, with what it has removed; id 0: nothing. A file that has names left keeps its data, and a symbolic link or a
     * directory has none: id and size become 0. Any other file loses its lease, and the request's user may clear its record if its
     * objects are elsewhere.
     */
    static void settle(Request request, Attributes removed) {
        if (removed.nlink > 0 || removed.isSymlink() || removed.isDirectory()) {
            removed.id = 0;
            removed.size = 0;
        } else if (removed.id != 0) {
            request.partition().leases().removed(removed.id);
            RemovalTable record = request.partition().removals();
            if (record != null) {
                record.removedBy(removed.id, request.userMark());
            }
        }
    }
}
