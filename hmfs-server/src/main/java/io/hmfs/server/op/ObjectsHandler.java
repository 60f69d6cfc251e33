package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.server.admission.SafeMode;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.data.ObjectList;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ObjectsDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;

/** Objects: a superuser lists what the builtin data store has, part by part, or removes objects of it that no file refers to. */
public final class ObjectsHandler implements Handler {
    private static final System.Logger LOG = System.getLogger(ObjectsHandler.class.getName());
    private static final int OBJECTS_MAX = 4_096;
    private static final int OBJECT_BYTES = 2 * Long.BYTES;

    private final CensusRun run;
    private final SafeMode safeMode;
    private final String dataStore;
    private final ObjectsDecoder objects = new ObjectsDecoder();

    /**
     * Makes one.
     *
     * @param incarnation tells this start of the server from all others; not 0
     * @param dataStore where file data goes, for messages
     */
    public ObjectsHandler(long incarnation, SafeMode safeMode, String dataStore) {
        run = new CensusRun(incarnation);
        this.safeMode = safeMode;
        this.dataStore = dataStore;
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(ObjectsDecoder.BLOCK_LENGTH);
        objects.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int at = objects.limit() + ObjectsDecoder.removedHeaderLength();
        ByteBuffer removed = CensusRun.bytes(request, at, objects.removedLength());
        if (run.refuses(request, objects.incarnation())) {
            return;
        }
        BuiltinData data = request.partition().data();
        if (data == null) {
            request.reply().failure(ResultCode.BAD_REQUEST, "file data goes to " + dataStore + ", not here");
        } else if (removed.remaining() > OBJECTS_MAX * OBJECT_BYTES
                || removed.remaining() % OBJECT_BYTES != 0
                || objects.directory() > ObjectList.DIRECTORIES) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT,
                            "at most " + OBJECTS_MAX + " objects of 16 bytes each, of 65,536 directories");
        } else if (removed.hasRemaining() && objects.incarnation() == CensusRun.BEGIN) {
            request.reply().failure(ResultCode.INVALID_ARGUMENT, "objects are removed after a census");
        } else if (removed.hasRemaining() && safeMode.isOn()) {
            request.reply().failure(ResultCode.SAFE_MODE, ResultCode.SAFE_MODE.text());
        } else {
            listOrRemove(request, data, removed);
        }
    }

    private void listOrRemove(Request request, BuiltinData data, ByteBuffer removed) {
        try {
            ObjectList list = new ObjectList(data.store());
            if (removed.hasRemaining()) {
                remove(request, list, removed);
            } else {
                if (objects.directory() == 0 && objects.afterInode() == 0) { // the first part of a list
                    CensusRun.watchRemoved(data); // also of what has gone since the census began
                }
                list.leaveOut(data.reaper()::isRemoved);
                list.read((int) objects.directory(), objects.afterInode(), objects.afterBlock(), OBJECTS_MAX);
            }
            request.reply().objects(list);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "cannot list or remove objects of the data store", e);
            request.reply()
                    .failure(ResultCode.IO_ERROR, "the server cannot read its data directory: " + e.getMessage());
        }
    }

    private static void remove(Request request, ObjectList list, ByteBuffer removed) throws IOException {
        LOG.log(
                Level.INFO,
                "{0} removes {1} objects of the data store, the first of inode {2}",
                request.access().user().replaceAll("\\p{Cntrl}", "?"),
                removed.remaining() / OBJECT_BYTES,
                Long.toHexString(removed.getLong(0)));
        while (removed.hasRemaining()) {
            list.remove(removed.getLong(), removed.getLong());
        }
    }
}
