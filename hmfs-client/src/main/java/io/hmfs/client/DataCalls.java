package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.ChunkDecoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.ReadBlockEncoder;
import io.hmfs.wire.ReadChecksumsEncoder;
import io.hmfs.wire.SyncBlockEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WriteBlockEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Rows: objects of the builtin data store, each call about one chunk at most. */
@SuppressWarnings("ArrayRecordComponent") // arguments of a call are never compared
final class DataCalls {
    private final ReadBlockEncoder readEncoder = new ReadBlockEncoder();
    private final ReadChecksumsEncoder checksumsEncoder = new ReadChecksumsEncoder();
    private final WriteBlockEncoder writeEncoder = new WriteBlockEncoder();
    private final SyncBlockEncoder syncEncoder = new SyncBlockEncoder();
    private final ChunkDecoder chunk = new ChunkDecoder();

    final CallKind<Chunk, Integer> read;
    final CallKind<Part, BlockChecksums> checksums;
    final CallKind<Chunk, Long> write;
    final CallKind<Chunk, Void> sync;

    DataCalls(FileReplies replies) {
        read = new CallKind<Chunk, Integer>(
                        "read block",
                        REPEATABLE,
                        ReadBlockEncoder.TEMPLATE_ID,
                        ReadBlockEncoder.BLOCK_LENGTH,
                        each -> 0,
                        (each, out) -> readEncoder
                                .wrap(out, Wire.HEADER_SIZE)
                                .inode(each.inode)
                                .block(each.block)
                                .position(each.position)
                                .length(each.length)
                                .grant(each.grant.grant())
                                .seal(each.grant.seal())
                                .limit(),
                        ChunkDecoder.TEMPLATE_ID,
                        (reply, nothing, each) -> copyChunk(reply, each))
                .describedBy((nothing, each) -> "read block " + each.object());
        checksums = new CallKind<Part, BlockChecksums>(
                        "read checksums",
                        REPEATABLE,
                        ReadChecksumsEncoder.TEMPLATE_ID,
                        ReadChecksumsEncoder.BLOCK_LENGTH,
                        each -> 0,
                        (each, out) -> checksumsEncoder
                                .wrap(out, Wire.HEADER_SIZE)
                                .inode(each.inode)
                                .block(each.block)
                                .position(each.position)
                                .length(each.length)
                                .grant(each.grant.grant())
                                .seal(each.grant.seal())
                                .limit(),
                        ChunkDecoder.TEMPLATE_ID,
                        (reply, nothing, each) -> crcs(reply, each))
                .describedBy((nothing, each) -> "read checksums of block " + object(each.inode, each.block));
        write = new CallKind<Chunk, Long>(
                        "write block",
                        REPEATABLE,
                        WriteBlockEncoder.TEMPLATE_ID,
                        WriteBlockEncoder.BLOCK_LENGTH,
                        each -> each.length,
                        (each, out) -> writeEncoder
                                .wrap(out, Wire.HEADER_SIZE)
                                .inode(each.inode)
                                .block(each.block)
                                .position(each.position)
                                .grant(each.grant.grant())
                                .seal(each.grant.seal())
                                .lease(each.grant.lease())
                                .there(each.there)
                                .putPayload(each.bytes, each.offset, each.length)
                                .limit(),
                        DoneDecoder.TEMPLATE_ID,
                        replies::verifier)
                .describedBy((nothing, each) -> "write block " + each.object());
        sync = new CallKind<Chunk, Void>(
                        "sync block",
                        REPEATABLE,
                        SyncBlockEncoder.TEMPLATE_ID,
                        SyncBlockEncoder.BLOCK_LENGTH,
                        each -> 0,
                        (each, out) -> syncEncoder
                                .wrap(out, Wire.HEADER_SIZE)
                                .inode(each.inode)
                                .block(each.block)
                                .grant(each.grant.grant())
                                .seal(each.grant.seal())
                                .limit(),
                        DoneDecoder.TEMPLATE_ID,
                        replies::done)
                .describedBy((nothing, each) -> "sync block " + each.object());
    }

    /** Copies the data of a chunk; -1 if there is none. */
    private int copyChunk(ReplyFrame reply, Chunk asked) throws IOException {
        chunk.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        if (chunk.present() == 0) {
            return -1;
        }
        if (chunk.payloadLength() > asked.length) {
            throw new IOException(
                    "the server sent " + chunk.payloadLength() + " bytes where " + asked.length + " were asked");
        }
        return chunk.getPayload(asked.bytes, asked.offset, asked.length);
    }

    private BlockChecksums crcs(ReplyFrame reply, Part asked) throws IOException {
        chunk.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        int[] crcs = new int[BlockChecksums.count(asked.length)];
        boolean isWhole = chunk.present() != 0;
        byte[] bytes = new byte[chunk.payloadLength()];
        if (bytes.length != crcs.length * Integer.BYTES) {
            throw new IOException("the server sent " + bytes.length + " bytes of checksums where " + crcs.length
                    + " checksums were asked");
        }
        chunk.getPayload(bytes, 0, bytes.length);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(crcs);
        return new BlockChecksums(crcs, isWhole);
    }

    private static String object(long inode, long block) {
        return Long.toHexString(inode) + "-" + block;
    }

    /** A part of an object whose checksums are asked for. */
    record Part(Grant grant, long inode, long block, long position, long length) {}

    /** A part of an object: {@code length} bytes from {@code position} on, and where they are in an array. */
    record Chunk(Grant grant, long inode, long block, long position, byte[] bytes, int offset, int length, long there) {
        private String object() {
            return DataCalls.object(inode, block);
        }
    }
}
