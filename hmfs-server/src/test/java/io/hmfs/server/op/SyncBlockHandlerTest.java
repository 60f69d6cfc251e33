package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.server.pipeline.HandlerRig;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a user with a grant to write has a block made durable; it need not be there. Method: blocks that were written, or are not there. */
class SyncBlockHandlerTest {
    @TempDir
    private Path directory;

    private HandlerRig rig;
    private FileRequests.Opened file;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory, true);
        rig.create(Namespace.ROOT_ID, "f", 0666);
        file = FileRequests.openToWrite(rig, HandlerRig.USER, "/f", 0);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private ResultCode outcome(FileRequests.Opened opened, long block) {
        return rig.outcome(HandlerRig.USER, FileRequests.sync(opened, block));
    }

    @Test
    void aBlockIsMadeDurableAndNeedNotBeThere() throws IOException {
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.USER, file, 0, 0, new byte[] {1}));
        rig.assertDone(rig.ask(HandlerRig.USER, FileRequests.sync(file, 0)));
        rig.assertDone(rig.ask(HandlerRig.USER, FileRequests.sync(file, 1)));
        FileRequests.spoil(directory, file, 1);
        assertEquals(ResultCode.IO_ERROR, outcome(file, 1), "it is looked for");
    }

    @Test
    void aUserNeedsAGrantToWriteTheFile() {
        assertEquals(ResultCode.ACCESS_DENIED, outcome(new FileRequests.Opened(file.inode(), 0, 0), 0));
    }

    @Test
    void whatIsNoBlockIsRefused() {
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(file, -1));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(new FileRequests.Opened(0, file.grant(), file.seal()), 0));
    }

    @Test
    void aServerWithoutDataRefusesIt(@TempDir Path other) throws IOException {
        try (HandlerRig bare = new HandlerRig(other)) {
            assertEquals(ResultCode.BAD_REQUEST, bare.outcome(HandlerRig.ROOT, FileRequests.sync(file, 0)));
        }
    }
}
