package io.hmfs.server.tree;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One part of a census, which tells which files there are (docs/adr/0124): entries of the directories that are asked for, and what was
 * renamed meanwhile. A file that is there from the first part of a census to its last is told at least once.
 */
public final class CensusPage {
    /** The size of a file that was renamed meanwhile. */
    public static final long RENAMED = -1;

    private static final int ENTRIES_MAX = 4_096;
    private static final int RENAMES_MAX = 1_024;
    private static final int FILE_BYTES = 2 * Long.BYTES;

    private final ServerNamespace namespace;
    private final OrphanDirectory orphans;
    private final ByteBuffer files = buffer((ENTRIES_MAX + RENAMES_MAX) * FILE_BYTES);
    private final ByteBuffer directories = buffer((ENTRIES_MAX + RENAMES_MAX) * Long.BYTES);
    private final ListVisitor visitor = this::visit;
    private int left = ENTRIES_MAX;
    private int listed;
    private long position;

    public CensusPage(ServerNamespace namespace, OrphanDirectory orphans) {
        this.namespace = namespace;
        this.orphans = orphans;
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The first part: what the census is to begin with. */
    public Status begin() {
        position = orphans.watch();
        directories.putLong(Namespace.ROOT_ID);
        Attributes there = new Attributes();
        Status status = namespace.orphans(false, there);
        if (status == Status.OK) { // what is in it is the reaper's
            directories.putLong(there.id);
        }
        return status == Status.NOT_FOUND ? Status.OK : status;
    }

    /**
     * Another part. STALE: more was renamed than is remembered.
     *
     * @param wanted ids of directories
     * @param cursor where the first of them goes on; then where the one behind the {@link #listed} goes on
     * @param positionBefore the {@link #position} of the last part
     */
    public Status goOn(ByteBuffer wanted, ListCursor cursor, long positionBefore) {
        while (wanted.hasRemaining() && left > 0) {
            Status status = namespace.list(wanted.getLong(), cursor, visitor);
            if (status == Status.NO_SUCH_DIRECTORY) {
                cursor.birth = -1; // it is gone, and was empty then
            } else if (status != Status.OK) {
                return status;
            }
            if (!cursor.atEnd()) {
                break;
            }
            listed++;
            cursor.birth = 0;
            cursor.at = 0;
            cursor.start = 0;
        }
        long[] since = orphans.renamedSince(positionBefore, RENAMES_MAX);
        if (since == null) {
            return Status.STALE;
        }
        for (long id : since) {
            add(id & ~RenamesForWalks.DIRECTORY, RENAMED, (id & RenamesForWalks.DIRECTORY) != 0);
        }
        position = positionBefore + since.length;
        return Status.OK;
    }

    private boolean visit(Name name, Attributes found) {
        if (left == 0) {
            return false;
        }
        left--;
        add(found.id, found.size, found.isDirectory());
        return true;
    }

    private void add(long id, long size, boolean directory) {
        if (directory) {
            directories.putLong(id);
        } else {
            files.putLong(id).putLong(size);
        }
    }

    /** How many of the directories have been listed to their end. */
    public int listed() {
        return listed;
    }

    /** Position in the {@link RenamesForWalks}; the next part goes on there. */
    public long position() {
        return position;
    }

    /** Inode and size of each file. */
    public byte[] files() {
        return written(files);
    }

    public byte[] directories() {
        return written(directories);
    }

    private static byte[] written(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.position()];
        buffer.get(0, bytes);
        return bytes;
    }
}
