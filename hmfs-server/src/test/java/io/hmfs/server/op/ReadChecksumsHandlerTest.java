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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a user with a grant to read gets the checksums of a block, of others none. Method: blocks that were written, and ones that were not. */
class ReadChecksumsHandlerTest {
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

    private static final byte[] DATA = new byte[1_000];

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
        return rig.outcome(HandlerRig.USER, FileRequests.checksums(opened, block, position, length));
    }

    private static int crc(int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(DATA, from, length);
        return (int) crc.getValue();
    }

    private static int[] crcs(int... crcs) {
        return crcs;
    }

    private int[] found(HandlerRig.Message asked) {
        byte[] bytes = FileRequests.bytes(rig.ask(HandlerRig.USER, asked));
        int[] found = new int[bytes.length / Integer.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(found);
        return found;
    }

    @Test
    void theyAreOfEach512BytesAndOfWhatIsLeft() {
        new Random(1).nextBytes(DATA);
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.USER, file, 1, 0, DATA));
        FileRequests.Opened opened = openToRead("/f");
        HandlerRig.Message all = FileRequests.checksums(opened, 1, 0, 1_000);
        assertArrayEquals(crcs(crc(0, 512), crc(512, 488)), found(all));
        assertEquals(1, chunk(all).present());
        HandlerRig.Message part = FileRequests.checksums(opened, 1, 512, 300);
        assertArrayEquals(crcs(crc(512, 300)), found(part));
        assertEquals(1, chunk(part).present());
        assertEquals(0, chunk(FileRequests.checksums(opened, 1, 512, 489)).present());
        HandlerRig.Message none = FileRequests.checksums(opened, 0, 0, 513);
        assertEquals(2, found(none).length);
        assertEquals(0, chunk(none).present());
    }

    @Test
    void aUserNeedsAGrantToReadTheFile() {
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.USER, file, 0, 0, DATA));
        assertEquals(ResultCode.ACCESS_DENIED, outcome(file, 0, 0, 3), "it was opened to write");
        FileRequests.Opened none = new FileRequests.Opened(file.inode(), 0, 0);
        assertEquals(ResultCode.ACCESS_DENIED, outcome(none, 0, 0, 3));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, FileRequests.checksums(none, 0, 0, 3)));
    }

    @Test
    void whatIsNotInsideABlockIsRefused() {
        FileRequests.Opened opened = openToRead("/f");
        FileRequests.Opened nothing = new FileRequests.Opened(0, opened.grant(), opened.seal());
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(nothing, 0, 0, 3));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(opened, -1, 0, 3));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(opened, 0, -512, 3));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(opened, 0, 100, 3), "not where a chunk begins");
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(opened, 0, HandlerRig.BLOCK_SIZE - 512, 513));
        assertEquals(ResultCode.OK, outcome(opened, 0, HandlerRig.BLOCK_SIZE - 512, 512));
        assertEquals(ResultCode.OK, outcome(opened, 0, 0, 0));
        long max = 128L * HandlerRig.CHUNK_SIZE;
        assertEquals(ResultCode.OK, outcome(opened, 0, 0, max));
        assertEquals(ResultCode.TOO_LARGE, outcome(opened, 0, 0, max + 1));
        assertEquals(ResultCode.TOO_LARGE, outcome(opened, 0, 0, -1));
        assertEquals(ResultCode.TOO_LARGE, outcome(opened, 0, 0, Long.MAX_VALUE));
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
            assertEquals(ResultCode.BAD_REQUEST, bare.outcome(HandlerRig.ROOT, FileRequests.checksums(file, 0, 0, 3)));
        }
    }
}
