package io.hmfs.server.pipeline;

import static io.hmfs.server.pipeline.BareService.FRAME_MAX;
import static io.hmfs.server.pipeline.BareService.window;

import io.hmfs.wire.AppendEncoder;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;

/** Requests of {@link BatchOrderTest}: bytes of frames, without their length words. */
final class BatchFrames {
    private static final String[] DIRECTORIES = {"", "/d", "/e", "/d/sub", "/f0", "/new"};

    private BatchFrames() {}

    private static String path(Random random, String tree) {
        int odd = random.nextInt(30);
        if (odd == 0) {
            return tree.isEmpty() ? "/" : tree;
        }
        String name = odd == 1 ? "n".repeat(300) : "f" + random.nextInt(60);
        return tree + DIRECTORIES[random.nextInt(DIRECTORIES.length)] + "/" + name;
    }

    private static byte[] cut(ByteBuf frame, int length) {
        byte[] bytes = new byte[length];
        frame.getBytes(0, bytes);
        return bytes;
    }

    static byte[] create(long id, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(id)
                .baseId(Wire.ROOT_ID)
                .mode(0644);
        create.flags().clear();
        return cut(frame, create.path(path).limit());
    }

    static byte[] stat(long id, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = new StatEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(id)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
        return cut(frame, length);
    }

    /** A random request; most are plain creates. The bytes of the frame, without its length word. */
    static byte[] request(Random random, long id, String tree) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        WireBuffer window = window(frame);
        MessageHeaderEncoder header = new MessageHeaderEncoder();
        String path = path(random, tree);
        int kind = random.nextInt(20);
        int length = switch (kind) {
            case 0, 1, 2, 7, 8, 9 ->
                new StatEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(Wire.ROOT_ID)
                        .path(path)
                        .limit();
            case 3, 4 ->
                new DeleteEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(Wire.ROOT_ID)
                        .emptyDirectory((short) (kind - 3))
                        .path(random.nextBoolean() ? path : tree + DIRECTORIES[random.nextInt(DIRECTORIES.length)])
                        .limit();
            case 5 ->
                new MkdirEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(Wire.ROOT_ID)
                        .mode(0755)
                        .unmaskedMode(0755)
                        .path(tree + DIRECTORIES[random.nextInt(DIRECTORIES.length)])
                        .limit();
            case 6 ->
                new RenameEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .sourceBaseId(Wire.ROOT_ID)
                        .targetBaseId(Wire.ROOT_ID)
                        .source(path)
                        .target(path(random, tree))
                        .limit();
            default -> {
                CreateEncoder create = new CreateEncoder()
                        .wrapAndApplyHeader(window, 0, header)
                        .correlationId(id)
                        .baseId(random.nextInt(10) == 0 ? 77 : Wire.ROOT_ID)
                        .mode(0644)
                        .parentMode(0755)
                        .unmaskedMode(0644);
                create.flags().clear().overwrite(random.nextInt(20) == 0).createParents(random.nextInt(4) == 0);
                yield create.path(path).limit();
            }
        };
        if (random.nextInt(50) == 0) {
            length -= 1 + random.nextInt(4); // its path reaches behind it
        }
        return cut(frame, length);
    }

    /** A request of a stretch: plain ones of one kind, so that they fill batches, or any. */
    static byte[] some(int stretch, Random random, long id, String tree) {
        String plain = tree + "/g" + random.nextInt(400);
        return switch (stretch % 5) {
            case 0 -> create(id, plain);
            case 1 -> stat(id, plain);
            case 2 -> delete(id, plain);
            default -> request(random, id, tree);
        };
    }

    static byte[] delete(long id, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = new DeleteEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(id)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
        return cut(frame, length);
    }

    static byte[] append(long id, String name, long inode, long size) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = new AppendEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(id)
                .parentId(Wire.ROOT_ID)
                .inode(inode)
                .size(size)
                .name(name)
                .limit();
        return cut(frame, length);
    }
}
