package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.ChunkDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a user with a grant to read gets the bytes of a block, of others none. Method: blocks that were written, and ones that were not. */
class ReadBlockHandlerTest {
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

    private static final byte[] DATA = {1, 2, 3};

    private FileRequests.Opened openToRead(String path) {
        EntryDecoder entry = FileRequests.entry(rig.ask(HandlerRig.USER, FileRequests.open(path, true, false, 0)));
        return new FileRequests.Opened(entry.inode(), entry.grant(), entry.seal());
    }

    private ChunkDecoder chunk(HandlerRig.Message read) {
        WireBuffer reply = rig.ask(HandlerRig.USER, read);
        assertEquals(ResultCode.OK, rig.outcome(reply));
        return new ChunkDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
    }

    private ResultCode outcome(FileRequests.Opened opened, long block, long position, long length) {
        return rig.outcome(HandlerRig.USER, FileRequests.read(opened, block, position, length));
    }

    @Test
    void whatWasWrittenIsRead() {
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.USER, file, 1, 10, DATA));
        FileRequests.Opened opened = openToRead("/f");
        HandlerRig.Message read = FileRequests.read(opened, 1, 10, 3);
        assertArrayEquals(DATA, FileRequests.bytes(rig.ask(HandlerRig.USER, read)));
        HandlerRig.Message beyond = FileRequests.read(opened, 1, 11, 100);
        assertArrayEquals(new byte[] {2, 3}, FileRequests.bytes(rig.ask(HandlerRig.USER, beyond)));
        assertEquals(1, chunk(read).present());
        assertEquals(0, chunk(FileRequests.read(opened, 0, 0, 3)).present());
        assertEquals(0, chunk(FileRequests.read(opened, 1, 13, 3)).present());
    }

    @Test
    void aUserNeedsAGrantToReadTheFile() {
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.USER, file, 0, 0, DATA));
        assertEquals(ResultCode.ACCESS_DENIED, outcome(file, 0, 0, 3), "it was opened to write");
        FileRequests.Opened none = new FileRequests.Opened(file.inode(), 0, 0);
        assertEquals(ResultCode.ACCESS_DENIED, outcome(none, 0, 0, 3));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, FileRequests.read(none, 0, 0, 3)));
    }

    @Test
    void whatIsNotInsideABlockIsRefused() {
        FileRequests.Opened opened = openToRead("/f");
        FileRequests.Opened nothing = new FileRequests.Opened(0, opened.grant(), opened.seal());
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(nothing, 0, 0, 3));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(opened, -1, 0, 3));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(opened, 0, -1, 3));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(opened, 0, HandlerRig.BLOCK_SIZE - 2, 3));
        assertEquals(ResultCode.OK, outcome(opened, 0, HandlerRig.BLOCK_SIZE - 3, 3));
        assertEquals(ResultCode.TOO_LARGE, outcome(opened, 0, 0, HandlerRig.CHUNK_SIZE + 1));
        assertEquals(ResultCode.TOO_LARGE, outcome(opened, 0, 0, 0xFFFF_FFFEL));
        assertEquals(ResultCode.OK, outcome(opened, 0, 0, HandlerRig.CHUNK_SIZE));
    }

    @Test
    void aBlockThatCannotBeReadIsAnError() throws IOException {
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.USER, file, 0, 0, DATA));
        FileRequests.spoil(directory, file, 1);
        assertEquals(ResultCode.IO_ERROR, outcome(openToRead("/f"), 1, 0, 3));
    }

    @Test
    void aServerWithoutDataRefusesIt(@TempDir Path other) throws IOException {
        try (HandlerRig bare = new HandlerRig(other)) {
            assertEquals(ResultCode.BAD_REQUEST, bare.outcome(HandlerRig.ROOT, FileRequests.read(file, 0, 0, 3)));
        }
    }
}
