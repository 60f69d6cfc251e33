package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.AppendEncoder;
import io.hmfs.wire.ChunkDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.OpenEncoder;
import io.hmfs.wire.ReadBlockEncoder;
import io.hmfs.wire.ReadChecksumsEncoder;
import io.hmfs.wire.SyncBlockEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.hmfs.wire.WriteBlockEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Requests that tests of several handlers send about a file that was opened. */
final class FileRequests {
    private FileRequests() {}

    /** What a user that opened a file got: all 0 for a user that needs no grant. */
    record Opened(long inode, long grant, long seal) {}

    static HandlerRig.Message open(String path, boolean read, boolean write, long lease) {
        return (out, header) -> {
            OpenEncoder open = new OpenEncoder()
                    .wrapAndApplyHeader(out, 0, header)
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .lease(lease);
            open.access().clear().read(read).write(write);
            return open.path(path).limit();
        };
    }

    static EntryDecoder entry(WireBuffer reply) {
        return new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
    }

    /** A file that the user may write, opened for that, with a lease unless it is 0. */
    static Opened openToWrite(HandlerRig rig, String user, String path, long lease) {
        EntryDecoder entry = entry(rig.ask(user, open(path, false, true, lease)));
        return new Opened(entry.inode(), entry.grant(), entry.seal());
    }

    static HandlerRig.Message append(
            long sequence, long parent, String name, Opened file, long size, long lease, boolean last) {
        return append(sequence, parent, name, file, size, lease, last, 0);
    }

    /** The same, showing the verifier of the writes before. */
    static HandlerRig.Message append(
            long sequence, long parent, String name, Opened file, long size, long lease, boolean last, long verifier) {
        return (out, header) -> new AppendEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(size)
                .clientId(1)
                .sequence(sequence)
                .parentId(parent)
                .inode(file.inode)
                .size(size)
                .writtenFrom(-1)
                .verifier(verifier)
                .grant(file.grant)
                .seal(file.seal)
                .lease(lease)
                .last((short) (last ? 1 : 0))
                .name(name)
                .limit();
    }

    static HandlerRig.Message write(Opened file, long block, long position, byte[] bytes, long lease) {
        return (out, header) -> new WriteBlockEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .inode(file.inode)
                .block(block)
                .position(position)
                .grant(file.grant)
                .seal(file.seal)
                .lease(lease)
                .putPayload(bytes, 0, bytes.length)
                .limit();
    }

    /** Writes under a lease that ends at once. */
    static ResultCode written(HandlerRig rig, String user, Opened file, long block, long position, byte... bytes) {
        long lease = 99;
        rig.take(user, file.inode, lease);
        ResultCode outcome = rig.outcome(user, write(file, block, position, bytes, lease));
        rig.end(user, file.inode, lease);
        return outcome;
    }

    static HandlerRig.Message read(Opened file, long block, long position, long length) {
        return (out, header) -> new ReadBlockEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .inode(file.inode)
                .block(block)
                .position(position)
                .length(length)
                .grant(file.grant)
                .seal(file.seal)
                .limit();
    }

    static HandlerRig.Message checksums(Opened file, long block, long position, long length) {
        return (out, header) -> new ReadChecksumsEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .inode(file.inode)
                .block(block)
                .position(position)
                .length(length)
                .grant(file.grant)
                .seal(file.seal)
                .limit();
    }

    static HandlerRig.Message sync(Opened file, long block) {
        return (out, header) -> new SyncBlockEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .inode(file.inode)
                .block(block)
                .grant(file.grant)
                .seal(file.seal)
                .limit();
    }

    /** The bytes of a chunk. */
    static byte[] bytes(WireBuffer reply) {
        ChunkDecoder chunk = new ChunkDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        byte[] bytes = new byte[chunk.payloadLength()];
        chunk.getPayload(bytes, 0, bytes.length);
        return bytes;
    }

    /** Makes a block of a file, of which another one was written, one that cannot be read or written. */
    static void spoil(Path directory, Opened file, long block) throws IOException {
        String prefix = Long.toHexString(file.inode) + "-";
        try (Stream<Path> files = Files.walk(directory)) {
            Path written = files.filter(each -> each.getFileName().toString().startsWith(prefix))
                    .findFirst()
                    .orElseThrow();
            Files.createDirectory(written.resolveSibling(prefix + block));
        }
    }
}
