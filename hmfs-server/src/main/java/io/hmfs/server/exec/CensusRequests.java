package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.ObjectList;
import io.hmfs.wire.CensusDecoder;
import io.hmfs.wire.ObjectsDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * For whoever looks for objects that no file refers to (docs/adr/0124): which files there are, part by part, and what the builtin store
 * has. A file that is there from the first part of a census to its last is told at least once. For superusers; executed where a thread may
 * take its time.
 */
final class CensusRequests {
    /** Most bytes of an answer, about. */
    static final int REPLY_BYTES = 192 << 10;

    private static final System.Logger LOG = System.getLogger(CensusRequests.class.getName());
    private static final int ENTRIES_MAX = 4_096;
    private static final int MOVED_MAX = 1_024;
    private static final int DIRECTORIES_MAX = 1_024;
    private static final int OBJECTS_MAX = 4_096;
    private static final int OBJECT_BYTES = 2 * Long.BYTES;
    private static final long BEGIN = 0;
    private static final long HAS_MOVED = -1;

    private final Worker worker;
    private final CensusDecoder census = new CensusDecoder();
    private final ObjectsDecoder objects = new ObjectsDecoder();

    CensusRequests(Worker worker) {
        this.worker = worker;
    }

    static boolean isOne(int templateId) {
        return templateId == CensusDecoder.TEMPLATE_ID || templateId == ObjectsDecoder.TEMPLATE_ID;
    }

    /** Executes the current request if it is one of these. */
    boolean takes(int templateId) {
        if (templateId == CensusDecoder.TEMPLATE_ID) {
            census();
        } else if (templateId == ObjectsDecoder.TEMPLATE_ID) {
            objects();
        }
        return isOne(templateId);
    }

    /** What is told of the namespace in one answer. */
    static final class Page {
        private final ByteBuffer files = buffer((ENTRIES_MAX + MOVED_MAX) * OBJECT_BYTES);
        private final ByteBuffer directories = buffer((ENTRIES_MAX + MOVED_MAX) * Long.BYTES);
        final ListCursor cursor = new ListCursor();
        int listed;
        long moved;
        private int left = ENTRIES_MAX;

        boolean visit(Name name, Attributes found) {
            if (left == 0) {
                return false;
            }
            left--;
            add(found.id, found.size, found.isDirectory());
            return true;
        }

        byte[] files() {
            return written(files);
        }

        byte[] directories() {
            return written(directories);
        }

        private static byte[] written(ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.position()];
            buffer.get(0, bytes);
            return bytes;
        }

        void add(long id, long size, boolean directory) {
            if (directory) {
                directories.putLong(id);
            } else {
                files.putLong(id).putLong(size);
            }
        }
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Answers who is no superuser, or began under another server, for what has moved meanwhile only that one knows. */
    private boolean refuse(long incarnation) {
        if (worker.access.isLimited()) {
            worker.reply.status(worker.access.denied(
                    "Access denied for user " + worker.access.user() + ". Superuser privilege is required"));
            return true;
        }
        if (incarnation != BEGIN && incarnation != worker.service.incarnation) {
            worker.reply.failure(ResultCode.STALE, "the server has been restarted meanwhile: begin again");
            return true;
        }
        return false;
    }

    private void census() {
        worker.checkBlock(CensusDecoder.BLOCK_LENGTH);
        census.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        ByteBuffer directories =
                bytes(census.limit(), census.directoriesLength(), CensusDecoder.directoriesHeaderLength());
        if (refuse(census.incarnation())) {
            return;
        }
        if (directories.remaining() > DIRECTORIES_MAX * Long.BYTES || directories.remaining() % Long.BYTES != 0) {
            worker.reply.failure(ResultCode.INVALID_ARGUMENT, "at most " + DIRECTORIES_MAX + " ids of 8 bytes each");
            return;
        }
        Page page = new Page();
        Status status = census.incarnation() == BEGIN ? begin(page) : go(page, directories);
        if (status == Status.STALE) {
            worker.reply.failure(ResultCode.STALE, "more was moved than the server remembers: begin again");
        } else if (status != Status.OK) {
            worker.reply.status(status);
        } else {
            worker.service.awaitSafe(); // a file that is gone must not come back with the loss of the machine
            worker.reply.census(worker.service.incarnation, page);
        }
    }

    private Status begin(Page page) {
        page.moved = worker.service.limbo.watch();
        page.directories.putLong(Namespace.ROOT_ID);
        Attributes limbo = new Attributes();
        Status status = worker.namespace.limbo(false, limbo);
        if (status == Status.OK) { // what is in it is the reaper's
            page.directories.putLong(limbo.id);
        }
        return status == Status.NOT_FOUND ? Status.OK : status;
    }

    private Status go(Page page, ByteBuffer directories) {
        page.cursor.birth = census.cursorBirth();
        page.cursor.at = census.cursorAt();
        page.cursor.start = census.cursorStart();
        while (directories.hasRemaining() && page.left > 0) {
            Status status = worker.namespace.list(directories.getLong(), page.cursor, page::visit);
            if (status == Status.NO_SUCH_DIRECTORY) {
                page.cursor.birth = -1; // it is gone, and was empty then
            } else if (status != Status.OK) {
                return status;
            }
            if (page.cursor.atEnd()) {
                page.listed++;
                page.cursor.birth = 0;
                page.cursor.at = 0;
                page.cursor.start = 0;
            } else {
                break;
            }
        }
        long[] moved = worker.service.limbo.movedSince(census.moved(), MOVED_MAX);
        if (moved == null) {
            return Status.STALE;
        }
        for (long id : moved) {
            page.add(id & ~Moved.DIRECTORY, HAS_MOVED, (id & Moved.DIRECTORY) != 0);
        }
        page.moved = census.moved() + moved.length;
        return Status.OK;
    }

    private void objects() {
        worker.checkBlock(ObjectsDecoder.BLOCK_LENGTH);
        objects.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        ByteBuffer removed = bytes(objects.limit(), objects.removedLength(), ObjectsDecoder.removedHeaderLength());
        Service.@Nullable Data data = worker.service.data;
        if (refuse(objects.incarnation())) {
            return;
        }
        if (data == null) {
            worker.reply.failure(
                    ResultCode.BAD_REQUEST, "file data goes to " + worker.service.info.dataStore() + ", not here");
            return;
        }
        if (removed.remaining() > OBJECTS_MAX * OBJECT_BYTES
                || removed.remaining() % OBJECT_BYTES != 0
                || objects.directory() > ObjectList.DIRECTORIES) {
            worker.reply.failure(
                    ResultCode.INVALID_ARGUMENT,
                    "at most " + OBJECTS_MAX + " objects of 16 bytes each, of 65,536 directories");
            return;
        }
        if (removed.hasRemaining() && objects.incarnation() == BEGIN) {
            worker.reply.failure(ResultCode.INVALID_ARGUMENT, "objects are removed after a census");
            return;
        }
        if (removed.hasRemaining() && worker.service.isInSafeMode()) {
            worker.reply.failure(ResultCode.SAFE_MODE, ResultCode.SAFE_MODE.text());
            return;
        }
        try {
            ObjectList list = new ObjectList(data.store());
            if (removed.hasRemaining()) {
                LOG.log(
                        Level.INFO,
                        "{0} removes {1} objects of the data store, the first of inode {2}",
                        worker.access.user().replaceAll("\\p{Cntrl}", "?"),
                        removed.remaining() / OBJECT_BYTES,
                        Long.toHexString(removed.getLong(0)));
                while (removed.hasRemaining()) {
                    list.remove(removed.getLong(), removed.getLong());
                }
            } else {
                // First: whose slot is free by now, its objects are gone.
                list.leaveOut(data.journal().inodes());
                list.read((int) objects.directory(), objects.afterInode(), objects.afterBlock(), OBJECTS_MAX);
            }
            worker.reply.objects(list);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "cannot list or remove objects of the data store", e);
            worker.reply.failure(ResultCode.IO_ERROR, "the server cannot read its data directory: " + e.getMessage());
        }
    }

    private ByteBuffer bytes(int at, int length, int head) {
        worker.in.check(at + head, length);
        byte[] bytes = new byte[length];
        worker.in.getBytes(at + head, bytes, 0, length);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
